/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * CTR, CBC, CFB, ECB and XTS as libcrypto calls them: off unless the configuration asks.
 *
 * What a call does is what the default provider's does, with these differences, all on the refusing side: XTS refuses
 * equal halves on decryption too; partial overlap of output and input is refused, and with ECB and CBC so is the same
 * place for both when bytes are held from the call before and more than a block comes out, because the output then runs
 * ahead of the input; ECB and CBC through EVP_Cipher take whole blocks only, and a text of theirs is over when its
 * padding was wrong; "num" of CTR can be set to 0 and to what it is, not to a place within a keystream never made.
 */
#include "modes.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <stddef.h>
#include <string.h>

#include "masks.h"
#include "params.h"
#include "pipe.h"

#define BLOCK 16u

static int fail(const struct modes *c, int err) { return RIJN_RAISE_ERR(c->prov, err); }

/* ---------------------------------------------------------------- contexts */

static void *modes_new(void *provctx, int alg, size_t key_len) {
  struct rijn_prov *prov = provctx;
  void *block;
  if (!rijn_prov_tested(prov, alg, key_len))
    return NULL;
  size_t size = offsetof(struct modes, key) + (alg == RIJN_ALG_XTS ? sizeof(rijn_xts_key) : sizeof(rijn_aes_key));
  struct modes *c = rijn_prov_alloc(prov, size, offsetof(struct modes, key), &block); /* the key is none yet */
  if (c == NULL)
    return NULL;
  c->prov = prov;
  c->block = block;
  c->size = size;
  c->alg = alg;
  c->key_len = key_len;
  c->iv_len = alg == RIJN_ALG_ECB ? 0 : BLOCK;
  c->pad = true;
  return c;
}

void rijn_prov_modes_free(void *vctx) {
  struct modes *c = vctx;
  if (c == NULL)
    return;
  rijn_pipe_cbc_drop(c);
  rijn_prov_free(c->prov, c->block, c, c->size);
}

void *rijn_prov_modes_dup(void *vctx) {
  const struct modes *c = vctx;
  void *block;
  struct modes *d = rijn_prov_alloc(c->prov, c->size, 0, &block);
  if (d == NULL)
    return NULL;
  memcpy(d, c, c->size);
  d->block = block;
  d->pipes = d->next = NULL; /* a copy has none */
  d->n_pipes = 0;
  return d;
}

static void use_iv(struct modes *c, const uint8_t *iv) {
  memmove(c->iv, iv, BLOCK);
  memcpy(c->ctr.ctr, c->iv, BLOCK);
  memcpy(c->cfb.iv, c->iv, BLOCK);
}

static int modes_set_params(void *vctx, const OSSL_PARAM params[]);

int rijn_prov_modes_init(struct modes *c, const uint8_t *key, size_t key_len, const uint8_t *iv, size_t iv_len,
                         const OSSL_PARAM params[], bool enc) {
  c->enc = enc;
  c->held_len = 0;
  c->cfb.used = 0;
  c->ctr.used = RIJN_CTR_SECRET; /* CT: it is one where libcrypto's generator or SSH asks */
  if (iv != NULL && c->iv_len != 0) {
    if (iv_len != c->iv_len)
      return RIJN_RAISEF(c->prov, RIJN_R_IV_LENGTH, "%zu bytes, not %zu", iv_len, c->iv_len);
    memcpy(c->first_iv, iv, iv_len);
    use_iv(c, iv);
    c->iv_set = true;
  } else if (c->iv_set && (c->alg == RIJN_ALG_CBC || c->alg == RIJN_ALG_CFB)) {
    use_iv(c, c->first_iv); /* as the default provider: they start over with the IV they had */
  }
  if (key != NULL) {
    if (key_len != c->key_len)
      return RIJN_RAISEF(c->prov, RIJN_R_KEY_LENGTH, "%zu bytes, not %zu", key_len, c->key_len);
    c->key_set = false;
    int err =
        c->alg == RIJN_ALG_XTS ? rijn_xts_init(&c->key.xts, key, key_len) : rijn_aes_init(&c->key.aes, key, key_len);
    if (err != RIJN_OK)
      return fail(c, err);
    c->key_set = true;
  }
  return params == NULL || modes_set_params(c, params);
}

