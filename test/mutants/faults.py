# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The faults: what is changed where, what is compiled anew, and the test that must see it.

Most are faults that others have published (doc/faults.md). Those in templates are compiled into x86-aesni, and what that
has not, into sets with vectors of two and four blocks."""
from typing import NamedTuple


class Fault(NamedTuple):
    name: str
    file: str
    old: str
    new: str
    test: str
    compiled: tuple
    args: tuple = ()
    machine: str = ""  # another build than this one: a key of MACHINES in mutants.py
    needs: tuple = ()  # what the processor must have, as /proc/cpuinfo names it


AESNI = ("src/isa/x86_aesni.c",)
ON_AESNI = ("--impl", "x86-aesni")


def rule(name, file, old, new, test):
    path = "src/" + file
    return Fault(name, path, old, new, test, (path,))


def template(name, file, old, new, test):
    return Fault(name, "src/" + file, old, new, test, AESNI, ON_AESNI)


def vaes(isa, name, file, old, new, test):
    return Fault(name, "src/" + file, old, new, test, (f"src/isa/{isa}.c",), ("--impl", isa.replace("_", "-")),
                 needs=("vaes", "vpclmulqdq", *(("avx512vl", "avx512bw", "avx512dq") if "avx512" in isa else ())))


def portable(name, file, old, new, test):
    return Fault(name, "src/isa/" + file, old, new, test, ("src/isa/portable.c",), ("--impl", "portable"))


def command(name, file, old, new, test):
    shared = file in ("io.c", "output.c", "progress.c", "say.c", "signals.c")
    path = ("cmd/" if shared else "file/cmd/") + file
    return Fault(name, path, old, new, test, (path,))


def files(name, file, old, new, test):
    path = "file/" + file
    return Fault(name, path, old, new, test, (path,))


def provider(name, file, old, new, test):
    return Fault(name, "provider/" + file, old, new, test, ())


def foreign(machine, name, file, old, new, test):
    source = {"aarch64": "arm_ce", "ppc64le": "ppc_p8"}[machine]
    return Fault(name, "src/isa/" + file, old, new, test, (f"src/isa/{source}.c",),
                 ("--impl", source.replace("_", "-")), machine)


# File, what it says, and what it is to say.
UNENDED = ("file/engine.c", "if (!w->last || closed)", "if (!w->last || closed || o->rest == 0)")

FAULTS = [
    # ---- rules of the modes
    rule("tags of 11 bytes are taken", "gcm.c", "(n >= 12 && n <= 16)", "(n >= 11 && n <= 16)", "rules.errors_gcm"),
    rule("an empty nonce is taken", "gcm.c", "if (nonce_len == 0 || rijn_over(", "if (rijn_over(", "rules.errors_gcm"),
    rule("text beyond 2^36 - 32 bytes", "gcm.c", "if (rijn_over(len, RIJN_GCM_MAX_LEN))", "if (0)", "rules.errors_gcm"),
    Fault("overlap on the straight way", "src/gcm.h", "return d == 0 || (d >= len && -d >= len);", "return 1;",
          "rules.overlap", AESNI),
    rule("a forgery's text is handed out", "gcm.c", "if (err != RIJN_OK && len != 0)\n    memset(out, 0, len);",
         "", "gcm.forged"),
    rule("the counter carries beyond 32 bits", "gcm_stream.c",
         "rijn_store_be32(ctr + 12, rijn_load_be32(ctr + 12) + by);",
         "rijn_store_be64(ctr + 8, rijn_load_be64(ctr + 8) + by);", "gcm.nonces"),
    rule("the length of a nonce in bytes, not bits", "gcm_stream.c", "(uint64_t)nonce_len * 8", "(uint64_t)nonce_len",
         "gcm.nonces"),
    rule("the last byte of a tag is not compared", "gcm_stream.c", "rijn_ct_eq(r->chain.acc, tag, r->k->tag_len)",
         "rijn_ct_eq(r->chain.acc, tag, r->k->tag_len - 1u)", "gcm.forged"),
    rule("an extra block for associated data of whole blocks", "gcm_stream.c",
         "r->pending = r->aad_len % 16 != 0 ?",
         "r->pending = r->aad_len != 0 ?", "gcm.pieces"),
    rule("a short tag is written in full", "gcm_stream.c", "memcpy(tag + n - 8, r->chain.acc + n - 8, 8);",
         "memcpy(tag + 8, r->chain.acc + 8, 8);", "gcm.nonces"),
    rule("the key stream of a piece is used twice", "gcm_stream.c",
         "(end != 0 ? RIJN_NEXT_KEYSTREAM : 0u)", "0u", "rules.stream"),
    template("the counter of a block made ahead counts again", "mode/gcm_stream_t.h",
             "nblk + ahead)", "nblk)", "portable.kernels"),
    template("what is pending in a hash is lost", "mode/gcm_stream_t.h",
             "if (b->flags & RIJN_HASH_PENDING)", "if (b->flags & 4)", "portable.kernels"),
    rule("buffer lists of unequal length", "gcm_iov.c", " || len != total(l->out, l->out_n)", "", "rules.iov"),
    rule("a batch does not look at the size field", "gcm_batch.c", "if (msgs[i].size != sizeof(rijn_gcm_msg))",
         "if (0)",
         "rules.errors_esp"),
    rule("RFC 4106 takes any associated data", "ipsec.c",
         "return aad_len == 8 || aad_len == 12 ? RIJN_OK : RIJN_EAADLEN;",
         "return RIJN_OK;", "rules.errors_esp"),
    rule("equal halves of an XTS key", "xts.c", "half) != 0)", "half) == 1)", "rules.errors_modes"),
    rule("XTS under a block", "xts.c", "if (len < 16 || len", "if (len < 15 || len", "rules.errors_modes"),
    rule("sector numbers wrap", "xts.c", "|| span > UINT64_MAX - s->first", "", "modes.sectors"),
    rule("paddings of 17", "cbc.c", "rijn_ct_less(16, pad)", "rijn_ct_less(17, pad)", "rules.pkcs7"),
    rule("a padding's first byte is not looked at", "cbc.c", "bad |= rijn_ct_less(i, pad)",
         "bad |= rijn_ct_less(i + 1, pad)",
         "rules.pkcs7"),
    rule("text of an invalid padding is handed out", "cbc.c", "memset(out, 0, len);", "", "rules.pkcs7"),
    rule("CTR in pieces forgets what is used", "ctr.c", "st->used = (uint32_t)((used + n) % 16) |", "st->used =",
         "rules.pieces"),
    rule("CCM's associated data has its length in two bytes up to 0xffff", "ccm.c", "len < 0xff00", "len < 0xffff", "modes.ccm"),
    rule("CCM hands out a forgery's text", "ccm.c", "      memset(m->out, 0, m->len);", "      (void)m;", "modes.ccm"),
    rule("CCM takes a text that its nonce has no room for", "ccm.c", "8 * (15 - m->nonce_len))) - 1", "8 * (15 - m->nonce_len)))", "rules.errors_modes"),
    rule("CFB in pieces keeps keystream in place of ciphertext", "cfb.c", "dir == ENCRYPT ? to : from", "to", "modes.blocks"),
    rule("many texts of CBC forget how far one is", "cbc_many.c", "left[still] = left[i] - nblk;", "left[still] = left[i];", "modes.cbc_many"),
    rule("a closed set of features is left open", "policy.c", "if ((has & bases[i].base) != bases[i].base)", "if (0)",
         "portable.policy"),
    rule("Zen 5 has no row", "policy.c", "{AMD, 0x1a, LAST,", "{AMD, 0x1b, LAST,", "portable.policy"),
    rule("AES-GCM-SIV's tag keeps its top bit", "gcm_siv.c", "  w->acc[15] &= 0x7f;\n", "", "siv.messages"),
    rule("AES-GCM-SIV's counter keeps the tag's top bit", "gcm_siv.c", "  w->ctr[15] |= 0x80;\n", "", "siv.messages"),
    rule("AES-GCM-SIV's nonce is not in the tag", "gcm_siv.c", "w->acc[i] ^= nonce[i];", "w->acc[i] ^= 0;", "siv.known_answers"),
    rule("AES-GCM-SIV hands out a forgery's text", "gcm_siv.c", "  if (len != 0)\n    memset(out, 0, len);\n", "", "siv.messages"),
    rule("XAES's key has the same half twice", "xaes.c", "[16] = 0, 2, 'X'", "[16] = 0, 1, 'X'", "siv.known_answers"),
    rule("XAES's subkey is not reduced", "xaes.c", "& 0x87)", "& 0)", "siv.known_answers"),
    rule("XAES encrypts with the first half of the nonce", "xaes.c", "aad_len, nonce + 12, 12, tag);\n  else", "aad_len, nonce, 12, tag);\n  else",
         "siv.known_answers"),
    template("AES-GCM-SIV's lengths change places", "mode/siv_t.h", "(uint64_t)len << 3, (uint64_t)m->aad_len << 3",
             "(uint64_t)m->aad_len << 3, (uint64_t)len << 3", "siv.messages"),
    template("AES-GCM-SIV writes the tag before it reads the text", "mode/siv_t.h", "    b_store(w->raw, mine);\n",
             "    b_store(w->raw, mine);\n    b_store(tag, mine);\n", "siv.rules"),
    template("AES-GCM-SIV leaves a message's keys", "mode/siv_t.h",
             "  siv_seal(&w, &m, tag);\n  zero_stack_1152();\n  wipe(w.rk.b, offsetof(struct siv, h));\n",
             "  siv_seal(&w, &m, tag);\n  zero_stack_1152();\n", "portable.residue"),
    vaes("x86_vaes_avx512", "a key for one message has too few powers", "mode/gcm_once_t.h",
         "powers_for(aad_len / 16 + len / 16 + 4, POWERS)", "powers_for(aad_len / 16 + len / 16, POWERS)", "siv.messages"),
    rule("the end of a CTR text has the keystream's beginning again", "ctr.c", "    ks += 4;\n", "", "modes.ctr"),
    # ---- templates
    template("a forgery's text is handed out by the kernel", "mode/gcm_message_t.h", "memset(out, 0, len);", "", "gcm.forged"),
    template("a forgery's end is all that is wiped", "mode/gcm_message_t.h", "gcm_forged(t.out - (len - t.left), len)",
             "gcm_forged(t.out, t.left)", "gcm.forged"),
    template("the last pass of a message is not hashed", "mode/gcm_tail_plain_t.h", "left_deferred(packed) == LAST_PASS)", "0)", "gcm.lengths"),
    template("tags are compared in full", "mode/gcm_message_t.h", "b_differ(b_keep(mine, k->tag_len),", "b_differ(mine,",
             "gcm.nonces"),
    template("GHASH of a run begins with the next power", "mode/ghash_t.h", "h, N_POW - len / 16, p",
             "h, N_POW - len / 16 + 1, p", "gcm.lengths"),
    template("associated data in the sum begins with the power of its second block", "mode/gcm_message_t.h", "(first + 15 + lead) / 16",
             "(first + 15 + lead) / 16 + 1", "gcm.lengths"),
    vaes("x86_vaes_avx512", "associated data lies in the lane of a last sum's lengths", "mode/gcm_message_t.h", "n <= VECTOR_BYTES);",
         "n <= 32 * VECTOR_BLOCKS);", "gcm.lengths"),
    template("AES-192: the second step's constant", "mode/key_t.h", "expand_192_step(&a, &b, rcon << 1);",
             "expand_192_step(&a, &b, rcon);", "portable.kernels"),
    template("decryption keys in the wrong order", "mode/key_t.h", "b_aes_imc(b_load(rk + 16 * (rounds - r)))",
             "b_aes_imc(b_load(rk + 16 * r))", "modes.blocks"),
    template("CBC decryption takes the wrong block before", "mode/cbc_t.h", "prev = b_load(in + VECTOR_BYTES * n - 16);",
             "prev = b_load(in);", "modes.cbc_in_place"),
    template("CFB decryption adds the wrong block", "mode/cbc_t.h", "mode == CBC ? k : v_load(in + VECTOR_BYTES * j)", "mode == CBC ? k : v_load(in)", "modes.blocks"),
    template("CCM's text has one counter", "mode/ccm_t.h", "    counter = b_add128(counter, 1);\n", "", "modes.ccm"),
    template("CCM hashes what lies behind a decrypted text", "mode/ccm_t.h", "d = __builtin_expect(n == 16, 1) ? done : b_keep(done, n);", "d = done;", "modes.ccm"),
    template("many texts of CBC begin with one chaining value", "mode/cbc_t.h", "x[i] = b_load(s[i].iv));", "x[i] = b_load(s[0].iv));", "modes.cbc_many"),
    template("CTR's vectors that go together have one counter", "mode/ctr_t.h", "(uint64_t)(VECTOR_BLOCKS * i)", "(uint64_t)VECTOR_BLOCKS", "modes.ctr"),
    template("CTR carries beyond 32 bits", "mode/ctr_t.h", "return wide ? b_add128(a, n) : b_add32(a, (uint32_t)n);",
             "return b_add128(a, n);", "modes.ctr"),
    template("GCM's rows go on where an odd page ends", "mode/gcm_counters_t.h", "(page & 256 ? 256 : RIJN_COUNTERS)", "RIJN_COUNTERS",
             "gcm.lengths"),
    template("a page of GCM's table does not turn", "mode/gcm_passes_t.h", "g->delta = v_xor(g->delta, g->delta_step);", "",
             "gcm.lengths"),
    vaes("x86_vaes_avx512", "opened messages of several groups leave registers full", "mode/gcm_message_t.h", "  CLEAR_MIDDLE();\n", "",
         "portable.residue"),
    vaes("x86_vaes_avx2", "GCM's table stays on the stack", "mode/gcm_message_t.h", "  wipe(table, TABLE_BYTES);", "", "portable.residue"),
    vaes("x86_vaes_avx512_256", "a sum begins with the wrong power of the one before", "mode/gcm_tail_masked_t.h",
         "gf_mul_add(&tail->s, before, v_bcast_mem(tail->pow + 16)", "gf_mul_add(&tail->s, before, v_bcast_mem(tail->pow)", "gcm.lengths"),
    vaes("x86_vaes_avx512_zen", "a pass takes the halves of other powers", "mode/gcm_passes_t.h", "gf_halves_pair(h, hp, (size_t)j / 2)",
         "gf_halves_pair(h, hp, (size_t)j / 2 + 1)", "gcm.lengths"),
    vaes("x86_vaes_avx512_zen", "halves of powers begin too late", "mode/ghash_t.h", "i >= GF_FIRST_PAIR)", "i > GF_FIRST_PAIR)", "gcm.lengths"),
    vaes("x86_vaes_avx2", "the end of a text has counters from beyond their table", "mode/gcm_message_t.h",
         "c < RIJN_COUNTERS - TAIL_ROWS", "c < RIJN_COUNTERS + 30 - TAIL_ROWS", "gcm.lengths"),
    vaes("x86_vaes_avx512_zen4", "lanes with consecutive powers are not added up", "mode/ghash_t.h",
         "KEEP_LANES ? v_from128(v_fold128(a)) : a", "a", "gcm.lengths"),
    vaes("x86_vaes_avx512_zen4", "the last group but one is not hashed", "mode/gcm_tail_masked_t.h", "left_deferred(packed) == LAST_GROUP", "0",
         "gcm.lengths"),
    vaes("x86_vaes_avx512_zen4", "groups leave registers full that only they have", "isa/ops_x86_128.h",
         "REGS_20_23(c, op) REGS_24_27(c, op)\n#define REGS_TOP REGS_28_31", "REGS_20_23(c, op)\n#define REGS_TOP REGS_28_31", "portable.residue"),
    vaes("x86_vaes_avx512_zen4", "GCM's passes hold the round keys of another key length", "mode/gcm_passes_t.h",
         "k->rounds + i - 7ul", "10 + i - 7ul", "gcm.lengths"),
    vaes("x86_vaes_avx512_zen4", "XTS's passes hold the round keys of another key length", "mode/xts_t.h",
         "rk + 16 * (rounds + i - 9)", "rk + 16 * (10 + i - 9 + 0 * rounds)", "modes.xts"),
    vaes("x86_vaes_avx512_zen", "the middle term of two vectors with the powers the wrong way round", "mode/ghash_t.h",
         "v_halves2(x, y), v_halves2(p, q)", "v_halves2(x, y), v_halves2(q, p)", "gcm.lengths"),
    vaes("x86_vaes_avx512", "the first of a batch's two sums with the wrong power", "mode/batch_t.h",
         "f->pow[j] = t->tail.pow = batch_pow(k, 1, t->rest.left);",
         "f->pow[j] = (t->tail.pow = batch_pow(k, 1, t->rest.left)) + 16;", "gcm.batch"),
    vaes("x86_vaes_avx512", "a batch's text is hashed but for the group that waits", "mode/batch_t.h",
         "  }\n  batch_hash(t, d);\n}\n", "  }\n  t->tail.pow += BATCH_STEP;\n}\n", "gcm.batch"),
    vaes("x86_vaes_avx2", "a short message leaves what it put on the stack", "mode/gcm_message_t.h", "  ZERO_STACK_SHORT();", "    ;",
         "portable.residue"),
    template("a pass hashes less than it has", "mode/gcm_passes_t.h", "    p.hashed += PASS;\n",
             "", "gcm.lengths"),
    template("a page of CTR's counters does not end", "mode/ctr_t.h", "g.here = v_xor(g.here, g.delta_step);", "", "modes.ctr_pages"),
    template("counters behind a page's end have its rows alone", "mode/ctr_t.h", "v_xor(v_xor_and(before, past, v_load(over + VECTOR_BYTES * i)),",
             "v_xor(before,", "modes.ctr_pages"),
    template("a page of counters begins with its block", "mode/ctr_t.h", "to & ~UINT64_C(255)", "to", "modes.ctr_pages"),
    template("the next page of counters has no borrow", "mode/ctr_t.h", "hi -= lo < left;", ";", "modes.ctr_pages"),
    template("CTR keeps its table when byte 10 changes", "mode/ctr_t.h", "b_differ(b_keep(first, 11), b_keep(next, 11))", "0",
             "modes.ctr_pages"),
    template("CTR's table stays on the stack", "mode/ctr_t.h", "  wipe((uint8_t *)&p, sizeof p);", "", "portable.residue"),
    template("a call for one block of CTR leaves its registers full", "mode/ctr_t.h",
             "b_load(in)));\n  CLEAR_UNRESERVED();", "b_load(in)));", "portable.residue"),
    vaes("x86_vaes_avx512", "CTR's passes with a table leave registers full", "mode/ctr_t.h", "  CLEAR_REST();", "  ;",
         "portable.residue"),
    template("ciphertext stealing with one tweak", "mode/xts_t.h", "b_load(in), dir == ENCRYPT ? t : t2,", "b_load(in), t,",
             "modes.xts"),
    template("a tweak's carry is lost", "isa/ops_x86_modes.h", "_mm_set_epi32(0, 1, 0, 0x87)",
             "_mm_set_epi32(0, 1, 0, 0x86)",
             "modes.xts_tweaks"),
    template("XTS tweaks stay on the stack", "mode/xts_t.h", "  wipe(rings, sizeof rings);", "", "portable.residue"),
    template("GHASH leaves its registers full", "mode/gcm_stream_t.h",
             "b_store(acc, b_bswap(ghash_bytes(h, b_bswap(b_load(acc)), in, 16 * nblk)));\n  CLEAR_REGS();",
             "b_store(acc, b_bswap(ghash_bytes(h, b_bswap(b_load(acc)), in, 16 * nblk)));", "portable.residue"),
    template("ECB leaves its registers full", "mode/ecb_t.h",
             "16 * nblk);\n  }\n  CLEAR_UNRESERVED();", "16 * nblk);\n  }", "portable.residue"),
    # ---- portable
    portable("GHASH: one shift of the reduction", "portable_ghash.h", "v[i] << 63 ^ v[i] << 62 ^ v[i] << 57",
             "v[i] << 63 ^ v[i] << 62 ^ v[i] << 56", "portable.kernels"),
    portable("CTR: the carry into the upper half", "portable.c", "(lo & ~sum) >> 63 : 0;", "(lo & ~sum) >> 62 : 0;",
             "modes.ctr"),
    portable("XTS: the tweak's polynomial", "portable.c", "& 0x87;", "& 0x07;", "modes.xts_tweaks"),
    portable("the stack is not burnt", "portable.c", "uint8_t frame[BURN];\n  rijn_wipe(frame, sizeof frame);", "",
             "portable.residue"),
    # ---- the OpenSSL provider
    provider("a context's memory is freed as it is", "support.c", "  rijn_prov_wipe(used, size);\n", "", "provider.wipe"),
    provider("a text deciphered once more stays on the stack", "gcm_text.c", "  rijn_prov_wipe(text, len);\n  return ok;", "  return ok;", "provider.wipe"),
    provider("a record's MAC stays on the stack", "cbc_tls.c", "  memset(turned, 0, sizeof turned);\n", "", "provider.wipe"),
    provider("text held for the next call stays on the stack", "modes.c",
             "  memset(t->b, 0, sizeof t->b);\n  __asm__ volatile(\"\" : : \"r\"(t->b) : \"memory\");\n", "", "provider.wipe"),
    provider("associated data of AES-GCM-SIV stays for the next message", "gcm_siv.c",
             "static void begin(struct siv *c) {\n  drop_aad(c);\n", "static void begin(struct siv *c) {\n", "provider.siv"),
    provider("a second text of AES-GCM-SIV is taken", "gcm_siv.c", "  if (c->phase == TEXT && !c->speed) {\n    spoil(c); /*",
             "  if (0) {\n    spoil(c); /*", "provider.siv"),
    provider("a verdict of AES-GCM-SIV is another tag's", "gcm_siv.c", "  if (memcmp(c->tag, p->data, TAG_LEN) != 0)\n    c->authentic = false;\n", "",
             "provider.siv"),
    provider("a self-test that failed does not stop the cipher", "support.c", "    return broken(prov, impl);", "    (void)broken(prov, impl);",
             "provider.load"),
    provider("an unknown word of the configuration is passed over", "config.c", "    if (i == RIJN_ALG_COUNT)\n      return RIJN_RAISEF(",
             "    if (i == RIJN_ALG_COUNT) {\n      s += n;\n      continue;\n    }\n    if (0)\n      return RIJN_RAISEF(", "provider.load"),
    provider("a copied context's key changes with the other's", "gcm_state.c", "if (k == NULL || !key_is_ours_alone(k)) {", "if (k == NULL) {", "provider.shared"),
    provider("associated data after text is left out", "gcm_text.c", "  if (c->text_begun) {\n    rijn_gcm_ctx_spoil(c);\n", "  if (c->text_begun) {\n", "provider.own"),
    provider("another tag than the one that was checked is not looked at", "gcm_ctx.c", "    c->checked = false;\n", "    ;\n", "provider.ended"),
    provider("a forgery is told as a fault", "gcm.c", "  if (err == RIJN_EAUTH)\n    return 0;\n", "", "provider.errors"),
    provider("an IV is generated under which this key has encrypted", "gcm_tls.c", "if (c->enc && c->iv_spent)", "if (0)", "provider.ended"),
    provider("the counter of a nonce carries into the fixed part", "gcm_tls.c", "i < RIJN_TLS_EXPLICIT; i++", "i < c->iv_len; i++", "provider.gcm"),
    provider("the counter of TLS 1.2 starts at what was there", "gcm_tls.c", "if (c->enc && !rijn_prov_random(c->iv + len, c->iv_len - len))", "if (0)", "provider.own"),
    provider("a record's tag is compared to the length of the message before", "gcm_tls.c", "  if (!rijn_gcm_ctx_tag_len(c, GCM_TAG))\n    return 0;\n", "", "provider.ended"),
    provider("a byte of a record's padding is not looked at", "cbc_tls.c", "good &= less(pad, barrier(i)) |", "good &= less(pad, barrier(i + 1)) |", "provider.tls"),
    provider("a record's padding may reach into the MAC", "cbc_tls.c", "~less(rec_len, (uint32_t)n + 1 + pad)", "~less(rec_len, (uint32_t)n + pad)", "provider.tls"),
    provider("a record of CBC is taken that is not in place", "modes.c", "if (in == NULL || in != out || out_size < len || !c->pad)",
             "if (in == NULL || out_size < len || !c->pad)", "provider.tls"),
    provider("a record's MAC is not turned back", "cbc_tls.c", "uint32_t from = shift + j, byte = 0;", "uint32_t from = j, byte = 0;", "provider.tls"),
    provider("a text whose padding was wrong is not over", "modes.c",
             "   * itself, and tell about that padding too; or, with padding turned off by then, hand the block out. */\n  c->held_len = 0;\n",
             "   * itself, and tell about that padding too; or, with padding turned off by then, hand the block out. */\n", "provider.modes"),
    provider("the first byte of a padding is not looked at by the provider", "modes.c", "bad |= less(barrier(i), pad) &", "bad |= less(barrier(i + 1), pad) &", "provider.modes"),
    provider("output runs ahead of input", "modes.c", "if (rest != 0 && (uintptr_t)out <", "if (0 && (uintptr_t)out <", "provider.modes"),
    provider("CBC starts over with the IV where the text before ended", "modes.c", "use_iv(c, c->first_iv); /* as", "; /* as", "provider.modes"),
    # ---- the command
    files("the place of a chunk is not in its nonce", "message.c", "nonce[11 - k] ^= (uint8_t)(number >> (8 * k));",
          "nonce[11 - k] ^= 0;", "cmd.damage"),
    # ---- for the methods: each has a fault here, or plants one in its own test
    rule("the lengths in the last block change places", "gcm_stream.c",
         "r->aad_len, r->text_len,", "r->text_len, r->aad_len,", "vectors.wycheproof"),
    rule("part of a block is read as a whole one", "gcm_stream.c",
         "for (; n != 0; n--)\n    *acc++ ^= *p++;",
         "for (size_t i = 0; i < 4; i++)\n    if (((const volatile uint8_t *)p)[i] && i < n)\n      acc[i] ^= p[i];",
         "gcm.guard_calls"),
    template("XTS reads the bytes to steal as a whole block", "mode/xts_t.h", "b_down(b_load(in + n), 16 - n)",
             "b_keep(b_load(in + 16), n)", "modes.guard"),
    rule("decryption completes a short tag where it lies", "gcm_stream.c",
         "uint32_t equal = rijn_ct_eq(r->chain.acc, tag, r->k->tag_len);",
         "uint32_t equal = rijn_ct_eq(r->chain.acc, tag, r->k->tag_len);\n  memcpy((void *)(uintptr_t)tag, r->chain.acc, 16);",
         "gcm.guard_calls"),
    Fault("a number of blocks in 32 bits", "src/ctr.c", "size_t nblk = len / 16;", "size_t nblk = (uint32_t)len / 16;",
          "modes.big", ("src/ctr.c",), ON_AESNI),
    rule("a piece behind one byte of a block starts a new one", "gcm_stream.c",
         "if (place != 0 && len != 0) {\n    size_t n = len < 16 - place ? len : 16 - place;\n    stream_crypt_part",
         "if (place > 1 && len != 0) {\n    size_t n = len < 16 - place ? len : 16 - place;\n    stream_crypt_part",
         "portable.cuts"),
    Fault("a feature counts though its registers are not saved", "src/cpu.c",
          "(xcr0 & bits[i].xcr0) == bits[i].xcr0)", "(xcr0 & bits[i].xcr0 & 6) == (bits[i].xcr0 & 6))",
          "portable.osstate", ("test/portable/osstate.c",)),
    Fault("a needed feature is not asked for", "src/impl.c", "if (rijn_impls[i]->needs & ~cpu.has)",
          "if (rijn_impls[i]->needs & ~cpu.has & ~(UINT64_C(1) << RIJN_CPU_AESNI_BIT))", "portable.hide",
          ("src/impl.c",)),
    Fault("a write behind a block on the stack", "src/gcm_stream.c",
          "uint8_t end[32] = {0};\n  size_t rest", "uint8_t end[28] = {0};\n  size_t rest", "gcm.nonces", (), (),
          "asan"),
    Fault("the choice is stored without an atomic operation", "src/impl.c",
          "__atomic_store_n(&state, word, __ATOMIC_RELAXED);", "state = word;", "portable.threads", (), (), "tsan"),
    foreign("aarch64", "Arm: a tweak's carry is lost", "ops_arm.h", "b_set64(1, 0x87)", "b_set64(1, 0x86)",
            "modes.xts_tweaks"),
    foreign("ppc64le", "POWER: the hash's reduction", "ops_ppc.h",
            "INLINE b_t b_gf_fold(b_t a) { return b_xor(b_swap(a), b_pmsum(a, b_set64(0, 0xc200000000000000u))); }",
            "INLINE b_t b_gf_fold(b_t a) { return b_xor(b_swap(a), b_pmsum(a, b_set64(0, 0xc300000000000000u))); }",
            "gcm.known_answers"),
    Fault("sectors that overlap", "src/xts.c",
          "return rijn_alias_ok(out, in, s->n * s->size) ? RIJN_OK : RIJN_EOVERLAP;", "return RIJN_OK;",
          "fuzz.calls", (), ("--runs", "20000")),
    Fault("a file may end behind a whole chunk", *UNENDED, "fuzz.file", (), ("--runs", "15000")),
    Fault("a file may end behind a whole chunk, for AFL++", *UNENDED, "fuzz.afl", (), ("--runs", "40000")),
]

# What a fault shows to work: the methods of doc/trust.md that do not plant a fault of their own each time they run, as
# those of ct, abi, frame and cmd.residue do. A build for another machine or with a sanitizer is a method of its own.
METHODS = {
    "published answers": ("vectors.", "gcm.known_answers", "siv.known_answers"),
    "comparison with others": ("gcm.lengths", "gcm.nonces", "gcm.pieces", "gcm.batch", "modes.", "portable.kernels", "siv.messages"),
    "cut points, features": ("portable.cuts", "portable.hide", "portable.osstate", "portable.policy"),
    "fuzzing": ("fuzz.",),
    "guard pages, great lengths": ("gcm.guard", "modes.guard", "modes.big"),
    "refusals": ("rules.", "gcm.forged", "siv.rules", "cmd.damage"),
    "residue": ("portable.residue",),
    "the OpenSSL provider": ("provider.",),
    "address sanitizer": ("asan",),
    "thread sanitizer": ("tsan",),
    "emulated Arm": ("aarch64",),
    "emulated POWER": ("ppc64le",),
}


def method(fault):
    """The one whose beginning is the longest."""
    what = fault.machine or fault.test
    found = [(len(start), name) for name, starts in METHODS.items() for start in starts if what.startswith(start)]
    return max(found)[1]
