/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#ifndef RIJN_H
#define RIJN_H
/*
 * Rijn: AES at the speed of the machine.
 *
 * GCM for packets and records, XTS for disks, CTR, CBC and raw blocks beneath them.
 *
 * Conventions that all calls share
 * --------------------------------
 * Order      context, out, in, length, the rest. Everything is raw bytes.
 * Lengths    are bytes, unless the name says blocks (nblk) or sectors.
 * Nonces     of one length are an array of it (uint8_t[12]); only GCM's, which may have any, come with their length.
 *            The constants are RIJN_..._NONCE_LEN, and RIJN_..._TAG_LEN or RIJN_GCM_TAG_MAX for tags.
 * Result     0, or a negative RIJN_E...; rijn_strerror() names it. A call that refuses its arguments writes
 *            nothing. The exceptions are stated at the call.
 * NULL       is fine for any pointer whose length is 0, and refused (RIJN_ENULL) elsewhere.
 * Aliasing   out is exactly in, or disjoint from it. Anything between is refused (RIJN_EOVERLAP). The raw bytes
 *            from which an init makes a key must not overlap the key object (else RIJN_EOVERLAP too).
 *            The caller keeps two more rules, which are not checked. Key, nonce, associated data, tweaks and tag
 *            must not overlap out, and the key must not overlap a tag that is written. What a call reads and
 *            replaces (chaining value, counter state, hash, stream) must not overlap any other argument.
 * Keys       are opaque objects of fixed size. 16-byte alignment is enough. An object never changes after its
 *            init. It can be copied (memcpy) within a process, and many threads may use it at once. It remembers
 *            the implementation that made it. Wipe it when done. An init of an object that holds a key already leaves
 *            nothing of that key.
 *            An object of zeros, as a wiped one is, is refused (RIJN_ESTATE). To use one that is not initialised
 *            is undefined behaviour: zero an object that may be used before its init.
 * Failure    of an authentication (RIJN_EAUTH) leaves zeros in the whole output. In place that destroys the
 *            ciphertext.
 * Stack      GCM takes up to 14 KiB for 16 KiB of text and more, AES-GCM-SIV and rows up to 8, XAES-256-GCM 3 more
 *            than GCM, all other calls less than 6. The self-tests take up to 40. A signal's stack of SIGSTKSZ is
 *            too small.
 * Threads    every call is thread-safe. There is no lock, no allocation, and no global that changes after the one
 *            choice of an implementation. Threads that make this choice at once make the same one.
 * Choice     the best implementation that the machine supports is taken, at the first init or question about one.
 *            The environment variable RIJN_IMPL names another. It is ignored in setuid programs. With a name that
 *            is unknown, not supported or empty, every init that does not itself name an implementation fails with
 *            RIJN_EIMPL. There is no silent fallback.
 */
#include <stddef.h>
#include <stdint.h>

/* The static library is compiled with RIJN_STATIC_ONLY: what it is linked into does not export the calls, so two
 * plugins of one program can each have their own version. */
#ifndef RIJN_API
#if defined(__GNUC__) && !defined(RIJN_STATIC_ONLY)
#define RIJN_API __attribute__((visibility("default")))
#else
#define RIJN_API
#endif
#endif

/* Standards before C11 and C++11 have no word for an alignment. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define RIJN_ALIGN16 alignas(16)
#elif !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define RIJN_ALIGN16 _Alignas(16)
#else
#define RIJN_ALIGN16 __attribute__((aligned(16)))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define RIJN_VERSION_MAJOR 0
#define RIJN_VERSION_MINOR 2
#define RIJN_VERSION_PATCH 0
#define RIJN_VERSION_STRING "0.2.0"

/* The version of the library that is running, as "0.2.0". */
RIJN_API const char *rijn_version(void);

enum {
  RIJN_OK = 0,
  RIJN_EAUTH = -1,      /* the tag does not match: the message is not authentic */
  RIJN_ENULL = -2,      /* a null pointer with a length that is not 0, or a null object */
  RIJN_EKEYLEN = -3,    /* key length is not one of those the call takes */
  RIJN_ENONCELEN = -4,  /* nonce length 0, or not the one the construction has */
  RIJN_ETAGLEN = -5,    /* tag length is not one of those the call takes */
  RIJN_ELEN = -6,       /* text length beyond the mode's limit, or not a multiple it needs */
  RIJN_EAADLEN = -7,    /* associated data beyond its limit, or not 8 or 12 bytes (RFC 4106) */
  RIJN_EOVERLAP = -8,   /* out and in overlap without being equal, or a key object and its raw bytes overlap */
  RIJN_EIMPL = -9,      /* implementation unknown, or not supported by this machine */
  RIJN_EWEAKKEY = -10,  /* XTS: both halves of the key are equal */
  RIJN_ESTATE = -11,    /* the call does not fit the state (order of calls, object never made) */
  RIJN_ESECTOR = -12,   /* sector size not a power of two in 512..65536, or the run wraps past 2^64 */
  RIJN_EPADDING = -13,  /* PKCS#7: the padding is not valid (see the warning there) */
  RIJN_ESELFTEST = -14, /* a known answer came out wrong: the build or the machine is broken */
  RIJN_ESTRUCT = -15    /* a descriptor's size field is not one this library knows */
};

/* What an error code means, one line, never NULL. */
RIJN_API const char *rijn_strerror(int err);

/* ---------------------------------------------------------------- implementations */