static int modes_encrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv,
                              size_t iv_len, const OSSL_PARAM params[]) {
  return rijn_prov_modes_init(vctx, key, key_len, iv, iv_len, params, true);
}

static int modes_decrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv,
                              size_t iv_len, const OSSL_PARAM params[]) {
  return rijn_prov_modes_init(vctx, key, key_len, iv, iv_len, params, false);
}

/* ---------------------------------------------------------------- text */

/* Whole blocks of ECB or CBC, any length of CTR or CFB, a data unit of XTS. */
static int crypt(struct modes *c, uint8_t *out, const uint8_t *in, size_t len) {
  const rijn_aes_key *k = &c->key.aes;
  size_t nblk = len / BLOCK;
  int err;
  if ((c->alg == RIJN_ALG_ECB || c->alg == RIJN_ALG_CBC) && len % BLOCK != 0)
    return RIJN_RAISEF(c->prov, RIJN_R_LENGTH, "%zu bytes are not whole blocks", len);
  if (c->alg == RIJN_ALG_XTS && !c->iv_set)
    return RIJN_RAISE(c->prov, RIJN_R_NO_IV);
  switch (c->alg) {
  case RIJN_ALG_ECB:
    err = c->enc ? rijn_ecb_encrypt(k, out, in, nblk) : rijn_ecb_decrypt(k, out, in, nblk);
    break;
  case RIJN_ALG_CBC:
    err = c->enc ? rijn_cbc_encrypt(k, out, in, nblk, c->iv) : rijn_cbc_decrypt(k, out, in, nblk, c->iv);
    break;
  case RIJN_ALG_CTR:
    err = rijn_ctr_crypt(k, out, in, len, &c->ctr);
    memcpy(c->iv, c->ctr.ctr, BLOCK);
    break;
  case RIJN_ALG_CFB:
    err = (c->enc ? rijn_cfb_encrypt : rijn_cfb_decrypt)(k, out, in, len, &c->cfb);
    memcpy(c->iv, c->cfb.iv, BLOCK);
    break;
  default:
    err = c->enc ? rijn_xts_encrypt(&c->key.xts, out, in, len, c->iv)
                 : rijn_xts_decrypt(&c->key.xts, out, in, len, c->iv);
    break;
  }
  if (err != RIJN_OK)
    return fail(c, err);
  rijn_prov_count(c->alg, c->enc, len);
  return 1;
}

/* EVP_Cipher; and the update of CTR, CFB and XTS. */
static int modes_cipher(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                        size_t len) {
  struct modes *c = vctx;
  *out_len = 0;
  if (!c->key_set)
    return RIJN_RAISE(c->prov, RIJN_R_NO_KEY);
  if (out_size < len)
    return RIJN_RAISE(c->prov, RIJN_R_OUTPUT_TOO_SMALL);
  if (len != 0 && (out == NULL || in == NULL))
    return RIJN_RAISE(c->prov, RIJN_R_DATA);
  if (!crypt(c, out, in, len))
    return 0;
  *out_len = len;
  return 1;
}

static int stream_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                         size_t len) {
  const struct modes *c = vctx;
  if (len == 0 && c->alg != RIJN_ALG_XTS) {
    *out_len = 0;
    return c->key_set ? 1 : RIJN_RAISE(c->prov, RIJN_R_NO_KEY);
  }
  return modes_cipher(vctx, out, out_len, out_size, in, len);
}

static int stream_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size) {
  const struct modes *c = vctx;
  (void)out;
  (void)out_size;
  *out_len = 0;
  return c->key_set || c->alg == RIJN_ALG_XTS ? 1 : RIJN_RAISE(c->prov, RIJN_R_NO_KEY);
}

