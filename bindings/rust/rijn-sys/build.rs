// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! Compiles the C library by the crate `cc` alone. Which files there are, and the flags of each, is in `src/isa/sets.def`
//! of the C sources, whose head says what a row means: CMake reads the same list.
use std::collections::HashMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Mutex;
use std::thread;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(rijn_system)");
    let root = sources();
    if env::var_os("CARGO_FEATURE_SYSTEM").is_some() {
        system(&root);
    } else {
        compile(&root);
    }
}

/// The folder with `include` and `src` of the C library: the crate's own copy, or the repository around it.
fn sources() -> PathBuf {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    for folder in [here.join("csrc"), here.join("../../..")] {
        if folder.join("src/isa/sets.def").is_file() && folder.join("include/rijn.h").is_file() {
            return folder.canonicalize().expect("it is there");
        }
    }
    panic!(
        "rijn-sys: the C sources are neither in {0}/csrc nor in {0}/../../..; a crate is packaged by bindings/rust/build",
        here.display()
    );
}

#[cfg(feature = "system")]
fn system(root: &Path) {
    println!("cargo:rustc-cfg=rijn_system");
    // WHY one minor version: while the major one is 0, the next may change the sizes of the key objects.
    let own = env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    let mut parts = own.split('.').map(|n| n.parse::<u32>().expect("a number"));
    let (major, minor) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    let found = pkg_config::Config::new()
        .range_version(format!("{major}.{minor}.0").as_str()..format!("{major}.{}.0", minor + 1).as_str())
        .probe("rijn");
    if let Err(error) = found {
        panic!("rijn-sys: the feature `system` wants a librijn {major}.{minor} that pkg-config finds: {error}");
    }
    println!("cargo:rustc-env=RIJN_SYS_ROOT={}", root.display());
    println!("cargo:rustc-env=RIJN_SYS_CC={}", cc::Build::new().get_compiler().path().display());
}

#[cfg(not(feature = "system"))]
fn system(_: &Path) {
    unreachable!("the feature is off")
}

/// The rows of the list: kind and fields.
fn rows(root: &Path) -> Vec<Vec<String>> {
    let path = root.join("src/isa/sets.def");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("rijn-sys: {}: {error}", path.display()));
    let row = |line: &str| {
        let (kind, rest) = line.split_once('(')?;
        let fields = rest.strip_suffix(')')?;
        (!kind.is_empty() && kind.bytes().all(|c| c.is_ascii_uppercase())).then(|| {
            let fields = fields.split(", ").map(|field| field.trim_matches('"').to_owned());
            std::iter::once(kind.to_owned()).chain(fields).collect()
        })
    };
    text.lines().filter_map(row).collect()
}

/// The name that the list has for what is compiled for, if any.
fn architecture() -> Option<&'static str> {
    let of = |name: &str| env::var(name).unwrap_or_default();
    let little = of("CARGO_CFG_TARGET_ENDIAN") == "little";
    match (of("CARGO_CFG_TARGET_ARCH").as_str(), of("CARGO_CFG_TARGET_POINTER_WIDTH").as_str()) {
        ("x86_64", "64") => Some("x86_64"),
        ("x86", _) => Some("i386"),
        ("aarch64", _) if little => Some("aarch64"),
        ("powerpc64", _) if little => Some("ppc64le"),
        _ => None,
    }
}

/// A source file, and what it alone is compiled with.
struct File {
    path: String,
    flags: Vec<String>,
    defines: Vec<String>,
}

/// All files for one architecture (`None`: one without sets) by one compiler, `gcc` or `clang`, of a major version.
fn files(rows: &[Vec<String>], arch: Option<&str>, compiler: &str, version: &str, os: bool) -> Vec<File> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut levels: HashMap<&str, Vec<String>> = HashMap::new();
    let (mut family, mut rules, mut sets) = ("", Vec::new(), Vec::new());
    let (mut options, mut defines, mut plain) = (HashMap::<&str, Vec<String>>::new(), Vec::new(), Vec::new());
    for row in rows {
        let fields: Vec<&str> = row.iter().map(String::as_str).collect();
        match fields[..] {
            ["ARCH", name, its_family, _, _, its_rules] if Some(name) == arch => {
                (family, rules) = (its_family, words(its_rules));
            }
            ["LEVEL", name, below, flags, _] => {
                let mut all = levels.get(below).cloned().unwrap_or_default();
                all.extend(words(flags));
                levels.insert(name, all);
            }
            ["SET", _, file, place, level] if Some(place) == arch || (arch.is_some() && place == family) => {
                let flags = levels.get(level).unwrap_or_else(|| panic!("rijn-sys: sets.def: no level before {fields:?}"));
                sets.push((file, flags.clone()));
            }
            ["OPTION", place, by, flags] if by == compiler => options.entry(place).or_default().extend(words(flags)),
            ["DEFINE", name, place, by, of] if Some(place) == arch && by == compiler && of == version => {
                defines.push(name.to_owned());
            }
            ["SOURCE", kind, file] if os || !["os", "env"].contains(&kind) => plain.push((kind, file)),
            // Other architectures' and compilers', and what is read by the C sources alone.
            ["ARCH", _, _, _, _, _] | ["SET", _, _, _, _] | ["OPTION", _, _, _] | ["DEFINE", _, _, _, _] => {}
            ["SOURCE" | "CPUINFO", _, _] | ["FEATURE", _, _, _, _, _, _, _] => {}
            _ => panic!("rijn-sys: src/isa/sets.def has a row that this build script does not know: {fields:?}"),
        }
    }
    let mut all: Vec<File> = Vec::new();
    for (kind, file) in plain {
        let defines = if ["hook", "env"].contains(&kind) { Vec::new() } else { defines.clone() };
        all.push(File { path: format!("{file}.c"), flags: rules.clone(), defines });
    }
    for (file, mut flags) in sets {
        for place in [arch.unwrap_or(""), file] {
            flags.extend(options.get(place).cloned().unwrap_or_default());
        }
        all.push(File { path: format!("isa/{file}.c"), flags, defines: defines.clone() });
    }
    all.push(File { path: "isa/portable.c".into(), flags: Vec::new(), defines });
    all
}

