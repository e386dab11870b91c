/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#ifndef RIJN_PYTHON_DOC_H
#define RIJN_PYTHON_DOC_H
/* What help() says. A first line with "--" after it is a signature for inspect. */

#define DOC_MODULE "AES at the speed of the machine: the part in C. Import rijn."

#define DOC_INFO                                                                                                       \
  "info()\n--\n\nThe library as a dict: version, implementation (the chosen one, or None where RIJN_IMPL names "       \
  "none), "                                                                                                            \
  "cpu_features,\nand implementations, best first: a list of dicts of name, supported, chosen, why_not."
#define DOC_SELFTEST                                                                                                   \
  "selftest()\n--\n\nComputes known answers through every implementation that runs here. RuntimeError: one came out "  \
  "wrong."

#define DOC_AESGCM                                                                                                     \
  "AESGCM(key, tag_length=16)\n--\n\nAES-GCM (NIST SP 800-38D), with the methods of PyPI cryptography's AESGCM.\n\n"   \
  "key: 16, 24 or 32 bytes. tag_length: 12 to 16 bytes; 4 and 8 are for protocols that demand them (appendix C).\n"    \
  "ValueError: another length. RuntimeError: the environment variable RIJN_IMPL names no implementation that runs "    \
  "here.\n\n"                                                                                                          \
  "Never use a nonce twice with one key: it gives away both messages' XOR and the key of the authentication.\n"        \
  "Random nonces of 12 bytes: at most 2**32 messages a key (section 8.3).\n\n"                                         \
  "An object never changes. Threads may use one at once. Its key is wiped when the object dies."
#define DOC_AESGCMSIV                                                                                                  \
  "AESGCMSIV(key)\n--\n\nAES-GCM-SIV (RFC 8452), with the methods of PyPI cryptography's AESGCMSIV.\n\n"               \
  "A nonce used twice gives away only whether the two messages are equal. Slower than AESGCM.\n"                       \
  "key: 16 or 32 bytes, or 24 as OpenSSL has it. Nonces have 12 bytes, tags 16.\n"                                     \
  "An object never changes. Threads may use one at once. Its key is wiped when the object dies."
#define DOC_XAES256GCM                                                                                                 \
  "XAES256GCM(key)\n--\n\nXAES-256-GCM (C2SP): AES-256-GCM with nonces of 24 bytes, which may be random: 2**80 "       \
  "messages a key.\n\nseal() and open() take a random nonce and put it in front. key: 32 bytes. Tags have 16.\n"       \
  "An object never changes. Threads may use one at once. Its key is wiped when the object dies."
#define DOC_XAES_GENERATE_KEY "generate_key($type, /)\n--\n\nA random key of 32 bytes from the operating system."
#define DOC_SEAL                                                                                                       \
  "seal($self, data, associated_data=None)\n--\n\nA random nonce, the encrypted data and the tag: len(data) + 40 "     \
  "bytes."
#define DOC_OPEN                                                                                                       \
  "open($self, sealed, associated_data=None)\n--\n\nThe text of what seal() gave. InvalidTag: it is not what it was."
#define DOC_TAG_LENGTH "Bytes of tag that a message has."
#define DOC_GENERATE_KEY                                                                                               \
  "generate_key($type, bit_length)\n--\n\nA random key from the operating system. bit_length: 128, 192 or 256."
#define DOC_ENCRYPT                                                                                                    \
  "encrypt($self, nonce, data, associated_data=None)\n--\n\nThe encrypted data and the tag behind it, "                \
  "len(data) + tag_length bytes.\n\n"                                                                                  \
  "All arguments are bytes-like (bytes, bytearray, memoryview, mmap, numpy arrays of uint8), contiguous.\n"            \
  "nonce: as the class says; AESGCM takes 8 to 128 bytes, and 12 are the ones to use.\n"                               \
  "TypeError: not bytes-like, or its items are no bytes. BufferError: not contiguous. ValueError: length of the "      \
  "nonce.\n"                                                                                                           \
  "OverflowError: data of more than 2**36 - 32 bytes."
#define DOC_DECRYPT                                                                                                    \
  "decrypt($self, nonce, data, associated_data=None)\n--\n\nThe text. data: what encrypt() gave.\n\n"                  \
  "InvalidTag: nonce, data or associated_data is not what it was, or the key is another."
