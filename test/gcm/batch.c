/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Batches of every shape: each message must come out as by itself, a forged one be zeros and leave the others alone,
 * and no byte be touched that is not the message's. All buffers lie at a guard page; what may only be read is
 * read-only.
 */
#include "t.h"

enum { MOST = 37, MAX_LEN = 2300, MAX_AAD = 40, KEYS = 10 };

/* One message with all it points to. */
struct item {
  t_buf in_b, out_b, aad_b, nonce_b, tag_b;
  uint8_t text[MAX_LEN], want[MAX_LEN], want_tag[16];
  size_t key, tag_len;
  bool in_place, forged;
};
static struct item items[MOST];
static t_buf keys_b, msgs_b;
static rijn_gcm_key *keys, plain_keys[KEYS]; /* of the implementation under test, and of portable */
static rijn_gcm_msg *msgs;

/* Keys 0 to 3 differ in nothing but their bytes; then other sizes and tags. */
static void make_keys(int impl) {
  static const size_t sizes[KEYS] = {16, 16, 16, 16, 32, 32, 24, 16, 32, 16};
  static const size_t tag_lens[KEYS] = {16, 16, 16, 16, 16, 16, 16, 12, 4, 13};
  uint8_t raw[32];
  t_readonly(&keys_b, false);
  keys = (rijn_gcm_key *)(void *)t_end(&keys_b, sizeof *keys * KEYS);
  for (size_t i = 0; i < KEYS; i++) {
    t_fill(raw, sizeof raw);
    CHECK_EQ(rijn_gcm_init_impl(&keys[i], raw, sizes[i], tag_lens[i], impl), RIJN_OK);
    CHECK_EQ(rijn_gcm_init_impl(&plain_keys[i], raw, sizes[i], tag_lens[i], t_portable()), RIJN_OK);
  }
  t_readonly(&keys_b, true);
}

static uint8_t *place(const t_buf *b, size_t n, bool at_end) { return at_end ? t_end(b, n) : t_start(b, 0); }

static void set(size_t i, size_t key, size_t len, size_t aad_len, size_t nonce_len, bool at_end, bool in_place) {
  struct item *it = &items[i];
  it->key = key;
  it->tag_len = rijn_gcm_tag_len(&keys[key]);
  it->in_place = in_place;
  uint8_t *in = place(&it->in_b, len, at_end), *out = in_place ? in : place(&it->out_b, len, at_end);
  msgs[i] = (rijn_gcm_msg){.size = sizeof(rijn_gcm_msg),
                           .key = &keys[key],
                           .out = out,
                           .in = in,
                           .len = len,
                           .aad = aad_len == 0 && at_end ? NULL : place(&it->aad_b, aad_len, at_end),
                           .aad_len = aad_len,
                           .nonce = place(&it->nonce_b, nonce_len, at_end),
                           .nonce_len = nonce_len,
                           .tag = place(&it->tag_b, it->tag_len, at_end),
                           .result = 77};
  t_fill(it->text, len);
  if (aad_len != 0)
    t_fill(place(&it->aad_b, aad_len, at_end), aad_len);
  t_fill(place(&it->nonce_b, nonce_len, at_end), nonce_len);
  t_readonly(&it->aad_b, true);
  t_readonly(&it->nonce_b, true);
  CHECK_EQ(rijn_gcm_encrypt(&plain_keys[key], it->want, it->text, len, msgs[i].aad, aad_len, msgs[i].nonce, nonce_len,
                            it->want_tag),
           RIJN_OK);
}