/* A record of CBC in TLS, in place. On encryption it is padded; on decryption it loses padding and MAC. */
static int tls_update(struct modes *c, uint8_t *out, size_t *out_len, size_t out_size, const uint8_t *in, size_t len) {
  if (in == NULL || in != out || out_size < len || !c->pad)
    return RIJN_RAISE(c->prov, RIJN_R_TLS_RECORD);
  if (c->enc) {
    size_t pad = BLOCK - len % BLOCK;
    if (out_size - len < pad)
      return RIJN_RAISE(c->prov, RIJN_R_OUTPUT_TOO_SMALL);
    memset(out + len, (int)pad - 1, pad);
    len += pad;
  }
  if (!crypt(c, out, in, len))
    return 0;
  if (!c->enc && !rijn_cbc_tls_open(c, out, &len))
    return RIJN_RAISE(c->prov, RIJN_R_TLS_RECORD);
  *out_len = len;
  return 1;
}

/* What is left of an input behind whole blocks. It is copied before out is written, as it may lie there. */
struct tail {
  uint8_t b[BLOCK];
  size_t n;
};

static void tail_take(struct tail *t, const unsigned char *in, size_t n) {
  t->n = n;
  memcpy(t->b, in, n);
}

/* Holds it, if ok, and wipes it. Answers ok. */
static int hold(struct modes *c, struct tail *t, int ok) {
  if (ok) {
    memcpy(c->held, t->b, t->n);
    c->held_len = t->n;
  }
  memset(t->b, 0, sizeof t->b);
  __asm__ volatile("" : : "r"(t->b) : "memory");
  return ok;
}

/* The block that was begun, and the others of the whole bytes. */
static int crypt_with_held(struct modes *c, unsigned char *out, const unsigned char *in, size_t len, size_t whole) {
  size_t take = BLOCK - c->held_len, rest = whole - BLOCK;
  /* WHY this check: the first block written covers bytes of in not yet read, when out is in and a part was held. */
  if (rest != 0 && (uintptr_t)out < (uintptr_t)in + len && (uintptr_t)in < (uintptr_t)out + whole &&
      out + BLOCK != in + take)
    return RIJN_RAISE(c->prov, RIJN_R_OVERLAP);
  memcpy(c->held + c->held_len, in, take);
  struct tail t;
  tail_take(&t, in + take + rest, len - take - rest);
  return hold(c, &t, crypt(c, out, c->held, BLOCK) && (rest == 0 || crypt(c, out + BLOCK, in + take, rest)));
}

/* ECB and CBC. With padding, decryption holds the last whole block back: it may be the one with the padding. */
int rijn_prov_modes_block_update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size,
                                 const unsigned char *in, size_t len) {
  struct modes *c = vctx;
  *out_len = 0;
  if (!c->key_set)
    return RIJN_RAISE(c->prov, RIJN_R_NO_KEY);
  if (c->tls_version != 0)
    return tls_update(c, out, out_len, out_size, in, len);
  if (len == 0)
    return 1;
  if (in == NULL)
    return RIJN_RAISE(c->prov, RIJN_R_DATA);
  bool hold_whole = !c->enc && c->pad;
  /* What this call can put out: all whole blocks, but the last one when it is held back. */
  size_t total_mod = (c->held_len + len % BLOCK) % BLOCK;
  if (len > SIZE_MAX - BLOCK)
    return RIJN_RAISE(c->prov, RIJN_R_LENGTH);
  size_t whole = c->held_len + len - total_mod;
  if (hold_whole && total_mod == 0)
    whole -= BLOCK;
  if (whole > out_size || (whole != 0 && out == NULL))
    return RIJN_RAISE(c->prov, RIJN_R_OUTPUT_TOO_SMALL);
  int ok = 1;
  if (whole == 0) {
    memcpy(c->held + c->held_len, in, len);
    c->held_len += len;
  } else if (c->held_len != 0) {
    ok = crypt_with_held(c, out, in, len, whole);
  } else {
    struct tail t;
    tail_take(&t, in + whole, len - whole);
    ok = hold(c, &t, crypt(c, out, in, whole));
  }
  if (ok)
    *out_len = whole;
  return ok;
}