/* Number of implementations in this build, in the order of choice; index 0 .. count-1. */
RIJN_API int rijn_impl_count(void);
/* Name of implementation i ("x86-vaes-avx512", "portable", ...), or NULL when i is out of range. */
RIJN_API const char *rijn_impl_name(int i);
/* 1: this machine can run implementation i; 0: it cannot, or i is out of range. */
RIJN_API int rijn_impl_supported(int i);
/* Why implementation i is not chosen by default: "missing vaes avx512f", "policy: ...", or "" when nothing speaks
 * against it. i = -1: by what this machine's default is chosen, and whether that was measured. Never NULL. The text is
 * in buf, cut to size. */
RIJN_API const char *rijn_impl_why(int i, char *buf, size_t size);
/* Index of the implementation that inits use, or RIJN_EIMPL when RIJN_IMPL names none. */
RIJN_API int rijn_impl_chosen(void);
/* Index of the implementation of that name, or RIJN_EIMPL. */
RIJN_API int rijn_impl_find(const char *name);
/* CPU features as a space-separated list; returns buf. Left out are features whose registers the operating system does
 * not save, and those that a test build was told to hide. */
RIJN_API const char *rijn_cpu_features(char *buf, size_t size);

/* Computes known answers through implementation i, or through every supported one when i is -1. Returns 0,
 * RIJN_ESELFTEST, or RIJN_EIMPL for an implementation that this machine does not support. */
RIJN_API int rijn_selftest(int i);

/* The modes that rijn_selftest_mode knows. */
enum {
  RIJN_MODE_GCM = 0, /* and GMAC, RFC 4106, RFC 4543, GHASH */
  RIJN_MODE_GCM_SIV = 1,
  RIJN_MODE_XAES = 2,
  RIJN_MODE_XTS = 3,
  RIJN_MODE_CTR = 4,
  RIJN_MODE_CBC = 5,
  RIJN_MODE_ECB = 6,
  RIJN_MODE_CFB = 7,
  RIJN_MODE_CCM = 8
};
/* The part of rijn_selftest(i) that is about one mode with keys of key_len bytes, as its init takes them. It takes a
 * seventh of the time or less: for programs that test what they use, when they first use it. Results as of
 * rijn_selftest, and RIJN_EKEYLEN: the mode has no such keys, or there is no such mode. */
RIJN_API int rijn_selftest_mode(int i, int mode, size_t key_len);

/* ---------------------------------------------------------------- AES-GCM (SP 800-38D)
 *
 * Never use a nonce twice with one key: two messages under one nonce give away their XOR and the key of the
 * authentication. The safe way is a counter. TLS 1.3 does it so: a 12-byte IV from the key exchange XOR the record
 * number. With random nonces of 12 bytes, and with nonces of any other length, one key takes at most 2^32 messages
 * (section 8.3), GMAC's among them.
 * GCM does not commit to its key: one ciphertext can be made to open under two keys.
 *
 * Limits per call: 2^36 - 32 bytes of text, 2^61 - 1 of associated data, nonces of 1 to 2^61 - 1 bytes. 12 bytes is the
 * fast length of a nonce, and the one to use.
 */
#define RIJN_GCM_KEY_SIZE 1984
typedef struct rijn_gcm_key {
  RIJN_ALIGN16 unsigned char opaque[RIJN_GCM_KEY_SIZE];
} rijn_gcm_key;

#define RIJN_GCM_MAX_LEN ((UINT64_C(1) << 36) - 32)
#define RIJN_GCM_NONCE_LEN 12 /* the fast one */
#define RIJN_GCM_TAG_MAX 16   /* room for the tag of any key */

/* Makes a key from 16, 24 or 32 raw bytes. Tags are 16 bytes. */
RIJN_API int rijn_gcm_init(rijn_gcm_key *key, const void *raw, size_t raw_len);
/* The same with tags of tag_len bytes: 12 to 16, or 4 or 8. SP 800-38D, appendix C, limits the use of these two. The
 * length belongs to the key, because one taken from the wire would let an attacker choose. */
RIJN_API int rijn_gcm_init_taglen(rijn_gcm_key *key, const void *raw, size_t raw_len, size_t tag_len);
/* The same for implementation impl (an index, see above). RIJN_EIMPL when it cannot run here. */
RIJN_API int rijn_gcm_init_impl(rijn_gcm_key *key, const void *raw, size_t raw_len, size_t tag_len, int impl);
/* Index of the implementation that made the key; RIJN_ESTATE for one of zeros (never made, wiped), RIJN_ENULL for
 * NULL. */
RIJN_API int rijn_gcm_key_impl(const rijn_gcm_key *key);
/* Bytes of tag that this key makes and checks; 0 for one of zeros. */
RIJN_API size_t rijn_gcm_tag_len(const rijn_gcm_key *key);
/* Zeros for the whole key. NULL is fine. */
RIJN_API void rijn_gcm_wipe(rijn_gcm_key *key);

/* Encrypts len bytes and writes the tag. Out: len bytes; tag: the key's tag length. */
RIJN_API int rijn_gcm_encrypt(const rijn_gcm_key *key, void *out, const void *in, size_t len, const void *aad,
                              size_t aad_len, const void *nonce, size_t nonce_len, void *tag);