#define DOC_ENCRYPT_INTO                                                                                               \
  "encrypt_into($self, nonce, data, associated_data, buf)\n--\n\nencrypt() into a writable buffer of exactly "         \
  "len(data) + tag_length bytes.\n\nThe data may be the first bytes of buf: it is encrypted in place. Gives back the " \
  "number of bytes written.\nValueError: another size, or buf overlaps an argument in another way. BufferError: buf "  \
  "is read-only."
#define DOC_DECRYPT_INTO                                                                                               \
  "decrypt_into($self, nonce, data, associated_data, buf)\n--\n\ndecrypt() into a writable buffer of exactly "         \
  "len(data) - tag_length bytes.\n\nbuf may be the first bytes of data: it is decrypted in place. Gives back the "     \
  "number of bytes written.\nInvalidTag: buf has zeros, and in place the data is lost. ValueError, BufferError: as "   \
  "encrypt_into()."
#define DOC_ENCRYPT_ROWS                                                                                               \
  "encrypt_rows($self, nonces, data, associated_data=None, out=None)\n--\n\nEncrypts every row of a two-dimensional "  \
  "array as a message of its own.\n\nnonces: shape (n, 12), or another width from 8 to 128. data: shape (n, w). "      \
  "associated_data: None, bytes\nfor all rows, or shape (n, k). out: shape (n, w + tag_length), writable; its rows "   \
  "may "                                                                                                               \
  "start where those of data\nstart (in place), and all may be columns of one array. Items are bytes; rows may lie "   \
  "at "                                                                                                                \
  "any distance.\nGives back out; without it a new numpy array if data is one, otherwise a memoryview of that "        \
  "shape.\n"                                                                                                           \
  "ValueError: shapes that do not fit, or overlap in another way."
#define DOC_DECRYPT_ROWS                                                                                               \
  "decrypt_rows($self, nonces, data, associated_data=None, out=None, ok=None)\n--\n\nDecrypts every row; the reverse " \
  "of encrypt_rows(). out: shape (n, w - tag_length).\n\nRows that do not verify are zeros. Without ok they raise "    \
  "InvalidTag, and its attribute rows lists their numbers.\nWith ok, a writable buffer of n bytes (a numpy array of "  \
  "bool, say), nothing is raised: it gets 1 for each good row\nand 0 for each other."
#define DOC_ENCRYPT_COLUMN                                                                                             \
  "encrypt_column($self, nonces, offsets, data, associated_data=None, out_offsets=None, out=None)\n--\n\n"             \
  "Encrypts each value of a column as Arrow lays it out: value i is data[offsets[i]:offsets[i + 1]].\n\n"              \
  "nonces: shape (n, 12), or a tuple (prefix, number): 4 to 11 bytes, and row i has number + i behind them, "          \
  "big-endian.\noffsets: n + 1 integers of 32 or 64 bits. data: bytes. associated_data: None, bytes for all, or "      \
  "shape (n, k).\nout_offsets: as many integers of the same size. out: at least len(data) + n * tag_length bytes.\n"   \
  "Gives back (out_offsets, out); without them new ones, numpy arrays where offsets or data is one, else "             \
  "memoryviews.\nValueError: offsets that leave data, or overlaps. OverflowError: more output than offsets of 32 "     \
  "bits count."
#define DOC_DECRYPT_COLUMN                                                                                             \
  "decrypt_column($self, nonces, offsets, data, associated_data=None, out_offsets=None, out=None, ok=None)\n--\n\n"    \
  "Decrypts each value of a column; the reverse of encrypt_column().\n\n"                                              \
  "Values that do not verify are zeros; one that is shorter than a tag is empty. Without ok they raise InvalidTag, "   \
  "whose\nrows lists their numbers. With ok, a writable buffer of n bytes or bool, it gets 1 for each good value and " \
  "0 "                                                                                                                 \
  "for each other."
#define DOC_ENCRYPT_MANY                                                                                               \
  "encrypt_many($self, nonces, data, associated_data=None)\n--\n\nencrypt() of every item of a list, or of what goes " \
  "through like one; a list "                                                                                          \
  "of "                                                                                                                \
  "bytes.\n\nnonces: one for each. associated_data: None, bytes for all, or a list with one (or None) for each."