int rijn_prov_modes_block_final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size) {
  struct modes *c = vctx;
  uint8_t block[BLOCK];
  *out_len = 0;
  if (!c->key_set)
    return RIJN_RAISE(c->prov, RIJN_R_NO_KEY);
  if (c->tls_version != 0)
    return RIJN_RAISE(c->prov, RIJN_R_TLS_RECORD);
  if (!c->pad && c->held_len == 0)
    return 1;
  if (c->enc) {
    size_t pad = BLOCK - c->held_len;
    if (!c->pad)
      return RIJN_RAISEF(c->prov, RIJN_R_LAST_BLOCK, "%zu bytes are left, and no padding", c->held_len);
    if (out_size < BLOCK || out == NULL)
      return RIJN_RAISE(c->prov, RIJN_R_OUTPUT_TOO_SMALL);
    memset(c->held + c->held_len, (int)pad, pad);
    if (!crypt(c, out, c->held, BLOCK))
      return 0;
    c->held_len = 0;
    *out_len = BLOCK;
    return 1;
  }
  if (c->held_len != BLOCK)
    return RIJN_RAISEF(c->prov, RIJN_R_LAST_BLOCK, "the text's last block has %zu bytes", c->held_len % BLOCK);
  if (!crypt(c, block, c->held, BLOCK))
    return 0;
  /* WHY whatever the verdict: the text is over. Another final would decipher its last block again, as if it came after
   * itself, and tell about that padding too; or, with padding turned off by then, hand the block out. */
  c->held_len = 0;
  /* SPEC: RFC 5652 section 6.3. Whether the padding is right is told to the caller, as the interface is: CBC and ECB
   * without authentication leak by that. The time, at least, does not say more: one branch on the verdict, and then the
   * length, which the caller gets. */
  size_t n = BLOCK;
  uint32_t bad = 0;
  if (c->pad) { /* else the last block was held back, and then padding was turned off */
    uint32_t pad = block[BLOCK - 1];
    bad = less(BLOCK, pad) | ~less(0, pad);
    for (uint32_t i = 0; i < BLOCK; i++)
      bad |= less(barrier(i), pad) & (block[BLOCK - 1 - i] ^ pad);
    n = BLOCK - pad;
  }
  int ok;
  if (bad != 0) {
    ok = RIJN_RAISE(c->prov, RIJN_R_PADDING);
  } else if ((out_size < BLOCK && out_size < n) ||
             (out == NULL && n != 0)) { /* CT: EVP says there is room for a block */
    ok = RIJN_RAISE(c->prov, RIJN_R_OUTPUT_TOO_SMALL);
  } else {
    if (out != NULL)
      memcpy(out, block, n);
    *out_len = n;
    ok = 1;
  }
  memset(block, 0, sizeof block);
  __asm__ volatile("" : : "r"(block) : "memory");
  return ok;
}

/* ---------------------------------------------------------------- parameters */

static int bad_param(const struct modes *c, const OSSL_PARAM *p) {
  return RIJN_RAISEF(c->prov, RIJN_R_GET_PARAM, "\"%s\"", p->key);
}