/* Checks the tag and decrypts. RIJN_EAUTH: out is all zeros. The tag is only read. */
RIJN_API int rijn_gcm_decrypt(const rijn_gcm_key *key, void *out, const void *in, size_t len, const void *aad,
                              size_t aad_len, const void *nonce, size_t nonce_len, const void *tag);

/* The same with the tag behind the text, as records of most protocols have it. seal takes len bytes of text and writes
 * len + rijn_gcm_tag_len(key). open takes text and tag, len bytes in all, and writes the text.
 * Aliasing   out is exactly in, whose buffer then has room for the tag; or no byte that is written lies in `in`.
 * Refused    as by rijn_gcm_encrypt. In seal out may not be NULL (RIJN_ENULL), because a tag is always written.
 * Failure    of open: RIJN_EAUTH, and zeros in place of the text. A message shorter than a tag is RIJN_EAUTH too, and
 *            nothing is written. The tag is only read. */
RIJN_API int rijn_gcm_seal(const rijn_gcm_key *key, void *out, const void *in, size_t len, const void *aad,
                           size_t aad_len, const void *nonce, size_t nonce_len);
RIJN_API int rijn_gcm_open(const rijn_gcm_key *key, void *out, const void *in, size_t len, const void *aad,
                           size_t aad_len, const void *nonce, size_t nonce_len);

/* The nonce of a record whose number is `sequence`: iv XOR that number, as 8 big-endian bytes at the end. TLS 1.3 (RFC
 * 8446, section 5.3) and QUIC make theirs so. iv has 12 bytes, which are made with the key and stay what they are.
 * One direction of a connection has one key and counts from 0. No two of its records have one number, those sent again
 * included, unless they are the same bytes. After the last number, 2^64 - 1, a new key is needed: the next would be 0
 * again.
 * RIJN_ENULL; RIJN_EOVERLAP if out overlaps iv, because the next nonce would be made of this one, and nonces would come
 * twice. */
RIJN_API int rijn_gcm_nonce(uint8_t out[12], const uint8_t iv[12], uint64_t sequence);

/* GMAC: the tag over data alone (SP 800-38D, section 3). The same rule for nonces. */
RIJN_API int rijn_gmac(const rijn_gcm_key *key, const void *data, size_t len, const void *nonce, size_t nonce_len,
                       void *tag);
RIJN_API int rijn_gmac_verify(const rijn_gcm_key *key, const void *data, size_t len, const void *nonce,
                              size_t nonce_len, const void *tag);

/* Buffer lists. The text is the runs of in, one after the other. The output is those of out. The two lists may be cut
 * differently but must have equal total length (else RIJN_ELEN). Each output run is exactly an input run in the same
 * place of the text, or disjoint from all input and output runs. That is checked up to RIJN_IOV_CHECKED runs a list.
 * Beyond that the caller keeps the rule. */
typedef struct rijn_iov {
  void *base; /* only read when it stands in an input list */
  size_t len;
} rijn_iov;
#define RIJN_IOV_CHECKED 64
RIJN_API int rijn_gcm_encrypt_iov(const rijn_gcm_key *key, const rijn_iov *out, size_t out_n, const rijn_iov *in,
                                  size_t in_n, const rijn_iov *aad, size_t aad_n, const void *nonce, size_t nonce_len,
                                  void *tag);
RIJN_API int rijn_gcm_decrypt_iov(const rijn_gcm_key *key, const rijn_iov *out, size_t out_n, const rijn_iov *in,
                                  size_t in_n, const rijn_iov *aad, size_t aad_n, const void *nonce, size_t nonce_len,
                                  const void *tag);

/* Incremental: start, any number of aad, any number of update, finish. Slower than one call.
 * DECRYPTION HANDS OUT UNVERIFIED TEXT: until finish returns 0 the caller must not act on it.
 * A wrong order of calls is RIJN_ESTATE and ends the stream. Any other refusal leaves it usable. The key must outlive
 * the stream. A stream may be copied, but two copies that encrypt different text use a nonce twice. finish wipes the
 * stream, and so does rijn_gcm_stream_wipe. */
#define RIJN_GCM_STREAM_SIZE 256
typedef struct rijn_gcm_stream {
  RIJN_ALIGN16 unsigned char opaque[RIJN_GCM_STREAM_SIZE];
} rijn_gcm_stream;
RIJN_API int rijn_gcm_encrypt_start(rijn_gcm_stream *s, const rijn_gcm_key *key, const void *nonce, size_t nonce_len);
RIJN_API int rijn_gcm_decrypt_start(rijn_gcm_stream *s, const rijn_gcm_key *key, const void *nonce, size_t nonce_len);
RIJN_API int rijn_gcm_aad(rijn_gcm_stream *s, const void *aad, size_t len);
RIJN_API int rijn_gcm_update(rijn_gcm_stream *s, void *out, const void *in, size_t len);
RIJN_API int rijn_gcm_encrypt_finish(rijn_gcm_stream *s, void *tag);
RIJN_API int rijn_gcm_decrypt_finish(rijn_gcm_stream *s, const void *tag); /* RIJN_EAUTH: throw away all output */
RIJN_API void rijn_gcm_stream_wipe(rijn_gcm_stream *s);

/* Batches: many messages in one call, each with its own key (keys may repeat), nonce, data and tag.
 * Messages are independent: what is written for one, its tag too, must not overlap anything of another. They may be
 * worked on in any order. Each result is in its descriptor. A bad message does not stop the others.
 * What is faster in a batch is short messages one after the other under one key. Messages under keys of their own take
 * as long as single calls, and their descriptors have to be filled besides. A message is one buffer each way, because
 * short messages are; longer ones in pieces go by rijn_gcm_encrypt_iov. */
