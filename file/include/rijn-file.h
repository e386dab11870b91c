/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#ifndef RIJN_FILE_H
#define RIJN_FILE_H
/*
 * librijn-file: encrypted files that are read and written in parallel, from anywhere in the middle too.
 *
 * The formats are those of others, so that others can read them:
 *
 *   Cobblestone-256, Cobblestone-128   C2SP chunked-encryption (c2sp.org/chunked-encryption). The length of the key
 *                                      says which: 32 or 16 bytes.
 *   Tink                               streaming AEAD AES256_GCM_HKDF and AES128_GCM_HKDF with segments of 4 KiB and
 *                                      1 MiB, SHA-256, and derived keys as long as the key.
 *
 * All of them cut a text into chunks, each encrypted with AES-GCM, and put the place of a chunk into its nonce. So
 * chunks that were altered, moved, cut off or added are found, and each one can be read alone.
 *
 * In front of a stream of Cobblestone-256 there can be a header, which holds the stream's key encrypted for a
 * passphrase or for public keys; doc/file-format.md describes it to the byte. Behind the header the stream is the
 * standard one.
 *
 * Conventions
 * -----------
 * Result     0, or a negative code: RIJN_FILE_E... of this header, or RIJN_E... of rijn.h. rijn_file_strerror() names
 *            both. A call that has a parameter `e` tells there more (NULL: not wanted).
 * Text       that is not verified is handed to nobody.
 * Threads    calls on one object must not overlap; different objects are independent. A call starts threads of its
 *            own, at most as many as the parameters say, and ends them before it returns. They take no signals.
 * Memory     at most 1.1 MiB a thread with Cobblestone (2.1 MiB with Tink and segments of 1 MiB), whatever the size
 *            of the file. Argon2id takes what the header of a file asks for, up to a limit that the caller sets.
 * Structs    begin with their size, so that they can grow: set `size` to sizeof, and what you do not use to 0.
 * Secrets    are wiped before a call returns; keys in your own structs are yours to wipe.
 */
#include <rijn.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define RIJN_FILE_API __attribute__((visibility("default")))
#else
#define RIJN_FILE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- errors */

enum {
  RIJN_FILE_EREAD = -101,     /* the input cannot be read (e->system) */
  RIJN_FILE_EWRITE = -102,    /* the output cannot be written (e->system) */
  RIJN_FILE_EHEADER = -103,   /* the input ends within its header */
  RIJN_FILE_EKEY = -104,      /* wrong key, wrong context, or the header is altered */
  RIJN_FILE_EALTERED = -105,  /* a chunk does not verify: altered, out of order, or something follows the last one */
  RIJN_FILE_ELAST = -106,     /* the last chunk does not verify: altered, out of order, cut short or extended */
  RIJN_FILE_EMISSING = -107,  /* the last chunk is missing: the input was cut short */
  RIJN_FILE_ETAG = -108,      /* the last chunk is shorter than its tag: the input was cut short or extended */
  RIJN_FILE_ELONG = -109,     /* longer than the format's limit */
  RIJN_FILE_ESHRUNK = -110,   /* the input became shorter while it was read */
  RIJN_FILE_EMEMORY = -111,   /* out of memory, or no thread could be started */
  RIJN_FILE_ECRYPTO = -112,   /* libsodium or libargon2 failed */
  RIJN_FILE_ERANDOM = -113,   /* the system gives no random bytes (e->system) */
  RIJN_FILE_EARGUMENT = -114, /* an argument that makes no sense */
  RIJN_FILE_ERANGE = -115,    /* beyond the end of the text */
  RIJN_FILE_ECANCEL = -116,   /* the progress function asked for the end */
  RIJN_FILE_EKEYTEXT = -117,  /* no key as text: another form, or the checksum does not match */
  RIJN_FILE_EFORM = -118,     /* the header of keys contradicts itself: damaged, or made to confuse */
  RIJN_FILE_EVERSION = -119,  /* the header of keys has a version that this library does not know */
  RIJN_FILE_ECOST = -120,     /* the header asks for more memory or time than the limits allow */
  RIJN_FILE_ENOSLOT = -121,   /* the header has nothing for what was given (passphrase, secret key) */
  RIJN_FILE_EUNLOCK = -122    /* wrong passphrase, not for this secret key, or the header is altered */
};