static int set_one(struct modes *c, const OSSL_PARAM *p) {
  unsigned u = 0;
  size_t n = 0;
  if (PARAM_IS(p, OSSL_CIPHER_PARAM_KEYLEN)) {
    if (!rijn_param_get_size(p, &n))
      return bad_param(c, p);
    if (n == c->key_len || c->alg == RIJN_ALG_XTS) /* XTS: as the default provider, without a word */
      return n == c->key_len;
    return RIJN_RAISEF(c->prov, RIJN_R_KEY_LENGTH, "%zu bytes, not %zu", n, c->key_len);
  }
  if (c->alg == RIJN_ALG_XTS)
    return 1;
  if (PARAM_IS(p, OSSL_CIPHER_PARAM_PADDING)) {
    if (!rijn_param_get_uint(p, &u))
      return bad_param(c, p);
    c->pad = u != 0;
  } else if (PARAM_IS(p, OSSL_CIPHER_PARAM_NUM)) {
    if (!rijn_param_get_uint(p, &u) || (c->alg == RIJN_ALG_CTR && u != 0 && u != c->ctr.used % BLOCK) ||
        (c->alg == RIJN_ALG_CFB && u >= BLOCK))
      return bad_param(c, p);
    if (c->alg == RIJN_ALG_CFB)
      c->cfb.used = u;
    if (c->alg == RIJN_ALG_CTR)
      c->ctr.used = u | RIJN_CTR_SECRET;
  } else if (PARAM_IS(p, OSSL_CIPHER_PARAM_TLS_VERSION)) {
    if (!rijn_param_get_uint(p, &u))
      return bad_param(c, p);
    c->tls_version = c->alg == RIJN_ALG_CTR || c->alg == RIJN_ALG_CFB ? 0 : u;
  } else if (PARAM_IS(p, OSSL_CIPHER_PARAM_TLS_MAC_SIZE)) {
    if (!rijn_param_get_size(p, &n) || n > MODES_MAX_TLS_MAC)
      return bad_param(c, p);
    c->tls_mac_size = n;
  }
  return 1;
}

static int modes_set_params(void *vctx, const OSSL_PARAM params[]) {
  struct modes *c = vctx;
  for (const OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++)
    if (!set_one(c, p))
      return 0;
  return 1;
}

static bool answer_tls_mac(const struct modes *c, OSSL_PARAM *p) {
  const void *mac = c->tls_mac;
  if (p->data_type != OSSL_PARAM_OCTET_PTR)
    return false;
  p->return_size = c->tls_mac_size;
  if (p->data != NULL)
    memcpy(p->data, &mac, sizeof mac);
  return true;
}

static int modes_get_params(void *vctx, OSSL_PARAM params[]) {
  const struct modes *c = vctx;
  for (OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++) {
    bool ok = true;
    if (PARAM_IS(p, OSSL_CIPHER_PARAM_KEYLEN))
      ok = rijn_param_set_u64(p, c->key_len);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_IVLEN))
      ok = rijn_param_set_u64(p, c->iv_len);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_PADDING))
      ok = rijn_param_set_u64(p, c->pad);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_NUM))
      ok = rijn_param_set_u64(p, c->alg == RIJN_ALG_CFB ? c->cfb.used : c->ctr.used % BLOCK);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_IV))
      ok = rijn_param_set_octets_or_ptr(p, c->first_iv, c->iv_len);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_UPDATED_IV))
      ok = rijn_param_set_octets_or_ptr(p, c->iv, c->iv_len);
    else if (PARAM_IS(p, OSSL_CIPHER_PARAM_TLS_MAC))
      ok = answer_tls_mac(c, p);
    if (!ok)
      return RIJN_RAISEF(c->prov, RIJN_R_SET_PARAM, "\"%s\"", p->key);
  }
  return 1;
}

static const OSSL_PARAM *modes_gettable(void *vctx, void *provctx) {
  static const OSSL_PARAM list[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, NULL),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, NULL, 0),
                                    OSSL_PARAM_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, NULL, 0),
                                    OSSL_PARAM_END};
  (void)vctx;
  (void)provctx;
  return list;
}

/* WHY the key's length for XTS alone: as with the default provider. Where it is listed libcrypto asks the provider
 * about any length, and else refuses a wrong one itself, by another error. */
static const OSSL_PARAM *xts_settable(void *vctx, void *provctx) {
  static const OSSL_PARAM list[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL), OSSL_PARAM_END};
  (void)vctx;
  (void)provctx;
  return list;
}

