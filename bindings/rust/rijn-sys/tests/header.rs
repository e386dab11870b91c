// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! The declarations, which are written by hand, are those of the header: every function with its types, sizes, alignments,
//! places of fields, constants.
use rijn_sys::*;
use std::collections::BTreeMap;
use std::mem::{align_of, offset_of, size_of};
use std::process::Command;

const ROOT: &str = env!("RIJN_SYS_ROOT");
const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs");

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn without_comments(c: &str) -> String {
    let mut parts = c.split("/*");
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        out += part.split_once("*/").expect("the comment ends").1;
    }
    out
}

/// A type of C in Rust's words. `array`: the parameter's name is followed by brackets.
fn rust_type(c: &str, array: bool) -> String {
    let name = match c.split(|x: char| !x.is_alphanumeric() && x != '_').rfind(|w| !w.is_empty() && *w != "const") {
        Some("void") if !c.contains('*') => return String::new(),
        Some("void") => "c_void",
        Some("char") => "c_char",
        Some("int") => "c_int",
        Some("uint8_t") => "u8",
        Some("uint32_t") => "u32",
        Some("uint64_t") => "u64",
        Some("size_t") => "usize",
        other => other.expect("a type"),
    };
    match (c.contains('*') || array, c.split_whitespace().any(|w| w == "const")) {
        (true, true) => format!("*const {name}"),
        (true, false) => format!("*mut {name}"),
        _ => name.to_owned(),
    }
}

/// Name to parameters and result, as Rust writes them.
fn of_header() -> BTreeMap<String, String> {
    let text = without_comments(&read(&format!("{ROOT}/include/rijn.h")));
    let mut found = BTreeMap::new();
    for piece in text.split("RIJN_API ").skip(1).filter(|piece| piece.contains("rijn_")) {
        let Some((head, rest)) = piece.split_once('(') else { continue };
        let Some((parameters, _)) = rest.split_once(");") else { continue };
        let cut = head.rfind("rijn_").expect("a name of the library");
        let mut types = Vec::new();
        for parameter in parameters.split(',').map(str::trim).filter(|p| *p != "void") {
            let (declared, array) = match parameter.split_once('[') {
                Some((before, _)) => (before.trim(), true),
                None => (parameter, false),
            };
            let end = declared.trim_end_matches(|x: char| x.is_alphanumeric() || x == '_').len();
            types.push(rust_type(&declared[..end], array));
        }
        found.insert(head[cut..].to_owned(), format!("({}) -> {}", types.join(", "), rust_type(&head[..cut], false)));
    }
    found
}

fn of_crate() -> BTreeMap<String, String> {
    let text = read(OWN);
    let (_, block) = text.split_once("unsafe extern \"C\" {").expect("the declarations");
    let mut found = BTreeMap::new();
    for item in block.split("pub fn ").skip(1) {
        let (item, _) = item.split_once(';').expect("a declaration ends so");
        let (name, rest) = item.split_once('(').expect("a function");
        let (parameters, result) = rest.split_once(')').expect("a function");
        let types: Vec<_> = parameters.split(',').filter_map(|p| Some(p.split_once(':')?.1.trim())).collect();
        let result = result.trim().trim_start_matches("->").trim();
        found.insert(name.to_owned(), format!("({}) -> {result}", types.join(", ")));
    }
    found
}

#[test]
fn functions() {
    let (header, own) = (of_header(), of_crate());
    assert!(header.len() >= 60, "only {} functions found in the header", header.len());
    for (name, signature) in &header {
        assert_eq!(own.get(name), Some(signature), "rijn-sys/src/lib.rs: {name}");
    }
    for name in own.keys() {
        assert!(header.contains_key(name), "rijn-sys/src/lib.rs has {name}, which rijn.h does not have");
    }
}

macro_rules! same {
    ($out:ident, $($name:ident)*) => {$(
        $out += &format!("_Static_assert({0} == {1}, \"{0}\");\n", stringify!($name), $name as i128);
    )*};
}
macro_rules! layout {
    ($out:ident, $($name:ident { $($field:ident $c:literal)* })*) => {$(
        let (c, size, align) = (stringify!($name), size_of::<$name>(), align_of::<$name>());
        $out += &format!("_Static_assert(sizeof({c}) == {size} && _Alignof({c}) == {align}, \"{c}\");\n");
        $($out += &format!("_Static_assert(offsetof({c}, {}) == {}, \"{c}\");\n", $c, offset_of!($name, $field));)*
    )*};
}