typedef struct rijn_gcm_msg {
  size_t size; /* sizeof(rijn_gcm_msg), so that the struct can grow */
  const rijn_gcm_key *key;
  void *out;
  const void *in;
  size_t len;
  const void *aad;
  size_t aad_len;
  const void *nonce;
  size_t nonce_len;
  void *tag; /* written by encrypt, only read by decrypt */
  int result;
} rijn_gcm_msg;
/* What a descriptor begins as: `rijn_gcm_msg m = RIJN_GCM_MSG_INIT;`. */
#define RIJN_GCM_MSG_INIT                                                                                              \
  { sizeof(rijn_gcm_msg), NULL, NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0 }
#define RIJN_BATCH_MAX 65536
/* Returns how many messages failed (0: all is well), or a negative error when the call itself is refused: n over
 * RIJN_BATCH_MAX (RIJN_ELEN), NULL with n > 0 (RIJN_ENULL), or a size field that it does not know (RIJN_ESTRUCT). Then
 * nothing is done. */
RIJN_API int rijn_gcm_encrypt_batch(rijn_gcm_msg *msgs, size_t n);
RIJN_API int rijn_gcm_decrypt_batch(rijn_gcm_msg *msgs, size_t n);

/* Rows: any number of messages of one key whose lengths are equal and whose places are equally far apart, as records
 * of a table are. Nothing has to be described message by message. Row i has its text at in + i * in_step, and so on.
 * The nonces have 12 bytes. With an aad_step of 0 all rows have the same associated data.
 * Overlap (else RIJN_EOVERLAP): each output row is exactly its input row, or shares no byte with any input row. Output
 * rows share no byte with each other, nor do tags. Output and input may lie between one another, as columns of one
 * table do, if their distances are equal. The caller keeps two more rules, which are not checked: what is written must
 * not overlap associated data or nonces of any row, and the tags must not overlap the text.
 * forged: NULL, or `rows` bytes, which become 1 where a tag was wrong and 0 elsewhere.
 * Returns how many rows failed (0: all is well). A row that fails has zeros for its text; the others are done. Or it
 * returns a negative error when the call itself is refused, and nothing is done. These are the errors of
 * rijn_gcm_encrypt and
 *   RIJN_ELEN       more than RIJN_GCM_ROWS_MAX rows, or rows that would not fit into memory;
 *   RIJN_ENONCELEN  encryption of several rows with a nonce_step of 0;
 *   RIJN_ESTRUCT    a size field that it does not know. */
#define RIJN_GCM_ROWS_MAX 0x7fffffff
typedef struct rijn_gcm_rows {
  size_t size; /* sizeof(rijn_gcm_rows), so that the struct can grow */
  const rijn_gcm_key *key;
  size_t rows, len, aad_len; /* number of rows; bytes of text, and of associated data, that each has */
  void *out;
  const void *in, *aad, *nonces;
  void *tags;                                               /* written by encrypt, only read by decrypt */
  size_t out_step, in_step, aad_step, nonce_step, tag_step; /* bytes from one row's to the next one's */
  unsigned char *forged;
} rijn_gcm_rows;
#define RIJN_GCM_ROWS_INIT                                                                                             \
  { sizeof(rijn_gcm_rows), NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, NULL }
RIJN_API int rijn_gcm_encrypt_rows(const rijn_gcm_rows *rows);
RIJN_API int rijn_gcm_decrypt_rows(const rijn_gcm_rows *rows);

/* RFC 4106, AES-GCM in ESP. Raw key material is key || salt(4): 20, 28 or 36 bytes. The explicit nonce has 8 bytes.
 * Associated data is SPI || sequence number, which is 8 or 12 bytes and nothing else. Tags have 8, 12 or 16 bytes. */
#define RIJN_ESP_NONCE_LEN 8
#define RIJN_ESP_KEY_SIZE (RIJN_GCM_KEY_SIZE + 16)
typedef struct rijn_esp_key {
  RIJN_ALIGN16 unsigned char opaque[RIJN_ESP_KEY_SIZE];
} rijn_esp_key;
RIJN_API int rijn_rfc4106_init(rijn_esp_key *key, const void *raw, size_t raw_len, size_t tag_len);
RIJN_API int rijn_rfc4106_init_impl(rijn_esp_key *key, const void *raw, size_t raw_len, size_t tag_len, int impl);
RIJN_API int rijn_rfc4106_encrypt(const rijn_esp_key *key, void *out, const void *in, size_t len, const void *aad,
                                  size_t aad_len, const uint8_t nonce[8], void *tag);
RIJN_API int rijn_rfc4106_decrypt(const rijn_esp_key *key, void *out, const void *in, size_t len, const void *aad,
                                  size_t aad_len, const uint8_t nonce[8], const void *tag);
/* For batches, buffer lists, and the tag behind the text: the key as one of GCM, for all calls of GCM, and the nonce of
 * 12 bytes that they need, which is the salt and the packet's explicit nonce. The key of GCM is a part of the ESP key,
 * and is used and wiped with it. NULL for a key that rijn_rfc4106_init has not made. The caller then sees to it that
 * the associated data are 8 or 12 bytes. rijn_rfc4106_nonce: RIJN_ENULL, RIJN_ESTATE. The salt is in its output: wipe
 * it. */
