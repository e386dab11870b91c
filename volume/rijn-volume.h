/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#ifndef RIJN_VOLUME_H
#define RIJN_VOLUME_H
/*
 * Encrypted disks at the speed of AES-XTS, without root: LUKS1, LUKS2, GELI, VeraCrypt, TrueCrypt and BitLocker.
 *
 * A volume lies on a disk, which is four calls of yours (read, write, flush, trim). rijn_volume_load reads its header
 * and needs no key. rijn_volume_unlock derives one. From then on rijn_volume_pread shows the plain volume.
 *
 * Conventions that all calls share
 * --------------------------------
 * Lengths    and offsets are bytes. An offset counts from the start of what the call is about: the disk or the volume.
 * Result     of calls about headers and keys: RIJN_VOLUME_OK, or a negative RIJN_VOLUME_E..., with a sentence in *err
 *            (NULL: no sentence is wanted). Of calls about data: 0, or an errno value (EIO, EROFS, EINVAL, ENOMEM).
 * Refusals   What this library does not understand is refused by name before a key is derived. It never shows wrong
 *            bytes as right ones; but XTS and CBC have no integrity: ciphertext that someone changed decrypts to noise.
 * Threads    All calls about data may run at once on one volume. A call about headers or keys runs alone.
 * Secrets    lie in pages that a core dump leaves out. rijn_volume_lock keeps them out of the swap. They are wiped by
 *            rijn_volume_close.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define RIJN_VOLUME_API __attribute__((visibility("default")))
#else
#define RIJN_VOLUME_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
  RIJN_VOLUME_OK = 0,
  RIJN_VOLUME_EARG = -1,          /* an argument that no volume fits */
  RIJN_VOLUME_EIO = -2,           /* the disk, or a file beside it, cannot be read or written */
  RIJN_VOLUME_EMEM = -3,          /* out of memory */
  RIJN_VOLUME_ECRYPTO = -4,       /* libcrypto or the core library failed, or has no such hash */
  RIJN_VOLUME_EFORMAT = -5,       /* no header of a kind that is known here */
  RIJN_VOLUME_EDAMAGED = -6,      /* a header whose checksum or structure is wrong */
  RIJN_VOLUME_EVERSION = -7,      /* a header of a newer version */
  RIJN_VOLUME_ECIPHER = -8,       /* another cipher or mode */
  RIJN_VOLUME_EKEYLEN = -9,       /* a key length that the cipher does not have */
  RIJN_VOLUME_EINTEGRITY = -10,   /* authenticated or integrity-protected sectors */
  RIJN_VOLUME_ESECTOR = -11,      /* sector size */
  RIJN_VOLUME_ESIZE = -12,        /* the header says another size than the disk has */
  RIJN_VOLUME_EFLAGS = -13,       /* a flag that changes what sectors mean */
  RIJN_VOLUME_ESEGMENT = -14,     /* segments: several, or of another type */
  RIJN_VOLUME_EREQUIREMENT = -15, /* the header requires something unknown here */
  RIJN_VOLUME_EREENCRYPT = -16,   /* a reencryption is in progress */
  RIJN_VOLUME_EIVTWEAK = -17,     /* iv_tweak is not 0 */
  RIJN_VOLUME_EROUNDS = -18,      /* a number of rounds that means nothing */
  RIJN_VOLUME_EKEYSLOT = -19,     /* no key slot that can be used */
  RIJN_VOLUME_ECOST = -20,        /* deriving the key would take more memory or rounds than the limit */
  RIJN_VOLUME_EAMBIGUOUS = -21,   /* two headers, and nothing tells which is meant */
  RIJN_VOLUME_EKEY = -22,         /* passphrase or key file open no key slot */
  RIJN_VOLUME_EREADONLY = -23,    /* the volume or its disk is read only */
  RIJN_VOLUME_EFULL = -24,        /* no free key slot, or no room for one */
  RIJN_VOLUME_EBUSY = -25         /* another program uses the disk, or has changed the header meanwhile */
};

typedef struct rijn_volume_error {
  int code;
  char text[360]; /* one sentence */
} rijn_volume_error;

/* A word for an error code, like "cipher" or "key"; never NULL. */
RIJN_VOLUME_API const char *rijn_volume_error_name(int code);

/* ---------------------------------------------------------------- disks
 *
 * Each call is for exactly len bytes at offset, within size; it answers 0 or an errno value. They may be called from
 * several threads at once. pwrite NULL: the disk is read only. flush NULL: nothing is ever unwritten. trim NULL: the
 * disk has no use for it. */
