/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * What the OpenSSL provider itself does with secrets, as poison.c has it for the library: the end of a padded text of
 * CBC or ECB, the end of a TLS record of CBC, and a counter of CTR that nobody knows. Run under valgrind with keys and
 * ciphertexts marked as undefined, so that what is deciphered is undefined too.
 *
 * Of a padded text the verdict is public, and then the length: one branch is meant, and one copy of so many bytes. The
 * linker puts a memcpy of our own in the way (--wrap) that counts lengths which are undefined, and makes them known.
 * A record has no verdict: no branch at all. (One without a MAC was authenticated before, and is not looked at here.)
 * Long texts of CTR have a table for a counter that is public: libcrypto does not say whether it is.
 *
 * Arguments: --planted-compare (a padding looked at until it is wrong), --planted-place (a MAC read where it lies),
 * --planted-length (a copy too many) and --planted-counter (a counter that counts as public) do what must not be done,
 * --planted-known and --planted-known-counter forget to mark the secrets: then a check must fail.
 */
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/prov_ssl.h>
#include <valgrind/memcheck.h>

#include "prov.h"
#include "t.h"

static unsigned secret_lengths;
void *__real_memcpy(void *to, const void *from, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n) {
  size_t undefined = 0;
  (void)VALGRIND_GET_VBITS(&n, &undefined, sizeof n);
  (void)VALGRIND_MAKE_MEM_DEFINED(&undefined, sizeof undefined);
  secret_lengths += undefined != 0;
  (void)VALGRIND_MAKE_MEM_DEFINED(&n, sizeof n);
  return __real_memcpy(to, from, n);
}

static void poison(void *p, size_t n) { (void)VALGRIND_MAKE_MEM_UNDEFINED(p, n); }
static void clear(void *p, size_t n) { (void)VALGRIND_MAKE_MEM_DEFINED(p, n); }

/* ---- libcrypto's part */
static void *my_malloc(size_t n, const char *file, int line) {
  (void)file;
  (void)line;
  return malloc(n);
}
static void my_free(void *p, const char *file, int line) {
  (void)file;
  (void)line;
  free(p);
}
static struct rijn_prov prov = {.malloc = my_malloc, .free = my_free};

static void (*function_of(const OSSL_DISPATCH *d, int id))(void) {
  for (; d->function_id != id; d++)
    REQUIRE(d->function_id != 0);
  return d->function;
}
#define CALL(type, id) ((OSSL_FUNC_cipher_##type##_fn *)function_of(cipher, OSSL_FUNC_CIPHER_##id))

/* ---- a case */
enum { ROOM = 640, KEY = 16 };
enum kind { PADDED, RECORD };
struct text {
  const OSSL_DISPATCH *cipher;
  enum kind kind;
  unsigned version;
  size_t mac, len;
  uint8_t key[KEY], iv[16], in[ROOM]; /* secrets, but the IV; in is deciphered in place, or to out */
};
struct result {
  int ok;
  size_t len;
  uint8_t out[ROOM + 16], mac[64];
};

static bool plant_known;
static void (*plant)(struct result *r, const struct text *t);

static void run(struct result *r, const struct text *from, bool secret) {
  static struct text t;
  size_t made = 0, end = 0, mac = from->mac;
  unsigned version = from->version;
  uint8_t *tls_mac = NULL;
  OSSL_PARAM tls[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
                      OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac), OSSL_PARAM_END};
  OSSL_PARAM get[] = {OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, (void **)&tls_mac, 0), OSSL_PARAM_END};
  t = *from;
  memset(r, 0, sizeof *r);
  if (secret) {
    poison(t.key, sizeof t.key);
    poison(t.in, sizeof t.in);
  }
  const OSSL_DISPATCH *cipher = t.cipher;
  void *c = CALL(newctx, NEWCTX)(&prov);
  REQUIRE(c != NULL);
  bool ecb = t.cipher == rijn_prov_ecb128;
  REQUIRE(
      CALL(decrypt_init, DECRYPT_INIT)(c, t.key, KEY, ecb ? NULL : t.iv, ecb ? 0 : 16, t.kind == RECORD ? tls : NULL));
  if (t.kind == RECORD) {
    r->ok = CALL(update, UPDATE)(c, t.in, &r->len, sizeof t.in, t.in, t.len);
    __real_memcpy(r->out, t.in, ROOM);
    REQUIRE(CALL(get_ctx_params, GET_CTX_PARAMS)(c, get) && tls_mac != NULL);
    __real_memcpy(r->mac, tls_mac, mac);
  } else {
    REQUIRE(CALL(update, UPDATE)(c, r->out, &made, sizeof r->out, t.in, t.len));
    r->ok = CALL(final, FINAL)(c, r->out + made, &end, 16);
    r->len = made + end;
  }
  if (plant != NULL && secret)
    plant(r, &t);
  CALL(freectx, FREECTX)(c);
}