RIJN_API const rijn_gcm_key *rijn_rfc4106_gcm_key(const rijn_esp_key *key);
RIJN_API int rijn_rfc4106_nonce(uint8_t out[12], const rijn_esp_key *key, const uint8_t nonce[8]);
/* RFC 4543, GMAC in ESP (ENCR_NULL_AUTH_AES_GMAC): data is everything that is authenticated. Tag of 16. */
RIJN_API int rijn_rfc4543_init(rijn_esp_key *key, const void *raw, size_t raw_len);
RIJN_API int rijn_rfc4543_init_impl(rijn_esp_key *key, const void *raw, size_t raw_len, int impl);
RIJN_API int rijn_rfc4543_tag(const rijn_esp_key *key, const void *data, size_t len, const uint8_t nonce[8], void *tag);
RIJN_API int rijn_rfc4543_verify(const rijn_esp_key *key, const void *data, size_t len, const uint8_t nonce[8],
                                 const void *tag);
/* Zeros for the whole key. NULL is fine. */
RIJN_API void rijn_esp_wipe(rijn_esp_key *key);

/* Raw GHASH (SP 800-38D, section 6.4), for those who build on it: not a MAC by itself.
 * acc = (acc XOR block) * H for each of nblk 16-byte blocks; acc starts as 16 zero bytes. */
#define RIJN_GHASH_KEY_SIZE 1728
typedef struct rijn_ghash_key {
  RIJN_ALIGN16 unsigned char opaque[RIJN_GHASH_KEY_SIZE];
} rijn_ghash_key;
RIJN_API int rijn_ghash_init(rijn_ghash_key *key, const uint8_t h[16]);
RIJN_API int rijn_ghash_init_impl(rijn_ghash_key *key, const uint8_t h[16], int impl);
RIJN_API int rijn_ghash_update(const rijn_ghash_key *key, uint8_t acc[16], const void *in, size_t nblk);
/* Zeros for the whole key. NULL is fine. */
RIJN_API void rijn_ghash_wipe(rijn_ghash_key *key);

/* ---------------------------------------------------------------- AES-GCM-SIV (RFC 8452)
 *
 * Authenticated encryption that forgives a nonce used twice. All that is given away then is whether the two messages,
 * their associated data included, are equal. It is for those who cannot be sure that a nonce is new. It is slower than
 * GCM, for short messages most: each message makes keys of its own from its nonce, and its text is gone over twice.
 * Nonces have 12 bytes. One key takes at most 2^32 messages with random nonces. RFC 8452, section 6, has more bounds.
 * The tag has 16 bytes, and can be sent beside or behind the ciphertext. The keystream is made from it.
 * AES-GCM-SIV does not commit to its key: one ciphertext can be made to open under two keys.
 * CT: the nonce and the tag, hence the counters, are public. The keys made from the nonce are secret.
 *
 * Limits per call: 2^36 bytes of text, and 2^36 of associated data (section 6).
 */
#define RIJN_GCM_SIV_KEY_SIZE 320
typedef struct rijn_gcm_siv_key {
  RIJN_ALIGN16 unsigned char opaque[RIJN_GCM_SIV_KEY_SIZE];
} rijn_gcm_siv_key;

#define RIJN_GCM_SIV_MAX_LEN (UINT64_C(1) << 36)
#define RIJN_GCM_SIV_NONCE_LEN 12
#define RIJN_GCM_SIV_TAG_LEN 16

/* Makes a key, which the RFC calls the key-generating key, from 16, 24 or 32 raw bytes. RIJN_EKEYLEN for any other
 * length. The RFC has no AES-192: with 24 bytes Rijn derives the keys of a message as OpenSSL does, by five blocks. */
RIJN_API int rijn_gcm_siv_init(rijn_gcm_siv_key *key, const void *raw, size_t raw_len);
RIJN_API int rijn_gcm_siv_init_impl(rijn_gcm_siv_key *key, const void *raw, size_t raw_len, int impl);
/* Zeros for the whole key. NULL is fine. */
RIJN_API void rijn_gcm_siv_wipe(rijn_gcm_siv_key *key);
/* Encrypts len bytes and writes the tag. Out: len bytes; tag: 16. */
RIJN_API int rijn_gcm_siv_encrypt(const rijn_gcm_siv_key *key, void *out, const void *in, size_t len, const void *aad,
                                  size_t aad_len, const uint8_t nonce[12], void *tag);
/* Decrypts and then checks the tag, because the tag is made from the text. RIJN_EAUTH: out is all zeros. The tag is
 * only read. */
RIJN_API int rijn_gcm_siv_decrypt(const rijn_gcm_siv_key *key, void *out, const void *in, size_t len, const void *aad,
                                  size_t aad_len, const uint8_t nonce[12], const void *tag);
/* The tag behind the text: as rijn_gcm_seal and rijn_gcm_open. */
RIJN_API int rijn_gcm_siv_seal(const rijn_gcm_siv_key *key, void *out, const void *in, size_t len, const void *aad,
                               size_t aad_len, const uint8_t nonce[12]);
RIJN_API int rijn_gcm_siv_open(const rijn_gcm_siv_key *key, void *out, const void *in, size_t len, const void *aad,
                               size_t aad_len, const uint8_t nonce[12]);