typedef struct rijn_volume_disk {
  void *handle;
  uint64_t size;
  unsigned sector_size; /* of a block device: 512 or 4096; 0: not known, as with a file */
  int (*pread)(void *handle, void *buf, size_t len, uint64_t offset);
  int (*pwrite)(void *handle, const void *buf, size_t len, uint64_t offset);
  int (*flush)(void *handle);
  int (*trim)(void *handle, uint64_t len, uint64_t offset);
} rijn_volume_disk;

/* A file or a block device. Close it with rijn_volume_disk_close. */
RIJN_VOLUME_API int rijn_volume_disk_open(rijn_volume_disk *disk, const char *path, bool read_only,
                                          rijn_volume_error *err);
RIJN_VOLUME_API void rijn_volume_disk_close(rijn_volume_disk *disk);
/* For whoever writes: nobody else with this library writes to it until it is closed. EBUSY, with who it is, where a
 * device is mounted, where QEMU has an image, or another process has claimed it. A disk of your own calls, and one that
 * is read only, is never claimed. rijn_volume_load does this for a volume that can be written, and
 * rijn_volume_create_on; call it before you look whether a disk is empty. */
RIJN_VOLUME_API int rijn_volume_disk_claim(const rijn_volume_disk *disk, rijn_volume_error *err);

/* Partitions: of a GPT, or of an MBR with its logical ones. number is the one that Linux and nbdkit give. */
typedef struct rijn_volume_partition {
  unsigned number;
  uint64_t offset, size;
  char type[37]; /* GUID, or two hexadecimal digits of an MBR's type */
  char name[109];
} rijn_volume_partition;
/* Up to room of them. *count gets how many there are, 0 where the disk has no partition table. */
RIJN_VOLUME_API int rijn_volume_partitions(const rijn_volume_disk *disk, rijn_volume_partition *list, size_t room,
                                           size_t *count, rijn_volume_error *err);
/* part becomes a disk on its own; disk must stay as long as it is used. Close part with rijn_volume_disk_close. */
RIJN_VOLUME_API int rijn_volume_disk_part(rijn_volume_disk *part, const rijn_volume_disk *disk, uint64_t offset,
                                          uint64_t size, rijn_volume_error *err);
/* The same for a partition by its number. */
RIJN_VOLUME_API int rijn_volume_disk_partition(rijn_volume_disk *part, const rijn_volume_disk *disk, unsigned number,
                                               rijn_volume_error *err);

/* ---------------------------------------------------------------- volumes */

typedef struct rijn_volume rijn_volume;

enum {
  RIJN_VOLUME_ANY = 0,
  RIJN_VOLUME_LUKS1 = 1,
  RIJN_VOLUME_LUKS2 = 2,
  RIJN_VOLUME_GELI = 3,
  RIJN_VOLUME_LUKS = 4,
  RIJN_VOLUME_VERACRYPT = 5, /* TrueCrypt too. ANY does not find it: without its key it looks like noise */
  RIJN_VOLUME_BITLOCKER = 6
};

/* All zeros is what most want. */
typedef struct rijn_volume_options {
  int format;               /* what is looked for: RIJN_VOLUME_LUKS is 1 or 2 */
  unsigned provider_sector; /* GELI: 512 or 4096, sector size of the disk that it was made on; 0: look for both */
  bool read_only;
  bool allow_discards;       /* LUKS: trim is passed down though the header does not ask for it */
  uint64_t limit_memory_kib; /* what Argon2 may take; 0: 4 GiB or half of the machine's memory */
  uint64_t limit_rounds;     /* rounds of PBKDF2, or passes times KiB of Argon2; 0: 20 million */
  unsigned pim;              /* VeraCrypt: the Personal Iterations Multiplier; 0: none */
  char hash[16];             /* VeraCrypt: only this one ("sha512"); "": each that is known */
  bool no_hidden;            /* VeraCrypt: an outer volume is written, whether or not a hidden one lies in it */
} rijn_volume_options;

typedef struct rijn_volume_slot {
  int number;
  char kdf[16];  /* pbkdf2, argon2i, argon2id; "" where the header does not say */
  char hash[32]; /* of PBKDF2 */
  uint64_t rounds, memory_kib;
  unsigned lanes;
  int priority;    /* LUKS2: 0 ignored unless named, 1 normal, 2 preferred */
  bool bound;      /* false: its key is not the volume's */
  bool understood; /* false: of a type that is not known here */
  char name[40];   /* VeraCrypt: which header; BitLocker: which protector */
} rijn_volume_slot;