/// The C compiler compares: a program of assertions.
fn assertions() -> String {
    let mut out = String::from("#include <rijn.h>\n");
    same!(out, RIJN_VERSION_MAJOR RIJN_VERSION_MINOR RIJN_VERSION_PATCH RIJN_OK RIJN_EAUTH RIJN_ENULL RIJN_EKEYLEN
        RIJN_ENONCELEN RIJN_ETAGLEN RIJN_ELEN RIJN_EAADLEN RIJN_EOVERLAP RIJN_EIMPL RIJN_EWEAKKEY RIJN_ESTATE
        RIJN_ESECTOR RIJN_EPADDING RIJN_ESELFTEST RIJN_ESTRUCT RIJN_GCM_KEY_SIZE RIJN_GCM_STREAM_SIZE RIJN_ESP_KEY_SIZE
        RIJN_GHASH_KEY_SIZE RIJN_XTS_KEY_SIZE RIJN_CCM_KEY_SIZE RIJN_AES_KEY_SIZE RIJN_GCM_MAX_LEN RIJN_XTS_MAX_LEN RIJN_IOV_CHECKED
        RIJN_BATCH_MAX RIJN_CTR_SECRET RIJN_GCM_SIV_KEY_SIZE RIJN_XAES_KEY_SIZE RIJN_GCM_SIV_MAX_LEN RIJN_GCM_ROWS_MAX
        RIJN_GCM_NONCE_LEN RIJN_GCM_TAG_MAX RIJN_ESP_NONCE_LEN RIJN_GCM_SIV_NONCE_LEN RIJN_GCM_SIV_TAG_LEN
        RIJN_XAES_NONCE_LEN RIJN_XAES_TAG_LEN
        RIJN_MODE_GCM RIJN_MODE_GCM_SIV RIJN_MODE_XAES RIJN_MODE_XTS RIJN_MODE_CTR RIJN_MODE_CBC RIJN_MODE_ECB
        RIJN_MODE_CFB RIJN_MODE_CCM);
    layout!(out, rijn_gcm_key { opaque "opaque" } rijn_gcm_stream { opaque "opaque" } rijn_esp_key { opaque "opaque" }
        rijn_ghash_key { opaque "opaque" } rijn_xts_key { opaque "opaque" } rijn_ccm_key { opaque "opaque" } rijn_aes_key { opaque "opaque" }
        rijn_iov { base "base" len "len" }
        rijn_gcm_siv_key { opaque "opaque" } rijn_xaes_key { opaque "opaque" }
        rijn_gcm_siv_msg { size "size" key "key" out "out" in_ "in" len "len" aad "aad" aad_len "aad_len" nonce "nonce"
            tag "tag" result "result" }
        rijn_gcm_msg { size "size" key "key" out "out" in_ "in" len "len" aad "aad" aad_len "aad_len" nonce "nonce"
            nonce_len "nonce_len" tag "tag" result "result" }
        rijn_gcm_rows { size "size" key "key" rows "rows" len "len" aad_len "aad_len" out "out" in_ "in" aad "aad"
            nonces "nonces" tags "tags" out_step "out_step" in_step "in_step" aad_step "aad_step"
            nonce_step "nonce_step" tag_step "tag_step" forged "forged" }
        rijn_cbc_msg { size "size" key "key" out "out" in_ "in" nblk "nblk" iv "iv" result "result" }
        rijn_cfb_state { iv "iv" used "used" }
        rijn_ctr_state { ctr "ctr" ks "ks" used "used" });
    out
}

fn compiles(program: &str) -> bool {
    let path = format!("{}/layout-{}-{}.c", env!("CARGO_TARGET_TMPDIR"), std::process::id(), program.len());
    std::fs::write(&path, program).expect("cargo's folder can be written");
    let done = Command::new(env!("RIJN_SYS_CC"))
        .args(["-std=c11", "-fsyntax-only", "-I"])
        .arg(format!("{ROOT}/include"))
        .arg(&path)
        .output()
        .expect("the C compiler runs");
    print!("{}", String::from_utf8_lossy(&done.stderr));
    done.status.success()
}

#[test]
fn layout() {
    let program = assertions();
    assert!(compiles(&program));
    // What the crate has and the assertions above forget.
    let text = read(OWN);
    for name in text.split("\npub const ").skip(1).filter_map(|rest| rest.split_once(':')) {
        assert!(program.contains(&format!("({} ==", name.0)), "{} is not compared", name.0);
    }
    // The assertions can fail.
    assert!(!compiles(&program.replace("RIJN_EAUTH == -1", "RIJN_EAUTH == -2")));
}

#[test]
fn constants_of_the_header() {
    let header = without_comments(&read(&format!("{ROOT}/include/rijn.h")));
    let own = read(OWN);
    let mut count = 0;
    for line in header.lines().map(str::trim) {
        let name = line.strip_prefix("#define ").unwrap_or(line).split([' ', '(', ',']).next().unwrap_or("");
        let skipped = ["RIJN_H", "RIJN_API", "RIJN_ALIGN16", "RIJN_VERSION_STRING"];
        // RIJN_GCM_MSG_INIT and its like are what C sets a descriptor to; Rust names all fields.
        if name.starts_with("RIJN_") && !name.ends_with("_INIT") && !skipped.contains(&name) {
            count += 1;
            assert!(own.contains(&format!("pub const {name}:")), "rijn-sys/src/lib.rs lacks {name}");
        }
    }
    assert!(count >= 30, "only {count} constants found in the header");
}

#[test]
fn version() {
    let version = unsafe { std::ffi::CStr::from_ptr(rijn_version()) };
    assert_eq!(version.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}

#[test]
fn known_answers() {
    assert_eq!(unsafe { rijn_selftest(-1) }, RIJN_OK);
}

/// The choice of the library is made by the processor's features, as the kernel names them.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64", feature = "os"))]
fn implementation() {
    let features = read("/proc/cpuinfo");
    let has = |name| features.lines().any(|l| l.starts_with("flags") && l.split_whitespace().any(|w| w == name));
    let name = unsafe { std::ffi::CStr::from_ptr(rijn_impl_name(rijn_impl_chosen())) }.to_str().expect("ASCII");
    match std::env::var("RIJN_IMPL") {
        Ok(forced) => assert_eq!(name, forced),
        Err(_) if has("vaes") && has("avx2") => assert!(name.starts_with("x86-vaes-"), "{name}"),
        Err(_) if has("aes") => assert!(name.starts_with("x86-"), "{name}"),
        Err(_) => assert_eq!(name, "portable"),
    }
}