/* Batches: as those of GCM. */
typedef struct rijn_gcm_siv_msg {
  size_t size; /* sizeof(rijn_gcm_siv_msg), so that the struct can grow */
  const rijn_gcm_siv_key *key;
  void *out;
  const void *in;
  size_t len;
  const void *aad;
  size_t aad_len;
  const uint8_t *nonce; /* 12 bytes */
  void *tag;            /* 16 bytes: written by encrypt, only read by decrypt */
  int result;
} rijn_gcm_siv_msg;
#define RIJN_GCM_SIV_MSG_INIT                                                                                          \
  { sizeof(rijn_gcm_siv_msg), NULL, NULL, NULL, 0, NULL, 0, NULL, NULL, 0 }
RIJN_API int rijn_gcm_siv_encrypt_batch(rijn_gcm_siv_msg *msgs, size_t n);
RIJN_API int rijn_gcm_siv_decrypt_batch(rijn_gcm_siv_msg *msgs, size_t n);

/* ---------------------------------------------------------------- XAES-256-GCM (C2SP)
 *
 * AES-256-GCM for nonces of 24 bytes, which may be random. It is for those who cannot keep a counter: with random
 * nonces 2^80 messages a key are safe (C2SP, XAES-256-GCM). A nonce used twice is as bad as with GCM.
 * Each message has a key of its own, made from this one and the first half of the nonce. The second half is GCM's
 * nonce.
 * Keys have 32 bytes, nonces 24, tags 16. It does not commit to its key: one ciphertext can be made to open under two
 * keys.
 *
 * Limits per call: GCM's.
 */
#define RIJN_XAES_KEY_SIZE 320
typedef struct rijn_xaes_key {
  RIJN_ALIGN16 unsigned char opaque[RIJN_XAES_KEY_SIZE];
} rijn_xaes_key;
#define RIJN_XAES_NONCE_LEN 24
#define RIJN_XAES_TAG_LEN 16
/* raw_len: 32, or RIJN_EKEYLEN. */
RIJN_API int rijn_xaes_init(rijn_xaes_key *key, const void *raw, size_t raw_len);
RIJN_API int rijn_xaes_init_impl(rijn_xaes_key *key, const void *raw, size_t raw_len, int impl);
/* Zeros for the whole key. NULL is fine. */
RIJN_API void rijn_xaes_wipe(rijn_xaes_key *key);
/* As rijn_gcm_encrypt and rijn_gcm_decrypt. */
RIJN_API int rijn_xaes_encrypt(const rijn_xaes_key *key, void *out, const void *in, size_t len, const void *aad,
                               size_t aad_len, const uint8_t nonce[24], void *tag);
RIJN_API int rijn_xaes_decrypt(const rijn_xaes_key *key, void *out, const void *in, size_t len, const void *aad,
                               size_t aad_len, const uint8_t nonce[24], const void *tag);
/* The tag behind the text: as rijn_gcm_seal and rijn_gcm_open. */
RIJN_API int rijn_xaes_seal(const rijn_xaes_key *key, void *out, const void *in, size_t len, const void *aad,
                            size_t aad_len, const uint8_t nonce[24]);
RIJN_API int rijn_xaes_open(const rijn_xaes_key *key, void *out, const void *in, size_t len, const void *aad,
                            size_t aad_len, const uint8_t nonce[24]);

/* ---------------------------------------------------------------- AES-CCM (SP 800-38C)
 *
 * For protocols that ask for it: TLS, Matter, Bluetooth, SMB, BitLocker. Where there is a choice, GCM is many times
 * faster, because CCM's tag goes through the text block by block.
 * Never use a nonce twice with one key. Nonces have 7 to 13 bytes. Of what a nonce leaves of 15 bytes is the text's
 * length: it is below 2^16 with 13 bytes, 2^24 with 12, and so on (else RIJN_ELEN). One key encrypts at most 2^61
 * blocks, those of associated data included (section 5.3).
 * Tags have 4, 6, 8, 10, 12, 14 or 16 bytes. The length belongs to the key, as with GCM.
 * CCM does not commit to its key: one ciphertext can be made to open under two keys.
 */
#define RIJN_CCM_KEY_SIZE 320
typedef struct rijn_ccm_key {
  RIJN_ALIGN16 unsigned char opaque[RIJN_CCM_KEY_SIZE];
} rijn_ccm_key;
/* Makes a key from 16, 24 or 32 raw bytes. Tags are 16 bytes, or tag_len. */
RIJN_API int rijn_ccm_init(rijn_ccm_key *key, const void *raw, size_t raw_len);
RIJN_API int rijn_ccm_init_taglen(rijn_ccm_key *key, const void *raw, size_t raw_len, size_t tag_len);
RIJN_API int rijn_ccm_init_impl(rijn_ccm_key *key, const void *raw, size_t raw_len, size_t tag_len, int impl);
/* Bytes of tag that this key makes and checks; 0 for one of zeros. */
RIJN_API size_t rijn_ccm_tag_len(const rijn_ccm_key *key);
/* Zeros for the whole key. NULL is fine. */
RIJN_API void rijn_ccm_wipe(rijn_ccm_key *key);
/* As rijn_gcm_encrypt and rijn_gcm_decrypt. The text is decrypted before its tag is known. RIJN_EAUTH: out is all
 * zeros. */
RIJN_API int rijn_ccm_encrypt(const rijn_ccm_key *key, void *out, const void *in, size_t len, const void *aad,
                              size_t aad_len, const void *nonce, size_t nonce_len, void *tag);