/* Is a byte of the text that was written known, or (of a record) of its MAC, or the length? */
static bool known(const struct result *r, const struct text *t) {
  size_t n = t->kind == RECORD ? 16 : t->len - 16, undefined = 0; /* as much as is there whatever the padding */
  uint8_t bits;
  for (size_t i = t->kind == RECORD && t->version != TLS1_VERSION ? 16 : 0; i < n; i++)
    if (VALGRIND_GET_VBITS(r->out + i, &bits, 1) == 1 && bits == 0)
      return true;
  for (size_t i = 0; t->kind == RECORD && i < t->mac; i++)
    if (VALGRIND_GET_VBITS(r->mac + i, &bits, 1) == 1 && bits == 0)
      return true;
  (void)VALGRIND_GET_VBITS(&r->len, &undefined, sizeof undefined);
  clear(&undefined, sizeof undefined);
  return t->kind == RECORD && undefined == 0;
}

static void one(const struct text *t, const char *what, int variant) {
  static struct result want, got;
  unsigned allowed = t->kind == PADDED, before, complaints;
  run(&want, t, false);
  before = (unsigned)VALGRIND_COUNT_ERRORS;
  secret_lengths = 0;
  run(&got, t, !plant_known);
  complaints = (unsigned)VALGRIND_COUNT_ERRORS - before;
  if (known(&got, t))
    t_fail(__FILE__, __LINE__, "%s: the result is not made of secrets", what);
  clear(&got, sizeof got);
  if (complaints > allowed || secret_lengths > allowed)
    t_fail(__FILE__, __LINE__,
           "%s, length %zu, mac %zu, variant %d: %u complaints, %u allowed; %u secret lengths, %u allowed", what,
           t->len, t->mac, variant, complaints, allowed, secret_lengths, allowed);
  CHECK_EQ(got.ok, want.ok);
  CHECK_EQ(got.len, want.len);
  CHECK_MEM(got.out, want.out, t->kind == RECORD || want.ok ? want.len : t->len - 16);
}

/* Ciphertext of in, under the key and IV of t. */
static void encipher(struct text *t) {
  rijn_aes_key k;
  uint8_t iv[16];
  memcpy(iv, t->iv, 16);
  REQUIRE(rijn_aes_init(&k, t->key, KEY) == RIJN_OK);
  if (t->cipher == rijn_prov_ecb128)
    REQUIRE(rijn_ecb_encrypt(&k, t->in, t->in, t->len / 16) == RIJN_OK);
  else
    REQUIRE(rijn_cbc_encrypt(&k, t->in, t->in, t->len / 16, iv) == RIJN_OK);
}

static void fresh(struct text *t, const OSSL_DISPATCH *cipher, enum kind kind, size_t len) {
  memset(t, 0, sizeof *t);
  t->cipher = cipher;
  t->kind = kind;
  t->len = len;
  t_fill(t->key, sizeof t->key);
  t_fill(t->iv, sizeof t->iv);
  t_fill(t->in, len);
}

/* Padding of every length; and wrong: too small, too large, in each of its bytes. */
static void padded(const OSSL_DISPATCH *cipher, const char *what) {
  static struct text t;
  for (size_t len = 16; len <= 48; len += 16)
    for (int v = 0; v < 36; v++) {
      int pad = v < 16 ? v + 1 : v == 16 ? 0 : v == 17 ? 17 : v == 18 ? 255 : v == 19 ? 8 : 16;
      fresh(&t, cipher, PADDED, len);
      memset(t.in + len - (pad < 16 ? pad : 16), pad, (size_t)(pad < 16 ? pad : 16));
      if (v == 16)
        t.in[len - 1] = 0;
      if (v >= 19)
        t.in[len - (v == 19 ? 8u : (size_t)v - 19)] ^= 0x40;
      encipher(&t);
      one(&t, what, v);
    }
}

static void records(void) {
  static const unsigned versions[] = {TLS1_VERSION, TLS1_2_VERSION, DTLS1_2_VERSION};
  static const size_t macs[] = {20, 32, 48}, lens[] = {80, 96, 320, 592};
  static const int pads[] = {0, 1, 7, 15, 16, 47, 63, 64, 200, 255};
  static struct text t;
  for (size_t i = 0; i < 3 * 3 * 4; i++)
    for (int v = 0; v < 3 * 10; v++) {
      int pad = pads[v / 3];
      size_t len = lens[i / 9];
      fresh(&t, rijn_prov_cbc128, RECORD, len);
      t.version = versions[i % 3];
      t.mac = macs[i / 3 % 3];
      for (size_t at = 0; at <= (size_t)pad && at < len; at++)
        t.in[len - 1 - at] = (uint8_t)pad;
      if (v % 3 != 0 && (size_t)pad < len) /* wrong in its first byte, or behind the middle */
        t.in[len - 1 - (size_t)(v % 3 == 1 ? pad : pad / 2)] ^= 0x11;
      encipher(&t);
      one(&t, "record", v);
    }
}

