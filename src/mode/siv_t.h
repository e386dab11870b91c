/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: AES-GCM-SIV (RFC 8452), a whole message. Parameters: those of ghash_t.h, modes_t.h and clean_t.h. Needs
 * POLYVAL (ghash_t.h), the key schedule (key_t.h), and the rounds of modes_t.h.
 *
 *     key and nonce   ->   H of POLYVAL, message key             siv_keys: six blocks of AES (section 4)
 *     H               ->   as many powers as this message takes  powers_once
 *     POLYVAL         of   associated data, text, lengths        siv_hash (section 4; the plaintext is hashed)
 *     tag             =    E(hash + nonce, without its top bit)  siv_tag
 *     ciphertext      =    text + keystream of the tag on        siv_text
 *
 * Encryption needs the tag before it has the first counter, so that it goes over the text twice: AES cannot run beside
 * the multiplies of its own message. Decryption has the tag from the start.
 *
 * Powers. H is new with each nonce, so unused powers would be wasted work. siv_reach says how many are made; a group of
 * the hash has as many blocks, and ends with a reduction; long runs are done by gf_bytes, which
 * needs all powers.
 *
 * SPEC: the counter is the first four bytes of a block, the lowest byte first, and wraps within these (section
 * 4). Of a block as POLYVAL's integer (gf_int) that is the lowest 32 bits: v_add32.
 * CT: the tag is public, hence the counter. Lengths are.
 */

/* What lies on the stack of a call: all of it is secret, and wiped. */
struct siv {
  struct rijn_rk rk;           /* message-encryption key */
  uint8_t raw[32], unused[48]; /* what it is made of; unused: h is aligned to a vector (T-284) */
  struct rijn_hpow h;
};
_Static_assert(offsetof(struct siv, h) % (VECTOR_BYTES) == 0, "h is aligned, and all before it is whole vectors");

struct siv_message {
  const struct rijn_enc *k;
  struct text text;
  const uint8_t *aad;
  size_t aad_len;
  const uint8_t *nonce;
};

/* SPEC: RFC 8452 section 4. Six blocks, the first four bytes counting from 0, the others the nonce, are encrypted;
 * their first halves are used. Two of them are H, and the next two, three or four the message key. All six are
 * made, also for a shorter key: six blocks side by side take no longer than four. Returns H, an integer. */
INLINE b_t siv_keys(struct siv *w, const struct siv_message *m) {
  const uint8_t *rk = m->k->rk.b;
  b_t x[9], nonce = b_up(b_load12(m->nonce), 4), k = b_load(rk);
  EACH(i, 6, x[i] = b_aes_first(b_xor(nonce, b_le64(i)), k));
  b_loop(x, &k, &rk, m->k->rounds, 6, ENCRYPT);
  b_t last = b_load(rk);
  EACH(i, 6, x[i] = b_aes_last(x[i], k, last));
  b_store(w->raw, b_lo_lo(x[2], x[3]));
  b_store(w->raw + 16, b_lo_lo(x[4], x[5]));
  return GF_LITTLE(b_lo_lo(x[0], x[1]));
}

/* How many powers a message of nblk blocks has: all it can use if it is short; and if it is not, as many as are worth
 * their making (T-283). */
enum { SIV_SOME = 8 * VECTOR_BLOCKS > 16 ? 8 * VECTOR_BLOCKS : 16, SIV_MANY = VECTOR_BLOCKS == 4 ? 160 : 96 };
_Static_assert(SIV_SOME % POWERS_STEP == 0 && SIV_SOME >= 2 * VECTOR_BLOCKS, "not all");
INLINE int siv_reach(size_t nblk) { return nblk >= SIV_MANY ? POWERS : powers_for(nblk, SIV_SOME); }
NOINLINE b_t siv_bytes(const struct rijn_hpow *h, b_t acc, const uint8_t *p, size_t len) {
  return gf_bytes(h, acc, p, len, POLYVAL);
}

/* A hash under way: a group's sum, what is to be added to its next block, the place of that block's power, and how many
 * blocks are to come. */