typedef struct rijn_file_error {
  int code;          /* what the call returned */
  int system;        /* errno, or 0 */
  uint64_t chunk;    /* where it was a chunk: its number, from 0, ... */
  uint64_t from, to; /* ... and its bytes in the input, from <= i < to; equal: the place where it is missing */
} rijn_file_error;

/* What an error code means, one line. Never NULL. */
RIJN_FILE_API const char *rijn_file_strerror(int code);
/* The version of the library that is running. */
RIJN_FILE_API const char *rijn_file_version(void);

/* ---------------------------------------------------------------- parameters */

enum { RIJN_FILE_COBBLESTONE = 0, RIJN_FILE_TINK_4KB = 1, RIJN_FILE_TINK_1MB = 2 };

/* Longest context; Tink calls it associated data. */
#define RIJN_FILE_MAX_CONTEXT 16384

typedef struct rijn_file_params {
  size_t size;
  int format;
  const void *key; /* 16 or 32 bytes, uniformly random; one key can encrypt as many texts as you like */
  size_t key_len;
  const void *context; /* what the text is about; reading needs the same. Not secret, not stored */
  size_t context_len;
  uint64_t start;   /* where the stream begins in the input: behind a header, or 0. Errors count from the input's 0 */
  unsigned threads; /* 0: one for each processor, at most 8 */
} rijn_file_params;

/* Bytes of the encryption of text_len bytes, and the reverse. The reverse: RIJN_FILE_EHEADER, EMISSING, ETAG for a
 * length that no complete stream has; *text_len gets what can be read even so. */
RIJN_FILE_API int rijn_file_sealed_len(const rijn_file_params *p, uint64_t text_len, uint64_t *sealed_len);
RIJN_FILE_API int rijn_file_text_len(const rijn_file_params *p, uint64_t sealed_len, uint64_t *text_len);
/* Chunks of a text of that length. */
RIJN_FILE_API int rijn_file_chunk_count(const rijn_file_params *p, uint64_t text_len, uint64_t *chunks);

/* ---------------------------------------------------------------- whole files */

/* In a job: out is an empty file that nobody else writes. Its space is reserved before the work. Pieces are written in
 * any order as they are done, and the system is asked to bring them to the disk at once. The caller synchronises
 * (fsync). Do not set it for a pipe, or for a file that has something in it. */
#define RIJN_FILE_OWN_OUTPUT 1u
/* Beside it: pieces go to the disk when the system likes. For a caller that does not synchronise. */
#define RIJN_FILE_NO_HURRY 2u

typedef struct rijn_file_job {
  size_t size;
  int in;           /* a descriptor, read from its position to its end */
  int out;          /* a descriptor; -1: nothing is written, which makes a decryption a verification */
  const void *head; /* bytes that were read from in before: they come first */
  size_t head_len;  /* at most 4096 */
  unsigned flags;   /* RIJN_FILE_OWN_OUTPUT, RIJN_FILE_NO_HURRY */
  void *user;       /* for the two functions */
  int (*progress)(void *user, uint64_t text_bytes); /* now and then; not 0: stop. NULL: not wanted */
  /* Decryption: a chunk that does not verify, in order of their numbers. 0: go on, with zeros in its place. Otherwise,
   * and where this is NULL, the job ends with the error. */
  int (*damage)(void *user, const rijn_file_error *e);
  uint64_t text_bytes; /* result: those done; of an ordered output that failed, those written */
  uint64_t chunks_bad; /* result: those that damage() was told of */
} rijn_file_job;

/* The first bad chunk, by its number, is the error, however many threads there are. An output that is no file of its
 * own gets all verified text before it, in order, and nothing after. */
RIJN_FILE_API int rijn_file_encrypt_fd(const rijn_file_params *p, rijn_file_job *job, rijn_file_error *e);
RIJN_FILE_API int rijn_file_decrypt_fd(const rijn_file_params *p, rijn_file_job *job, rijn_file_error *e);