typedef struct rijn_volume_token {
  int number;
  char type[48];
} rijn_volume_token;

/* What the header says. Strings from a disk are bytes of somebody else's: show them with care. */
typedef struct rijn_volume_facts {
  int format;
  unsigned version;
  char cipher[80]; /* as the format calls it, "aes-xts-plain64" or "AES-XTS" */
  unsigned key_bits;
  char hash[32]; /* LUKS1; VeraCrypt, once unlocked */
  unsigned sector_size;
  uint64_t data_offset, size; /* of the plain volume; size 0 where it is refused */
  char uuid[41], label[49], subsystem[49];
  bool detached, discards;
  bool read_only;              /* writes are refused, */
  bool reads_only;             /* ... because the cipher, the version or a flag of the header has it so */
  uint64_t header_size, epoch; /* LUKS2: one header's size, and how often it was written */
  int header_used;             /* LUKS2: 1 or 2 */
  bool fixed_size;             /* LUKS2: the segment's size stands in the header */
  char iv_tweak[24];           /* LUKS2, as it stands there */
  unsigned flags;              /* GELI */
  unsigned provider_sector;    /* GELI */
  uint64_t provider_size;      /* GELI */
  int rounds;                  /* GELI: of both slots; -1: no passphrase, 0: no PBKDF2; VeraCrypt, once unlocked */
  size_t slots_n, tokens_n, requirements_n;
  rijn_volume_slot slots[32];
  rijn_volume_token tokens[32];
  char requirements[16][64];
  unsigned digest_rounds; /* LUKS: of PBKDF2, by which a key is known to be the volume's; few make guessing cheap */
  int64_t created;        /* BitLocker: seconds since 1970; 0: not known */
  bool hides;             /* VeraCrypt, once unlocked: it may be the outer volume of a hidden one */
  bool opens_without_key; /* BitLocker: there is a clear key, because protection is suspended */
  bool copies_differ;     /* BitLocker: whole copies of the metadata contradict each other, so it is read only */
} rijn_volume_facts;

/* Reads the header of disk or, where header is not NULL, the header from there (a detached one of LUKS, a backup of
 * GELI). Both structs are copied. Their handles stay yours and must outlive the volume. A volume that cannot be opened
 * here is loaded all the same when its header can be read, so that its facts can be shown. rijn_volume_refusal says why
 * it cannot be opened. */
RIJN_VOLUME_API int rijn_volume_load(rijn_volume **volume, const rijn_volume_disk *disk, const rijn_volume_disk *header,
                                     const rijn_volume_options *options, rijn_volume_error *err);
/* What the header says, as long as the volume is open. */
RIJN_VOLUME_API const rijn_volume_facts *rijn_volume_facts_of(const rijn_volume *volume);
/* Code 0: nothing stands against unlocking it. */
RIJN_VOLUME_API const rijn_volume_error *rijn_volume_refusal(const rijn_volume *volume);
/* Wipes and frees. NULL is fine. What was written is not flushed by it. */
RIJN_VOLUME_API void rijn_volume_close(rijn_volume *volume);

typedef struct rijn_volume_bytes {
  const void *data;
  size_t len;
} rijn_volume_bytes;

/* What opens a volume. LUKS: the passphrase, then each key file by itself, is tried. GELI: all key files in their order
 * and the passphrase belong together; with both given, key files alone are tried too. VeraCrypt: all of them belong
 * together, in any order. BitLocker: the passphrase is the password or the recovery key, in UTF-8; a key file is a
 * startup key (.BEK). Where facts say opens_without_key, neither is needed. */
typedef struct rijn_volume_secret {
  const void *passphrase; /* NULL: none, which is not the same as an empty one */
  size_t passphrase_len;
  const rijn_volume_bytes *key_files;
  size_t key_files_n;
  int slot; /* only this one; -1: all */
} rijn_volume_secret;

/* A key file's bytes, from offset on, size of them (0: all). More than 8 MiB are refused, and so is a size that the
 * file does not have. Nothing behind them is read. format: of RIJN_VOLUME_VERACRYPT, all are the first MiB at most, as
 * there. "-" is the standard input. */
RIJN_VOLUME_API int rijn_volume_key_file(rijn_volume_bytes *bytes, const char *path, uint64_t offset, uint64_t size,
                                         int format, rijn_volume_error *err);