typedef struct {
  sum_t s;
  b_t acc;
  size_t at, left;
  int reach;
} siv_hash_t;
/* The end of a group, and the start of one. */
INLINE void siv_begin_sum(siv_hash_t *g) { g->at = (size_t)N_POW - size_min(g->left, (size_t)g->reach); }
INLINE void siv_end_sum(siv_hash_t *g) {
  g->acc = v_fold128(gf_reduce(g->s));
  g->s = gf_zero();
  siv_begin_sum(g);
}
INLINE void siv_block(siv_hash_t *g, const struct rijn_hpow *h, b_t x) {
  gf_mul_add_powers(&g->s, v_from128(b_xor(g->acc, x)), h, g->at);
  g->acc = b_zero();
  g->at++;
  g->left--;
  if (g->at == N_POW && g->left)
    siv_end_sum(g);
}
/* len bytes and zeros up to a block. */
INLINE void siv_padded(siv_hash_t *g, const struct rijn_hpow *h, const uint8_t *p, size_t len) {
  for (size_t nblk = len / 16, n; nblk; nblk -= n, p += 16 * n) {
    const int fresh = g->at == N_POW - (size_t)g->reach;
    n = size_min(nblk, N_POW - g->at);
    if (fresh && g->reach == POWERS && nblk > POWERS) {
      n = nblk;
      g->acc = siv_bytes(h, g->acc, p, 16 * n);
      g->left -= n;
      siv_begin_sum(g);
      continue;
    }
    gf_mul_add_bytes(&g->s, v_from128(g->acc), h, g->at, p, 16 * n, POLYVAL);
    g->acc = b_zero();
    g->at += n;
    g->left -= n;
    if (g->at == N_POW)
      siv_end_sum(g);
  }
  if (len % 16)
    siv_block(g, h, GF_LITTLE(b_load_part(p, len % 16)));
}
/* The hash of all, an integer. One copy of the code takes both runs of bytes. */
INLINE b_t siv_hash(const struct siv *w, const struct siv_message *m, const uint8_t *text, int reach) {
  const size_t len = m->text.left;
  siv_hash_t g = {gf_zero(), b_zero(), 0, (m->aad_len + 15) / 16 + (len + 15) / 16 + 1, reach};
  siv_begin_sum(&g);
  const uint8_t *p = m->aad;
  size_t n = m->aad_len;
  for (int last = 0;; last = 1) {
    siv_padded(&g, &w->h, p, n);
    if (last)
      break;
    p = text;
    n = len;
  }
  gf_mul_add_powers(&g.s, v_from128(b_xor(g.acc, b_set64((uint64_t)len << 3, (uint64_t)m->aad_len << 3))), &w->h,
                    N_POW - 1);
  return v_fold128(gf_reduce(g.s));
}
/* SPEC: section 4: the nonce is added to the first twelve bytes, and the top bit of the last one is cleared. */
INLINE b_t siv_tag(const struct siv *w, b_t hash, const uint8_t *nonce, unsigned rounds) {
  b_t low = b_set64(0x7fffffffffffffffu, ~UINT64_C(0));
  b_t x = b_and(b_xor(hash, GF_LITTLE(b_load12(nonce))), low);
  return b_encrypt(GF_LITTLE(x), w->rk.b, rounds);
}

/* c vectors of text from the counters cv on, or if c is 1 n bytes, at most a vector. Returns the next counters. */
INLINE v_t siv_vectors(const uint8_t *rk, unsigned rounds, struct text *t, size_t n, v_t cv, const int c) {
  v_t x[MODE_ROOM], k = v_bcast_mem(rk);
  EACH(i, c, x[i] = i ? v_add32(cv, v_bcast(b_int(VECTOR_BLOCKS * i))) : cv; x[i] = v_aes_first(GF_LITTLE(x[i]), k));
  aes_middle_rounds(x, &k, &rk, rounds, c, ENCRYPT);
  v_t k_last = v_bcast_mem(rk);
  if (c == 1)
    v_store_part(t->out, v_aes_last_xor(x[0], k, k_last, v_load_part(t->in, n)), n);
  else
    EACH(i, c, v_store(t->out + VECTOR_BYTES * i, v_aes_last_xor(x[i], k, k_last, v_load(t->in + VECTOR_BYTES * i))));
  text_skip(t, n);
  return v_add32(cv, v_bcast(b_int(VECTOR_BLOCKS * c)));
}
/* All of the text, its keystream beginning with the tag whose top bit is set. */
INLINE void siv_text(const struct siv *w, struct text *t, b_t tag, unsigned rounds) {
  b_t low = b_set64(0x7fffffffffffffffu, ~UINT64_C(0)), top = b_set64(UINT64_C(1) << 63, 0);
  v_t cv = v_add32(v_bcast(b_xor(b_and(GF_LITTLE(tag), low), top)), v_lanes(0));
  while (t->left >= MODE_BYTES)
    cv = siv_vectors(w->rk.b, rounds, t, MODE_BYTES, cv, MODE_VECTORS);
  while (t->left) {
    if (t->left >= MODE_FEW * VECTOR_BYTES)
      cv = siv_vectors(w->rk.b, rounds, t, MODE_FEW * VECTOR_BYTES, cv, MODE_FEW);
    else if (t->left >= 2 * VECTOR_BYTES)
      cv = siv_vectors(w->rk.b, rounds, t, 2 * VECTOR_BYTES, cv, 2);
    else
      cv = siv_vectors(w->rk.b, rounds, t, size_min(t->left, VECTOR_BYTES), cv, 1);
  }
}