/* ---------------------------------------------------------------- writer: text is pushed */

typedef struct rijn_file_writer rijn_file_writer;
/* Gets all len bytes, in order: 0, or an errno value, which ends the writing. Called in the caller's thread or
 * another, never twice at once. */
typedef int rijn_file_sink(void *user, const void *bytes, size_t len);

/* Begins a stream: what stands before its first chunk goes to sink. Text may come in pieces of any length. */
RIJN_FILE_API int rijn_file_writer_new(rijn_file_writer **w, const rijn_file_params *p, rijn_file_sink *sink,
                                       void *user, rijn_file_error *e);
RIJN_FILE_API int rijn_file_write(rijn_file_writer *w, const void *text, size_t len, rijn_file_error *e);
/* The last chunk. Without it the stream is incomplete, and its readers see that. */
RIJN_FILE_API int rijn_file_finish(rijn_file_writer *w, rijn_file_error *e);
/* Wipes and frees. NULL is fine. Nothing is written. */
RIJN_FILE_API void rijn_file_writer_free(rijn_file_writer *w);

/* ---------------------------------------------------------------- reader: any range */

typedef struct rijn_file_reader rijn_file_reader;
/* All len bytes from position at of the input: 0, or an errno value. It is never asked for bytes at or beyond the
 * input's length. Several threads call it at once, unless the parameters say one. */
typedef int rijn_file_source(void *user, void *bytes, size_t len, uint64_t at);

/* input_len is that of the whole input, p->start included. The header of the stream is read and the key checked. An
 * input that was cut short opens, and says so: rijn_file_complete. */
RIJN_FILE_API int rijn_file_open(rijn_file_reader **r, const rijn_file_params *p, rijn_file_source *source, void *user,
                                 uint64_t input_len, rijn_file_error *e);
/* The same of a regular file, by pread; fd stays the caller's. */
RIJN_FILE_API int rijn_file_open_fd(rijn_file_reader **r, const rijn_file_params *p, int fd, rijn_file_error *e);
/* Bytes of the text, and chunks. */
RIJN_FILE_API uint64_t rijn_file_length(const rijn_file_reader *r);
RIJN_FILE_API uint64_t rijn_file_chunks(const rijn_file_reader *r);
/* 0, or RIJN_FILE_EMISSING, RIJN_FILE_ETAG: the length alone shows that the end is not there. 0 does not prove that a
 * file is whole: a length that is possible can still be that of a cut one. The last chunk tells (rijn_file_verify). */
RIJN_FILE_API int rijn_file_complete(const rijn_file_reader *r);
/* Exactly len bytes of text from at. Only the chunks that hold them are read. If one of these does not verify, buf has
 * nothing but zeros. One call at a time on a reader. RIJN_FILE_ERANGE beyond the end.
 * A range that reaches the end of the text, also one of 0 bytes there, verifies the last chunk too, which can be
 * without text. So a text that was cut, and closed by other bytes, is refused. Where rijn_file_complete is not 0, there
 * is no last chunk to verify. */
RIJN_FILE_API int rijn_file_pread(rijn_file_reader *r, void *buf, size_t len, uint64_t at, rijn_file_error *e);
/* Every chunk. damage as in a job, or NULL: then the first bad one is the result. */
RIJN_FILE_API int rijn_file_verify(rijn_file_reader *r, int (*damage)(void *user, const rijn_file_error *e), void *user,
                                   rijn_file_error *e);
/* Wipes and frees. NULL is fine. */
RIJN_FILE_API void rijn_file_close(rijn_file_reader *r);

/* ---------------------------------------------------------------- keys as text
 *
 * KIND:HEX-CHECK, one word without blanks: rijn-aes256-key:00112233...-89abcdef. Case matters. Reading and writing
 * take a time that does not depend on the key. */