/* Encrypts and decrypts the first n, one in forge_every of them forged (0: none), or that at forge_at. */
enum { NOWHERE = MOST };
static void run(size_t n, size_t forge_every, size_t forge_at) {
  size_t forged = 0;
  for (int dec = 0; dec < 2; dec++) {
    for (size_t i = 0; i < n; i++) {
      struct item *it = &items[i];
      const t_buf *ob = it->in_place ? &it->in_b : &it->out_b;
      t_poison(ob, msgs[i].out, msgs[i].len);
      t_poison(&it->tag_b, msgs[i].tag, it->tag_len);
      memcpy((uint8_t *)(uintptr_t)msgs[i].in, dec ? it->want : it->text, msgs[i].len);
      msgs[i].result = 77;
      it->forged = dec && (i == forge_at || (forge_every != 0 && t_below(forge_every) == 0));
      forged += it->forged;
      if (dec) {
        memcpy(msgs[i].tag, it->want_tag, it->tag_len);
        if (it->forged)
          ((uint8_t *)msgs[i].tag)[t_below(it->tag_len)] ^= (uint8_t)(1u << t_below(8));
        t_readonly(&it->tag_b, true);
      }
      t_readonly(&it->in_b, !it->in_place);
    }
    if (dec)
      CHECK_EQ(rijn_gcm_decrypt_batch(msgs, n), (long long)forged);
    else
      CHECK_EQ(rijn_gcm_encrypt_batch(msgs, n), 0);
    for (size_t i = 0; i < n; i++) {
      struct item *it = &items[i];
      t_readonly(&it->in_b, false);
      t_readonly(&it->tag_b, false);
      CHECK_EQ(msgs[i].result, it->forged ? RIJN_EAUTH : RIJN_OK);
      if (it->forged)
        CHECK_ALL(msgs[i].out, 0, msgs[i].len);
      else
        CHECK_MEM(msgs[i].out, dec ? it->text : it->want, msgs[i].len);
      if (!dec)
        CHECK_MEM(msgs[i].tag, it->want_tag, it->tag_len);
      CHECK_POISON(it->in_place ? &it->in_b : &it->out_b, msgs[i].out, msgs[i].len);
      CHECK_POISON(&it->tag_b, msgs[i].tag, it->tag_len);
    }
  }
  for (size_t i = 0; i < n; i++) {
    t_readonly(&items[i].aad_b, false);
    t_readonly(&items[i].nonce_b, false);
  }
}

/* n descriptors that end at a guard page. */
static void room_for(size_t n) { msgs = (rijn_gcm_msg *)(void *)t_end(&msgs_b, n * sizeof *msgs); }

/* All messages of one shape: every length up to a few vectors, and about multiples of larger groups. */
static void even_shapes(int impl) {
  for (size_t len = 0; len <= 2200; len += len < 270 || len % 128 < 2 || len % 128 > 126 ? 1 : 31) {
    size_t n = 4 + len % 17, key = len % 4;
    bool same = len % 3 != 0;
    make_keys(impl);
    room_for(n);
    T_AT("%zu messages of %zu bytes, one key: %zu", n, len, same);
    for (size_t i = 0; i < n; i++)
      set(i, same ? key : i % 4, len, len % 5 == 4 ? len % 17 : 16, 12, len % 2 != 0, len % 7 == 3);
    run(n, len % 4 == 0 ? 3 : 0, NOWHERE);
  }
}

static void mixed_shapes(int impl, size_t turns) {
  static const size_t edges[] = {0,    1,    15,   16,   17,   48,   63,   64,   65,   127,  128,  129,  192,
                                 193,  255,  256,  257,  448,  511,  512,  513,  1119, 1120, 1121, 1312, 1313,
                                 1439, 1440, 1441, 1632, 1633, 1855, 1856, 1857, 2047, 2048, 2049};
  for (size_t turn = 0; turn < turns; turn++) {
    size_t n = t_below(MOST + 1), kind = t_below(6), key_kind = t_below(4), aads = t_below(4), key = t_below(KEYS);
    if (turn % 16 == 0)
      make_keys(impl);
    room_for(n);
    T_AT("turn %zu: %zu messages, lengths %zu, keys %zu", turn, n, kind, key_kind);
    for (size_t i = 0; i < n; i++) {
      size_t len = kind == 0   ? 64
                   : kind == 1 ? t_below(65)
                   : kind == 2 ? t_below(200)
                   : kind == 3 ? edges[t_below(sizeof edges / sizeof edges[0])]
                               : t_below(MAX_LEN);
      size_t aad_len = aads == 0 ? 16 : aads == 1 ? 13 : aads == 2 ? t_below(17) : t_below(MAX_AAD);
      size_t k = key_kind == 0 ? key : key_kind == 1 ? i % 4 : key_kind == 2 ? i / 4 % 4 : t_below(KEYS);
      set(i, k, len, aad_len, t_below(20) != 0 ? 12 : t_between(1, 16), t_below(2) != 0, t_below(3) == 0);
    }
    run(n, t_below(3) * 2, NOWHERE);
  }
}