/* The body of a call. tag is written, or compared: not 0 if it differs. */
INLINE uint32_t siv_crypt(struct siv *w, const struct siv_message *m, uint8_t *tag, const enum direction dir) {
  const unsigned rounds = m->k->rounds;
  struct text t = m->text;
  const int reach = siv_reach((m->aad_len + 15) / 16 + (t.left + 15) / 16 + 1);
  b_t h1 = siv_keys(w, m);
  powers_once(&w->h, h1, reach); /* before the round keys, which they do not wait for (T-282) */
  expand_any(w->rk.b, w->raw, rounds);
  uint32_t differ = 0;
  if (dir == DECRYPT)
    siv_text(w, &t, b_load(tag), rounds);
  b_t mine = siv_tag(w, siv_hash(w, m, dir == ENCRYPT ? m->text.in : m->text.out, reach), m->nonce, rounds);
  if (dir == ENCRYPT) { /* the tag is stored last: it may lie in the text that is read */
    b_store(w->raw, mine);
    siv_text(w, &t, mine, rounds);
    b_store(tag, b_load(w->raw));
  } else {
    differ = b_differ(mine, b_load(tag));
  }
  return differ;
}
NOINLINE void siv_seal(struct siv *w, const struct siv_message *m, uint8_t *tag) {
  siv_crypt(w, m, tag, ENCRYPT);
  CLEAR_REGS();
  clear_parts();
}
NOINLINE uint32_t siv_open(struct siv *w, const struct siv_message *m, const uint8_t *tag) {
  uint8_t copy[16];
  b_store(copy, b_load(tag));
  uint32_t differ = siv_crypt(w, m, copy, DECRYPT);
  __asm__ volatile("" : "+r"(differ)); /* known before the registers are cleared */
  CLEAR_REGS();
  clear_parts();
  return differ;
}

static int siv_encrypt(const struct rijn_enc *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                       size_t aad_len, const uint8_t *nonce, uint8_t *tag) {
  _Alignas(VECTOR_BYTES) struct siv w; /* whole vectors in their lines (T-284) */
  struct siv_message m = {k, {out, in, len}, aad, aad_len, nonce};
  siv_seal(&w, &m, tag);
  zero_stack_1152();
  wipe(w.rk.b, offsetof(struct siv, h));
  wipe_powers(&w.h, siv_reach((aad_len + 15) / 16 + (len + 15) / 16 + 1));
  return 0;
}
static int siv_decrypt(const struct rijn_enc *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                       size_t aad_len, const uint8_t *nonce, const uint8_t *tag) {
  _Alignas(VECTOR_BYTES) struct siv w; /* whole vectors in their lines (T-284) */
  struct siv_message m = {k, {out, in, len}, aad, aad_len, nonce};
  uint32_t differ = siv_open(&w, &m, tag);
  zero_stack_1152();
  wipe(w.rk.b, offsetof(struct siv, h));
  wipe_powers(&w.h, siv_reach((aad_len + 15) / 16 + (len + 15) / 16 + 1));
  return differ ? gcm_forged(out, len) : 0;
}

/* The kernels' fields in struct rijn_impl. */
#define SIV_KERNELS .siv_encrypt = siv_encrypt, .siv_decrypt = siv_decrypt