enum {
  RIJN_FILE_KEY_AES128 = 1, /* 16 bytes */
  RIJN_FILE_KEY_AES256 = 2, /* 32 */
  RIJN_FILE_KEY_SECRET = 3, /* X25519, 32 bytes; opens what was made for its public key */
  RIJN_FILE_KEY_PUBLIC = 4  /* X25519, 32 bytes */
};
#define RIJN_FILE_KEY_TEXT 96    /* with the terminating 0 */
#define RIJN_FILE_FINGERPRINT 33 /* 128 bits in hexadecimal, and a 0 */

RIJN_FILE_API int rijn_file_key_write(int kind, const void *raw, char text[RIJN_FILE_KEY_TEXT]);
/* The word of len bytes. RIJN_FILE_EKEYTEXT: it is none. */
RIJN_FILE_API int rijn_file_key_read(const char *text, size_t len, int *kind, uint8_t raw[32], size_t *raw_len);
/* Names a key without giving it away: a part of its SHA-256. */
RIJN_FILE_API int rijn_file_fingerprint(int kind, const void *raw, char text[RIJN_FILE_FINGERPRINT]);
/* A new random key of any kind but PUBLIC; and the public key of a secret one. */
RIJN_FILE_API int rijn_file_key_new(int kind, uint8_t raw[32]);
RIJN_FILE_API int rijn_file_key_public(const uint8_t secret[32], uint8_t public_key[32]);

/* ---------------------------------------------------------------- header of keys
 *
 * doc/file-format.md. It holds the key of the stream behind it, encrypted for a passphrase (Argon2id), for public keys
 * (HPKE: X25519, HKDF-SHA256, AES-256-GCM), or for both; any one of them opens it. The key goes into
 * rijn_file_params.key, and the header's length into .start. */

#define RIJN_FILE_HEADER_MIN 12   /* so many bytes tell whether there is one, and how long it is */
#define RIJN_FILE_HEADER_MAX 8192 /* bytes of the longest */
#define RIJN_FILE_MAX_RECIPIENTS 64

/* Argon2id, version 1.3 (RFC 9106). Zeros: 64 MiB, 3 passes, 4 lanes, which is the RFC's second recommendation. */
typedef struct rijn_file_cost {
  uint32_t memory_kib, passes, lanes;
} rijn_file_cost;

typedef struct rijn_file_lock {
  size_t size;
  const char *passphrase; /* NULL: none */
  size_t passphrase_len;
  rijn_file_cost cost;
  const uint8_t (*public_keys)[32];
  size_t public_keys_n; /* at most RIJN_FILE_MAX_RECIPIENTS */
} rijn_file_lock;
/* A header, and the new random key that it holds. */
RIJN_FILE_API int rijn_file_header_make(const rijn_file_lock *lock, uint8_t header[RIJN_FILE_HEADER_MAX],
                                        size_t *header_len, uint8_t key[32], rijn_file_error *e);

/* Length of the header that begins with these n bytes; 0: none does, or n is less than RIJN_FILE_HEADER_MIN. EVERSION,
 * EFORM. */
RIJN_FILE_API int rijn_file_header_len(const void *bytes, size_t n, size_t *header_len);

/* What a header says without a key. */
typedef struct rijn_file_header_info {
  size_t size;
  int version;
  int passphrase; /* 1: there is one, of this cost */
  rijn_file_cost cost;
  unsigned recipients;
  unsigned unknown; /* ways to open it that this library does not know */
} rijn_file_header_info;
RIJN_FILE_API int rijn_file_header_read(const void *header, size_t header_len, rijn_file_header_info *info);

typedef struct rijn_file_unlock {
  size_t size;
  const char *passphrase; /* NULL: none */
  size_t passphrase_len;
  const uint8_t *secret_key; /* 32 bytes, or NULL */
  rijn_file_cost limit;      /* of the cost; zeros: 1 GiB, 16 passes, 16 lanes */
} rijn_file_unlock;
/* ENOSLOT, ECOST (nothing was computed), EUNLOCK, and what rijn_file_header_len says. Then key is zeros. */
RIJN_FILE_API int rijn_file_header_open(const void *header, size_t header_len, const rijn_file_unlock *unlock,
                                        uint8_t key[32], rijn_file_error *e);

#ifdef __cplusplus
}
#endif
#endif