/* One forgery, at each place, in messages of 64 bytes, of 200, and of all lengths. */
static void forgeries(int impl) {
  make_keys(impl);
  room_for(MOST);
  for (size_t kind = 0; kind < 3; kind++)
    for (size_t at = 0; at < MOST; at++) {
      T_AT("message %zu forged, lengths %zu", at, kind);
      for (size_t i = 0; i < MOST; i++)
        set(i, 0, kind == 0 ? 64 : kind == 1 ? 200 : i * 53, 16, 12, i % 2 != 0, i % 3 == 0);
      run(MOST, 0, at);
    }
}

/* One message that a rule refuses, at each place: the others are done, and it is untouched. */
static void refusals(int impl) {
  enum { N = 21 };
  static uint8_t in[N][80], out[N][80], want[80], tags[N][16], want_tag[16], aad[16], nonces[N][16];
  static const uint8_t raw[16] = {1, 2, 3};
  static rijn_gcm_key key, dead;
  t_fill(in, sizeof in);
  t_fill(nonces, sizeof nonces);
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), RIJN_OK);
  for (size_t bad = 0; bad < N; bad++)
    for (int why = 0; why < 10; why++) {
      rijn_gcm_msg m[N];
      memset(out, T_POISON, sizeof out);
      memset(tags, T_POISON, sizeof tags);
      for (size_t i = 0; i < N; i++)
        m[i] = (rijn_gcm_msg){sizeof m[i], &key, out[i], in[i], 64, aad, 16, nonces[i], 12, tags[i], 77};
      static const int errors[10] = {RIJN_ENULL, RIJN_ENULL,  RIJN_ENULL,     RIJN_ENULL,    RIJN_ENULL,
                                     RIJN_ENULL, RIJN_ESTATE, RIJN_ENONCELEN, RIJN_EOVERLAP, RIJN_EAADLEN};
      rijn_gcm_msg *b = &m[bad];
      if (why == 9 && sizeof(size_t) < 8)
        continue;
      why == 0   ? (void)(b->key = NULL)
      : why == 1 ? (void)(b->out = NULL)
      : why == 2 ? (void)(b->in = NULL)
      : why == 3 ? (void)(b->aad = NULL)
      : why == 4 ? (void)(b->nonce = NULL)
      : why == 5 ? (void)(b->tag = NULL)
      : why == 6 ? (void)(b->key = &dead)
      : why == 7 ? (void)(b->nonce_len = 0)
      : why == 8 ? (void)(b->out = in[bad] + 1)
                 : (void)(b->aad_len = SIZE_MAX);
      T_AT("message %zu refused for reason %zu", bad, why);
      CHECK_EQ(rijn_gcm_encrypt_batch(m, N), 1);
      for (size_t i = 0; i < N; i++) {
        CHECK_EQ(m[i].result, i == bad ? errors[why] : RIJN_OK);
        if (i == bad) {
          CHECK_ALL(out[i], T_POISON, sizeof out[i]);
          CHECK_ALL(tags[i], T_POISON, 16);
        } else {
          CHECK_EQ(rijn_gcm_encrypt(&key, want, in[i], 64, aad, 16, nonces[i], 12, want_tag), RIJN_OK);
          CHECK_MEM(out[i], want, 64);
          CHECK_MEM(tags[i], want_tag, 16);
        }
      }
    }
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  keys_b = t_buf_new(sizeof(rijn_gcm_key) * KEYS);
  msgs_b = t_buf_new(sizeof(rijn_gcm_msg) * MOST);
  for (size_t i = 0; i < MOST; i++) {
    items[i].in_b = t_buf_new(MAX_LEN);
    items[i].out_b = t_buf_new(MAX_LEN);
    items[i].aad_b = t_buf_new(MAX_AAD);
    items[i].nonce_b = t_buf_new(16);
    items[i].tag_b = t_buf_new(16);
  }
  T_IMPLS(impl) {
    even_shapes(impl);
    mixed_shapes(impl, t_slow() ? 20000 : 600);
    forgeries(impl);
    refusals(impl);
    room_for(0);
    CHECK_EQ(rijn_gcm_encrypt_batch(msgs, 0), 0);
    CHECK_EQ(rijn_gcm_decrypt_batch(NULL, 0), 0);
  }
  return t_done();
}