RIJN_API int rijn_ccm_decrypt(const rijn_ccm_key *key, void *out, const void *in, size_t len, const void *aad,
                              size_t aad_len, const void *nonce, size_t nonce_len, const void *tag);

/* ---------------------------------------------------------------- AES-XTS (IEEE 1619, SP 800-38E)
 *
 * XTS HAS NO INTEGRITY: a changed ciphertext decrypts to something, and nobody is told.
 * Keys have 32 bytes (AES-128) or 64 (AES-256), the data key first. Equal halves are refused.
 * A data unit has 16 bytes to 2^20 blocks. Lengths that are no multiple of 16 use ciphertext stealing.
 * One key takes at most 2^64 blocks in all (IEEE 1619, section 5.1), better far fewer. With 2^n blocks an attacker's
 * chance to see that two of them collide is about 2^(2n-128). For 2^44 blocks (256 TiB) that is 2^-40. The caller
 * counts.
 */
#define RIJN_XTS_KEY_SIZE 1024
typedef struct rijn_xts_key {
  RIJN_ALIGN16 unsigned char opaque[RIJN_XTS_KEY_SIZE];
} rijn_xts_key;
#define RIJN_XTS_MAX_LEN (UINT64_C(1) << 24)
RIJN_API int rijn_xts_init(rijn_xts_key *key, const void *raw, size_t raw_len);
RIJN_API int rijn_xts_init_impl(rijn_xts_key *key, const void *raw, size_t raw_len, int impl);
/* Zeros for the whole key. NULL is fine. */
RIJN_API void rijn_xts_wipe(rijn_xts_key *key);
RIJN_API int rijn_xts_encrypt(const rijn_xts_key *key, void *out, const void *in, size_t len, const uint8_t tweak[16]);
RIJN_API int rijn_xts_decrypt(const rijn_xts_key *key, void *out, const void *in, size_t len, const uint8_t tweak[16]);
/* A run of sectors: sector i has the tweak LE128(first + i*step), which is that number as 16 little-endian bytes. The
 * step is 1 for plain64 with 512-byte sectors, 8 for dm-crypt with 4096, and the sector size for GELI. sector_size is a
 * power of two from 512 to 65536. A first + i*step past 2^64 - 1 is refused (RIJN_ESECTOR), as is a total over
 * SIZE_MAX. */
RIJN_API int rijn_xts_encrypt_sectors(const rijn_xts_key *key, void *out, const void *in, size_t sector_size,
                                      size_t sectors, uint64_t first, uint64_t step);
RIJN_API int rijn_xts_decrypt_sectors(const rijn_xts_key *key, void *out, const void *in, size_t sector_size,
                                      size_t sectors, uint64_t first, uint64_t step);
/* The general form: sector i has the 16 bytes at tweaks + 16*i. */
RIJN_API int rijn_xts_encrypt_tweaks(const rijn_xts_key *key, void *out, const void *in, size_t sector_size,
                                     size_t sectors, const uint8_t *tweaks);
RIJN_API int rijn_xts_decrypt_tweaks(const rijn_xts_key *key, void *out, const void *in, size_t sector_size,
                                     size_t sectors, const uint8_t *tweaks);

/* ---------------------------------------------------------------- AES (FIPS 197): ECB, CBC, CFB, CTR (SP 800-38A)
 *
 * None of these has integrity. A key object serves all four, and both directions. But use each key for one mode: what
 * ECB or CBC encrypts could be a counter of CTR. One key takes as many blocks as with XTS. The first iv of CBC must be
 * one that nobody can foretell (SP 800-38A, appendix C).
 */
#define RIJN_AES_KEY_SIZE 768
typedef struct rijn_aes_key {
  RIJN_ALIGN16 unsigned char opaque[RIJN_AES_KEY_SIZE];
} rijn_aes_key;
RIJN_API int rijn_aes_init(rijn_aes_key *key, const void *raw, size_t raw_len);
RIJN_API int rijn_aes_init_impl(rijn_aes_key *key, const void *raw, size_t raw_len, int impl);
/* Zeros for the whole key. NULL is fine. */
RIJN_API void rijn_aes_wipe(rijn_aes_key *key);

/* n blocks of 16 bytes, each on its own: equal blocks stay equal. A building block, not a mode for data. */
RIJN_API int rijn_ecb_encrypt(const rijn_aes_key *key, void *out, const void *in, size_t nblk);
RIJN_API int rijn_ecb_decrypt(const rijn_aes_key *key, void *out, const void *in, size_t nblk);

/* CBC over whole blocks. iv is the chaining value: read, and replaced by the one to go on with. */
RIJN_API int rijn_cbc_encrypt(const rijn_aes_key *key, void *out, const void *in, size_t nblk, uint8_t iv[16]);
RIJN_API int rijn_cbc_decrypt(const rijn_aes_key *key, void *out, const void *in, size_t nblk, uint8_t iv[16]);
/* CBC with PKCS#7 padding (RFC 5652, section 6.3). Encryption adds 1 to 16 bytes, up to the next multiple of 16, and
 * out has room for them.
 * PADDING ORACLES: whoever learns whether a padding was valid can decrypt without the key. Authenticate the ciphertext
 * before you decrypt.
 * Decryption takes a len that is a positive multiple of 16. *out_len gets the length without padding. The check takes
 * the same time for every padding. On RIJN_EPADDING out is all zeros. */