#define DOC_DECRYPT_MANY                                                                                               \
  "decrypt_many($self, nonces, data, associated_data=None)\n--\n\ndecrypt() of every item of a list, or of what goes " \
  "through like one; a list "                                                                                          \
  "of "                                                                                                                \
  "bytes, with None for each item\nthat does not verify."
#define DOC_ENCRYPTOR "encryptor($self, nonce, /)\n--\n\nA message in pieces. Slower than encrypt() for short ones."
#define DOC_DECRYPTOR                                                                                                  \
  "decryptor($self, nonce, /)\n--\n\nA message in pieces. It hands out text that is not verified: act on none of it "  \
  "before\nfinalize_with_tag() has returned."

#define DOC_GCM_ENCRYPTOR "Encrypts a message in pieces. One thread at a time. Made by AESGCM.encryptor()."
#define DOC_GCM_DECRYPTOR                                                                                              \
  "Decrypts a message in pieces, and HANDS OUT TEXT THAT IS NOT VERIFIED: until finalize_with_tag() has returned, "    \
  "act\n"                                                                                                              \
  "on none of it. One thread at a time. Made by AESGCM.decryptor()."
#define DOC_UPDATE                                                                                                     \
  "update($self, data, /)\n--\n\nThe next piece, as many bytes as data. AlreadyFinalized: after the end. "             \
  "RuntimeError: "                                                                                                     \
  "another thread\nis in a call of this object."
#define DOC_UPDATE_INTO                                                                                                \
  "update_into($self, data, buf)\n--\n\nupdate() into a writable buffer of at least len(data) bytes, which may start " \
  "where data does.\nGives back len(data)."
#define DOC_STREAM_AAD                                                                                                 \
  "authenticate_additional_data($self, data, /)\n--\n\nAssociated data, or the next piece of it; before all text."
#define DOC_FINALIZE "finalize($self, /)\n--\n\nThe end: b\"\", and the attribute tag is there."
#define DOC_FINALIZE_TAG                                                                                               \
  "finalize_with_tag($self, tag, /)\n--\n\nThe end: b\"\". InvalidTag: the message is not authentic; throw away all "  \
  "that update() gave."
#define DOC_STREAM_TAG "The tag, after finalize()."

#define DOC_XTS                                                                                                        \
  "XTS(key)\n--\n\nAES-XTS (IEEE 1619, NIST SP 800-38E) for sectors of disks and pages of fixed size.\n\n"             \
  "XTS HAS NO INTEGRITY: a changed sector decrypts to something, and nobody is told.\n"                                \
  "key: 32 bytes (AES-128) or 64 (AES-256); its halves must differ. An object never changes; threads may use one at "  \
  "once;\nits key is wiped when the object dies."
#define DOC_XTS_GENERATE_KEY                                                                                           \
  "generate_key($type, bit_length)\n--\n\nA random key from the operating system, both halves. bit_length: 256 "       \
  "(AES-128) or 512 (AES-256)."
#define DOC_ENCRYPT_SECTORS                                                                                            \
  "encrypt_sectors($self, data, first, sector_size=512, step=1, out=None)\n--\n\nEncrypts a run of sectors; sector i " \
  "has the number first + i * step, little-endian, as its tweak.\n\ndata: whole sectors, bytes-like. sector_size: a "  \
  "power of two from 512 to 65536. step: 1, as dm-crypt's plain64\nwith sectors of 512 bytes; 8 with its sectors of "  \
  "4096; the sector size for GELI. Numbers stay below 2**64.\nout: a writable buffer of len(data) bytes; data itself " \
  "encrypts in place. Gives back out, or new bytes.\nValueError: lengths, numbers, or an overlap in another way."
#define DOC_DECRYPT_SECTORS                                                                                            \
  "decrypt_sectors($self, data, first, sector_size=512, step=1, out=None)\n--\n\nThe reverse of encrypt_sectors()."
#define DOC_XTS_ENCRYPT                                                                                                \
  "encrypt($self, data, tweak, out=None)\n--\n\nEncrypts one data unit of 16 bytes to 16 MiB, with ciphertext "        \
  "stealing. tweak: 16 bytes. out: as encrypt_sectors()."
#define DOC_XTS_DECRYPT "decrypt($self, data, tweak, out=None)\n--\n\nThe reverse of encrypt()."

#endif