/* Wipes and frees. */
RIJN_VOLUME_API void rijn_volume_key_file_free(rijn_volume_bytes *bytes);

/* *slot, if not NULL, gets the one that opened. */
RIJN_VOLUME_API int rijn_volume_unlock(rijn_volume *volume, const rijn_volume_secret *secret, int *slot,
                                       rijn_volume_error *err);
/* Asks the kernel to keep this volume's keys out of the swap. Call it after a fork, which a lock does not outlive.
 * Returns 0 or an errno value. */
RIJN_VOLUME_API int rijn_volume_lock(rijn_volume *volume);

/* ---------------------------------------------------------------- data
 *
 * Of an unlocked volume, at any offset and length within its size. Parts of sectors are read, changed and written back
 * under a lock of the volume. A write that failed may have written any of its sectors. */
RIJN_VOLUME_API int rijn_volume_pread(rijn_volume *volume, void *buf, size_t len, uint64_t offset);
RIJN_VOLUME_API int rijn_volume_pwrite(rijn_volume *volume, const void *buf, size_t len, uint64_t offset);
RIJN_VOLUME_API int rijn_volume_flush(rijn_volume *volume);
/* Whole sectors within the range are given back to the disk, and read as noise from then on. Where the volume has no
 * trim (facts: discards) nothing happens. */
RIJN_VOLUME_API int rijn_volume_trim(rijn_volume *volume, uint64_t len, uint64_t offset);
/* Only the cipher: len bytes in buf as they lie at offset, both multiples of the sector size. For measuring. */
RIJN_VOLUME_API int rijn_volume_crypt(rijn_volume *volume, void *buf, size_t len, uint64_t offset, bool encrypt);

/* ---------------------------------------------------------------- making volumes, and key slots */

typedef struct rijn_volume_kdf {
  const char *name;    /* LUKS2: "argon2id" (NULL too), "argon2i", "pbkdf2" */
  uint64_t rounds;     /* passes of Argon2, rounds of PBKDF2; 0: 4, or 1 million */
  uint64_t memory_kib; /* Argon2; 0: 1 GiB, or a quarter of the machine's memory if that is less */
  unsigned lanes;      /* Argon2; 0: up to 4, as many as there are processors */
} rijn_volume_kdf;

typedef struct rijn_volume_create {
  int format;           /* RIJN_VOLUME_LUKS2 or RIJN_VOLUME_GELI (version 7) */
  unsigned key_bits;    /* AES-XTS: of one half, 128 or 256; 0: 256 for LUKS2, 128 for GELI */
  unsigned sector_size; /* 0: 4096, for LUKS2 only where it divides the disk's size */
  rijn_volume_kdf kdf;
  const char *label, *uuid;     /* LUKS2; NULL: none, a random one */
  bool allow_discards;          /* LUKS2: the header asks for it; GELI: without it NODELETE is set */
  bool autoresize;              /* GELI, FreeBSD 13 and later */
  const rijn_volume_disk *data; /* LUKS2 with a detached header: the disk of the data, for its size; else NULL */
} rijn_volume_create;

/* Makes a new header on disk and destroys what was there, a header of the other format too. secret opens it: LUKS2
 * takes the passphrase or one key file. EARG where it has no byte: an empty passphrase or key file, of GELI all parts
 * together. GELI: backup, if not NULL, gets the 512 bytes to keep in a file, as geli(8) keeps them. Existing data of
 * the disk is not encrypted, and not overwritten either. */
RIJN_VOLUME_API int rijn_volume_create_on(const rijn_volume_disk *disk, const rijn_volume_create *what,
                                          const rijn_volume_secret *secret, void *backup, rijn_volume_error *err);

/* Key slots of LUKS2. The volume is unlocked, and its disk (or detached header) can be written. At every moment the
 * disk has what was there before the change, or what is there after it, whichever write is the last one. The header's
 * lock is cryptsetup's. EBUSY, and nothing is written, if the header is not the one that was loaded. An empty
 * passphrase or key file is not added: EARG. */
RIJN_VOLUME_API int rijn_volume_add_key(rijn_volume *volume, const rijn_volume_secret *added,
                                        const rijn_volume_kdf *kdf, int *slot, rijn_volume_error *err);
/* Its key area is overwritten first. The last slot that opens the volume is refused unless last is set. */
RIJN_VOLUME_API int rijn_volume_remove_key(rijn_volume *volume, int slot, bool last, rijn_volume_error *err);

#ifdef __cplusplus
}
#endif
#endif