/// What all files are compiled with.
fn common(root: &Path, os: bool) -> cc::Build {
    let mut build = cc::Build::new();
    build.include(root.join("include")).include(root.join("src")).std("c11").warnings(false).pic(true);
    // WHY of this level in every profile: at -O0 secrets stay on the stack (SECURITY.md), and at -O1 more has to be
    // cleared. WHY as the last flags: those of CFLAGS come before.
    build.opt_level(2).force_frame_pointer(false).flag("-O2").flag("-fno-lto").flag("-fvisibility=hidden");
    build.define("RIJN_STATIC_ONLY", None);
    let mut wanted = vec![format!("-ffile-prefix-map={}/=", root.display())];
    match env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default().as_str() {
        "x86_64" | "x86" => wanted.push("-fcf-protection".into()),
        "aarch64" => wanted.push("-mbranch-protection=standard".into()),
        _ => {}
    }
    if !os {
        wanted.push("-ffreestanding".into());
    }
    for flag in wanted {
        build.flag_if_supported(flag);
    }
    build
}

/// Results in the order of the items, by as many threads as cargo allows.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = env::var("NUM_JOBS").ok().and_then(|n| n.parse().ok()).unwrap_or(1).clamp(1, 16);
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        while let Some((i, item)) = Some(next.fetch_add(1, Relaxed)).and_then(|i| Some((i, items.get(i)?))) {
            let result = work(item);
            done.lock().expect("no thread panics with it").push((i, result));
        }
    };
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(worker))));
    let mut done = done.into_inner().expect("no thread panics with it");
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

fn compile(root: &Path) {
    let target_os = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let os = env::var_os("CARGO_FEATURE_OS").is_some() && target_os != "none";
    let base = common(root, os);
    let tool = base.get_compiler();
    if tool.is_like_msvc() {
        panic!("rijn-sys: MSVC cannot compile the C sources; use a target with gcc or clang (x86_64-pc-windows-gnu)");
    }
    let compiler = if tool.is_like_clang() { "clang" } else { "gcc" };
    let said = tool.to_command().arg("-dumpversion").output().map(|done| done.stdout).unwrap_or_default();
    let said = String::from_utf8_lossy(&said).trim().to_owned();
    let version = said.split('.').next().unwrap_or_default();

    let files = files(&rows(root), architecture(), compiler, version, os);
    let objects = in_parallel(&files, |file| {
        let mut build = base.clone();
        for flag in &file.flags {
            // gcc 12 is the first that knows these two, and clang does without.
            if flag.starts_with("-mmove-max=") || flag.starts_with("-mstore-max=") {
                build.flag_if_supported(flag);
            } else {
                build.flag(flag);
            }
        }
        for name in &file.defines {
            build.define(name, None);
        }
        build.file(root.join("src").join(&file.path)).compile_intermediates()
    });
    base.clone().objects(objects.into_iter().flatten()).compile("rijn");

    // What tests compare with CMake's flags.
    let mut listing = String::new();
    for file in &files {
        writeln!(listing, "{} {} {}", file.path, file.flags.join(" "), file.defines.join(" ")).expect("a string");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("flags.txt"), listing).expect("OUT_DIR can be written");
    println!("cargo:rerun-if-changed={}", root.join("src").display());
    println!("cargo:rerun-if-changed={}", root.join("include").display());
    println!("cargo:include={}", root.join("include").display());
    println!("cargo:rustc-env=RIJN_SYS_ROOT={}", root.display());
    println!("cargo:rustc-env=RIJN_SYS_CC={}", cc::Build::new().get_compiler().path().display());
}