/* A text that has the table if its counter is public, and the next one of the same stream; num: its place is set
 * before. */
enum { LONG = 16 * 1024 };
static bool plant_counter, plant_known_counter;
static void counters(bool num) {
  static uint8_t key[KEY], iv[16], in[2 * LONG], want[2 * LONG], got[2 * LONG];
  size_t made = 0;
  unsigned zero = 0, before = (unsigned)VALGRIND_COUNT_ERRORS, complaints;
  const OSSL_DISPATCH *cipher = rijn_prov_ctr128;
  OSSL_PARAM set[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &zero), OSSL_PARAM_END};
  rijn_aes_key k;
  rijn_ctr_state s = {{0}, {0}, 0};
  t_fill(key, sizeof key);
  t_fill(iv, sizeof iv);
  t_fill(in, sizeof in);
  REQUIRE(rijn_aes_init(&k, key, KEY) == RIJN_OK);
  memcpy(s.ctr, iv, 16);
  REQUIRE(rijn_ctr_crypt(&k, want, in, sizeof in, &s) == RIJN_OK);
  if (!plant_known_counter)
    poison(iv, sizeof iv);
  if (plant_counter) {
    s.used = 0;
    memcpy(s.ctr, iv, 16);
    REQUIRE(rijn_ctr_crypt(&k, got, in, sizeof in, &s) == RIJN_OK);
  } else {
    void *c = CALL(newctx, NEWCTX)(&prov);
    REQUIRE(c != NULL && CALL(encrypt_init, ENCRYPT_INIT)(c, key, KEY, iv, 16, NULL));
    REQUIRE(!num || CALL(set_ctx_params, SET_CTX_PARAMS)(c, set));
    for (size_t at = 0; at < sizeof in; at += LONG)
      REQUIRE(CALL(update, UPDATE)(c, got + at, &made, LONG, in + at, LONG) && made == LONG);
    CALL(freectx, FREECTX)(c);
  }
  complaints = (unsigned)VALGRIND_COUNT_ERRORS - before;
  for (size_t i = 0; i < sizeof got; i++) {
    uint8_t bits = 0;
    if (VALGRIND_GET_VBITS(got + i, &bits, 1) == 1 && bits == 0) {
      t_fail(__FILE__, __LINE__, "counter: byte %zu of the result is known", i);
      break;
    }
  }
  clear(got, sizeof got);
  if (complaints)
    t_fail(__FILE__, __LINE__, "counter, %s: %u complaints, none allowed", num ? "place set" : "as it starts",
           complaints);
  CHECK_MEM(got, want, sizeof want);
}

/* ---- faults: the like of what is tested, done in the plain way */
static volatile unsigned sink;
static void plant_compare(struct result *r, const struct text *t) {
  const uint8_t *end = (t->kind == RECORD ? r->out : t->in) + t->len;
  for (size_t i = 1; i <= 16 && end[-(ptrdiff_t)i] == end[-1]; i++)
    sink++;
}
static void plant_place(struct result *r, const struct text *t) {
  if (t->kind == RECORD && t->len > 300)
    sink = r->out[t->len - 21 - r->out[t->len - 1]];
}
static void plant_length(struct result *r, const struct text *t) {
  if (t->len > 16)
    __wrap_memcpy(r->mac, t->in, r->out[0] & 7u);
}
static const struct {
  const char *argument;
  void (*plant)(struct result *r, const struct text *t);
} planted[] = {
    {"--planted-compare", plant_compare}, {"--planted-place", plant_place}, {"--planted-length", plant_length}};

int main(int argc, char **argv) {
  const char *fault = argc > 1 && strncmp(argv[1], "--planted", 9) == 0 ? argv[1] : "";
  REQUIRE(RUNNING_ON_VALGRIND);
  t_init(*fault ? 1 : argc, argv);
  plant_known = strcmp(fault, "--planted-known") == 0;
  for (size_t i = 0; i < sizeof planted / sizeof planted[0]; i++)
    if (strcmp(fault, planted[i].argument) == 0)
      plant = planted[i].plant;
  plant_counter = strcmp(fault, "--planted-counter") == 0;
  plant_known_counter = strcmp(fault, "--planted-known-counter") == 0;
  REQUIRE(!*fault || plant_known || plant_counter || plant_known_counter || plant != NULL);
  padded(rijn_prov_cbc128, "cbc");
  padded(rijn_prov_ecb128, "ecb");
  records();
  counters(false);
  counters(true);
  return t_done();
}