RIJN_API int rijn_cbc_encrypt_pkcs7(const rijn_aes_key *key, void *out, size_t *out_len, const void *in, size_t len,
                                    const uint8_t iv[16]);
RIJN_API int rijn_cbc_decrypt_pkcs7(const rijn_aes_key *key, void *out, size_t *out_len, const void *in, size_t len,
                                    const uint8_t iv[16]);

/* Many texts in one call. What CBC encrypts waits for the block before, so one text leaves the processor waiting; eight
 * under one key take hardly longer than one. Texts are independent, each with its own key (keys may repeat; those under
 * one key are best side by side), iv and length: what is written for one, its iv too, must not overlap anything of
 * another. Each result is in its descriptor, as rijn_cbc_encrypt would return it; a bad one does not stop the others.
 * Returns how many texts failed (0: all is well), or a negative error when the call itself is refused, as
 * rijn_gcm_encrypt_batch is. */
typedef struct rijn_cbc_msg {
  size_t size; /* sizeof(rijn_cbc_msg), so that the struct can grow */
  const rijn_aes_key *key;
  void *out;
  const void *in;
  size_t nblk;
  uint8_t *iv; /* 16 bytes: read, and replaced by the one to go on with */
  int result;
} rijn_cbc_msg;
RIJN_API int rijn_cbc_encrypt_many(rijn_cbc_msg *msgs, size_t n);

/* CFB with segments of a block (CFB128; section 6.3), for any length, in pieces of any length. OpenPGP has it.
 * State: used (0 to 15) is how many bytes of a block are done. iv is the block of ciphertext before; where used is not
 * 0, it is the ciphertext so far, and behind it the keystream of the rest. Start with iv = the initialisation vector,
 * which nobody may be able to foretell, and used = 0. When done, wipe the state by rijn_cfb_wipe; it is refused
 * (RIJN_ESTATE) until it is begun anew. */
typedef struct rijn_cfb_state {
  uint8_t iv[16];
  uint32_t used;
} rijn_cfb_state;
RIJN_API int rijn_cfb_encrypt(const rijn_aes_key *key, void *out, const void *in, size_t len, rijn_cfb_state *state);
RIJN_API int rijn_cfb_decrypt(const rijn_aes_key *key, void *out, const void *in, size_t len, rijn_cfb_state *state);
RIJN_API void rijn_cfb_wipe(rijn_cfb_state *state);

/* CTR with a 128-bit big-endian counter and full carry, for any length, in pieces of any length.
 * State: ctr is the counter of the next block. used (0 to 15) is how many bytes of the block before it are spent, and
 * ks is that block's keystream. Start with ctr = the first counter and used = 0. Never use a counter block twice with
 * one key. The keystream stays in the state: when done, wipe it by rijn_ctr_wipe.
 * 32-bit variant: it counts as GCM does, and carries within the last four bytes only. Its counters come again after
 * 2^32 blocks. A call that would meet one twice by itself (len over 2^36 - used) is refused (RIJN_ELEN). Over several
 * calls the caller counts.
 * CT: the counter is public, as a nonce is. Calls of more than a block are faster for it: their time and the memory
 * they read tell something of its last byte, and whether it carries. Where the counter is a secret, start with
 * used = RIJN_CTR_SECRET. Then neither time nor memory access depends on it. Calls leave that mark in used. Secret
 * counters are the state of a random generator, EAX's, and SSH's, which derives them from the key exchange. */
#define RIJN_CTR_SECRET UINT32_C(0x10000)
typedef struct rijn_ctr_state {
  uint8_t ctr[16];
  uint8_t ks[16];
  uint32_t used;
} rijn_ctr_state;
RIJN_API int rijn_ctr_crypt(const rijn_aes_key *key, void *out, const void *in, size_t len, rijn_ctr_state *state);
RIJN_API int rijn_ctr32_crypt(const rijn_aes_key *key, void *out, const void *in, size_t len, rijn_ctr_state *state);
/* Zeros for counter and keystream. A wiped state is refused (RIJN_ESTATE) until it is begun anew, because 0 would be a
 * counter like any other. */
RIJN_API void rijn_ctr_wipe(rijn_ctr_state *state);

/* ---------------------------------------------------------------- sizes, for those who cannot see a struct
 *
 * What sizeof says of rijn_gcm_key and its like, in bytes, in the library that is running. It is for bindings of other
 * languages, which ask once, allocate so much, aligned to 16 bytes, and zero it (see Keys above). C has the structs.
 * The descriptors (rijn_iov, rijn_gcm_msg, rijn_gcm_siv_msg, rijn_gcm_rows, rijn_cbc_msg) are open: bindings declare
 * them.
 */
RIJN_API size_t rijn_gcm_key_size(void);
RIJN_API size_t rijn_gcm_stream_size(void);
RIJN_API size_t rijn_esp_key_size(void);
RIJN_API size_t rijn_ghash_key_size(void);
RIJN_API size_t rijn_gcm_siv_key_size(void);
RIJN_API size_t rijn_xaes_key_size(void);
RIJN_API size_t rijn_ccm_key_size(void);
RIJN_API size_t rijn_xts_key_size(void);
RIJN_API size_t rijn_aes_key_size(void);
RIJN_API size_t rijn_ctr_state_size(void);
RIJN_API size_t rijn_cfb_state_size(void);

#ifdef __cplusplus
}
#endif
#endif