static const OSSL_PARAM *modes_settable(void *vctx, void *provctx) {
  static const OSSL_PARAM list[] = {OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, NULL),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_TLS_VERSION, NULL),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, NULL), OSSL_PARAM_END};
  (void)vctx;
  (void)provctx;
  return list;
}

#define MODES_CIPHER(name, bits, alg, evp_mode, key_bytes, block_bytes, iv_bytes, custom, update, final, settable,     \
                     ...)                                                                                              \
  static void *name##bits##_new(void *provctx) { return modes_new(provctx, alg, key_bytes); }                          \
  static int name##bits##_get_params(OSSL_PARAM params[]) {                                                            \
    static const struct rijn_cipher_info info = {evp_mode, key_bytes, block_bytes, iv_bytes, false, custom};           \
    return rijn_prov_cipher_params(params, &info);                                                                     \
  }                                                                                                                    \
  const OSSL_DISPATCH rijn_prov_##name##bits[] = {                                                                     \
      {OSSL_FUNC_CIPHER_NEWCTX, (void (*)(void))name##bits##_new},                                                     \
      {OSSL_FUNC_CIPHER_FREECTX, (void (*)(void))rijn_prov_modes_free},                                                \
      {OSSL_FUNC_CIPHER_DUPCTX, (void (*)(void))rijn_prov_modes_dup},                                                  \
      {OSSL_FUNC_CIPHER_ENCRYPT_INIT, (void (*)(void))modes_encrypt_init},                                             \
      {OSSL_FUNC_CIPHER_DECRYPT_INIT, (void (*)(void))modes_decrypt_init},                                             \
      {OSSL_FUNC_CIPHER_UPDATE, (void (*)(void))update},                                                               \
      {OSSL_FUNC_CIPHER_FINAL, (void (*)(void)) final},                                                                \
      {OSSL_FUNC_CIPHER_CIPHER, (void (*)(void))modes_cipher},                                                         \
      {OSSL_FUNC_CIPHER_GET_PARAMS, (void (*)(void))name##bits##_get_params},                                          \
      {OSSL_FUNC_CIPHER_GETTABLE_PARAMS, (void (*)(void))rijn_prov_cipher_gettable},                                   \
      {OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))modes_get_params},                                             \
      {OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))modes_gettable},                                          \
      {OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))modes_set_params},                                             \
      {OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))settable},                                                \
      __VA_ARGS__{0, NULL}}

#define CTR(bits)                                                                                                      \
  MODES_CIPHER(ctr, bits, RIJN_ALG_CTR, EVP_CIPH_CTR_MODE, bits / 8, 1, 16, false, stream_update, stream_final,        \
               modes_settable, )
#define CFB(bits)                                                                                                      \
  MODES_CIPHER(cfb, bits, RIJN_ALG_CFB, EVP_CIPH_CFB_MODE, bits / 8, 1, 16, false, stream_update, stream_final,        \
               modes_settable, )
#define CBC(bits)                                                                                                      \
  MODES_CIPHER(cbc, bits, RIJN_ALG_CBC, EVP_CIPH_CBC_MODE, bits / 8, 16, 16, false, rijn_prov_modes_block_update,      \
               rijn_prov_modes_block_final, modes_settable, PIPE_FUNCTIONS(cbc), )
#define ECB(bits)                                                                                                      \
  MODES_CIPHER(ecb, bits, RIJN_ALG_ECB, EVP_CIPH_ECB_MODE, bits / 8, 16, 0, false, rijn_prov_modes_block_update,       \
               rijn_prov_modes_block_final, modes_settable, )
#define XTS(bits)                                                                                                      \
  MODES_CIPHER(xts, bits, RIJN_ALG_XTS, EVP_CIPH_XTS_MODE, bits / 4, 1, 16, true, stream_update, stream_final,         \
               xts_settable, )

CTR(128);
CTR(192);
CTR(256);
CFB(128);
CFB(192);
CFB(256);
CBC(128);
CBC(192);
CBC(256);
ECB(128);
ECB(192);
ECB(256);
XTS(128);
XTS(256);
