/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn encrypt and rijn decrypt: arguments, files, and what is said about damage. The format is chunked.c's. */
#include "chunked.h"
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct job {
  const char *argv0;
  bool decrypt, force, verbose;
  const char *key_file, *in_name, *out_name;
  int key_fd; /* -1: a file */
  const char *context_text, *context_file;

  int in;
  struct stat in_st, key_st, context_st;
  uint8_t key[32];
  size_t key_len;
  uint8_t *context;
  size_t context_len;
  char default_out[PATH_MAX];
  struct rijn_output out;
  struct rijn_chunked chunked;
  uint8_t *text, *sealed; /* RIJN_CHUNK_BATCH chunks each */
  uint64_t text_bytes;
  double cipher_seconds;
};

static void help(bool decrypt) {
  const char *verb = decrypt ? "decrypt" : "encrypt";
  printf("Usage: rijn %s (--key-file FILE | --key-fd N) [options] [FILE]\n\n", verb);
  if (decrypt)
    printf("Decrypts FILE, or the standard input, made by rijn encrypt. A file appears only when all of it has been\n"
           "verified; on a pipe each run of chunks (%d KiB) is written as soon as it has been.\n",
           RIJN_CHUNK_BATCH * RIJN_CHUNK / 1024);
  else
    puts("Encrypts FILE, or the standard input, in the C2SP chunked-encryption format: Cobblestone-256 with a key of\n"
         "32 bytes, Cobblestone-128 with one of 16.");
  printf("\n"
         "  -k, --key-file FILE      the key: exactly 32 or 16 raw bytes (see rijn keygen)\n"
         "      --key-fd N           the key from descriptor N\n"
         "  -c, --context STRING     what the message is about; decrypting needs the same (default: empty)\n"
         "      --context-file FILE  the same, any bytes, from a file\n"
         "  -o, --output FILE        where to write; '-' is the standard output\n"
         "                           (default: %s; of the standard input: the standard output)\n"
         "  -f, --force              replace an output file that exists\n"
         "  -v, --verbose            say at the end what ran, and how fast\n"
         "  -h, --help               this text\n",
         decrypt ? "FILE without .rijn" : "FILE.rijn");
}

/* ---------------------------------------------------------------- arguments */

static int parse_fd(struct job *j, const char *text) {
  char *end;
  errno = 0;
  long n = strtol(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || n < 0 || n > INT_MAX)
    return rijn_usage(j->argv0, "--key-fd: '%s' is not the number of a descriptor", text);
  j->key_fd = (int)n;
  return RIJN_EXIT_OK;
}

static int parse(struct job *j, int argc, char **argv) {
  enum { KEY_FD = 256, CONTEXT_FILE };
  static const struct option options[] = {
      {"key-file", required_argument, NULL, 'k'},
      {"key-fd", required_argument, NULL, KEY_FD},
      {"context", required_argument, NULL, 'c'},
      {"context-file", required_argument, NULL, CONTEXT_FILE},
      {"output", required_argument, NULL, 'o'},
      {"force", no_argument, NULL, 'f'},
      {"verbose", no_argument, NULL, 'v'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  static const char letters[] = ":k:c:o:fvh";
  const char *key_fd = NULL;
  int opt, status = RIJN_EXIT_OK;
  while (status == RIJN_EXIT_OK && (opt = getopt_long(argc, argv, letters, options, NULL)) != -1) {
    switch (opt) {
    case 'k':
      status = rijn_take_value(&j->key_file, optarg, j->argv0, "--key-file");
      break;
    case KEY_FD:
      status = rijn_take_value(&key_fd, optarg, j->argv0, "--key-fd");
      break;
    case 'c':
      status = rijn_take_value(&j->context_text, optarg, j->argv0, "--context");
      break;
    case CONTEXT_FILE:
      status = rijn_take_value(&j->context_file, optarg, j->argv0, "--context-file");
      break;
    case 'o':
      status = rijn_take_value(&j->out_name, optarg, j->argv0, "--output");
      break;
    case 'f':
      j->force = true;
      break;
    case 'v':
      j->verbose = true;
      break;
    case 'h':
      help(j->decrypt);
      return -1;
    default:
      return rijn_refuse_option(j->argv0, opt, argv, letters);
    }
  }
  if (status == RIJN_EXIT_OK && key_fd != NULL)
    status = parse_fd(j, key_fd);
  if (status != RIJN_EXIT_OK)
    return status;
  if (argc - optind > 1)
    return rijn_usage(j->argv0, "one FILE at a time, not %d ('%s', '%s', ...)", argc - optind, argv[optind],
                      argv[optind + 1]);
  j->in_name = optind < argc ? argv[optind] : "-";
  if (rijn_is_standard(j->in_name, STDIN_FILENO))
    j->in_name = "-";
  if ((j->key_file != NULL) == (j->key_fd >= 0))
    return rijn_usage(j->argv0, j->key_file != NULL ? "--key-file and --key-fd: give one, not both"
                                                    : "no key: give --key-file FILE or --key-fd N");
  /* WHY here: what the system says to it later has no name in it. An empty -o is refused by rijn_output_open. */
  const struct {
    const char *what, *name;
  } files[] = {{"FILE", j->in_name}, {"--key-file", j->key_file}, {"--context-file", j->context_file}};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
    if (files[i].name != NULL && files[i].name[0] == '\0')
      return rijn_usage(j->argv0, "%s: '' is not the name of a file", files[i].what);
  if (j->context_text != NULL && j->context_file != NULL)
    return rijn_usage(j->argv0, "--context and --context-file: give one, not both");
  if (strcmp(j->in_name, "-") == 0 && j->key_fd == STDIN_FILENO)
    return rijn_usage(j->argv0, "the key and the input cannot both come from the standard input");
  return RIJN_EXIT_OK;
}

static int default_output(struct job *j) {
  static const char suffix[] = ".rijn";
  size_t len = strlen(j->in_name), n = sizeof suffix - 1;
  if (j->out_name != NULL)
    return RIJN_EXIT_OK;
  j->out_name = j->default_out;
  if (strcmp(j->in_name, "-") == 0) {
    strcpy(j->default_out, "-");
    return RIJN_EXIT_OK;
  }
  if (len + n >= sizeof j->default_out) {
    rijn_say("%s: name too long; give -o", j->in_name);
    return RIJN_EXIT_USAGE;
  }
  memcpy(j->default_out, j->in_name, len + 1);
  if (!j->decrypt) {
    strcat(j->default_out, suffix);
    return RIJN_EXIT_OK;
  }
  if (len < n || strcmp(j->in_name + len - n, suffix) != 0)
    return rijn_usage(j->argv0, "%s: does not end in .rijn, so say with -o where to write", j->in_name);
  if (len == n || j->in_name[len - n - 1] == '/')
    return rijn_usage(j->argv0, "%s: nothing is left of the name without .rijn, so say with -o where to write",
                      j->in_name);
  j->default_out[len - n] = '\0';
  return RIJN_EXIT_OK;
}

/* ---------------------------------------------------------------- what is read before the work */

static int open_input(struct job *j) {
  bool std = strcmp(j->in_name, "-") == 0;
  if (std)
    j->in_name = "standard input";
  j->in = std ? STDIN_FILENO : open(j->in_name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (j->in < 0 || rijn_stat(j->in, NULL, &j->in_st) != 0) {
    rijn_say_errno("%s", j->in_name);
    return RIJN_EXIT_FAILED;
  }
  if (S_ISDIR(j->in_st.st_mode)) {
    rijn_say("%s: is a directory", j->in_name);
    return RIJN_EXIT_FAILED;
  }
  if (std && isatty(j->in))
    return rijn_usage(j->argv0, "no FILE, and the standard input is a terminal");
  (void)posix_fadvise(j->in, 0, 0, POSIX_FADV_SEQUENTIAL);
  return RIJN_EXIT_OK;
}

static int load_context(struct job *j) {
  size_t len = j->context_text != NULL ? strlen(j->context_text) : 0;
  j->context = malloc(RIJN_CHUNK_MAX_CONTEXT + 1);
  if (j->context == NULL) {
    rijn_say("out of memory");
    return RIJN_EXIT_FAILED;
  }
  if (j->context_file != NULL) {
    int fd = open(j->context_file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t got = -1;
    if (fd >= 0 && fstat(fd, &j->context_st) == 0)
      got = rijn_read_full(fd, j->context, RIJN_CHUNK_MAX_CONTEXT + 1);
    if (got < 0)
      rijn_say_errno("context: %s", j->context_file);
    if (fd >= 0)
      close(fd);
    if (got < 0)
      return RIJN_EXIT_FAILED;
    len = (size_t)got;
  } else if (len <= RIJN_CHUNK_MAX_CONTEXT && len != 0) {
    memcpy(j->context, j->context_text, len);
  }
  if (len > RIJN_CHUNK_MAX_CONTEXT) {
    rijn_say("context%s%s: longer than %d bytes", j->context_file != NULL ? ": " : "",
             j->context_file != NULL ? j->context_file : "", RIJN_CHUNK_MAX_CONTEXT);
    return RIJN_EXIT_USAGE;
  }
  j->context_len = len;
  return RIJN_EXIT_OK;
}

/* WHY: what is read first takes a pipe to its end, and the other, perhaps under another name (/dev/stdin), finds
 * nothing: an empty message, and no error. */
static int refuse_shared(const struct job *j) {
  const struct {
    const struct stat *a, *b;
    const char *text;
  } pairs[] = {{&j->key_st, &j->in_st, "the key and the input"},
               {&j->context_st, &j->in_st, "the context and the input"},
               {&j->context_st, &j->key_st, "the context and the key"}};
  for (size_t i = 0; i < (j->context_file != NULL ? 3 : 1); i++)
    if (!S_ISCHR(pairs[i].a->st_mode) && rijn_same_file(pairs[i].a, pairs[i].b)) /* /dev/null can well be both */
      return rijn_usage(j->argv0, "%s are the same file or pipe", pairs[i].text);
  return RIJN_EXIT_OK;
}

static int open_output(struct job *j) {
  const struct rijn_avoid avoid[] = {
      {&j->in_st, "the input"}, {&j->key_st, "the key"}, {&j->context_st, "the context"}};
  const size_t avoid_n = j->context_file != NULL ? 3 : 2;
  int status = rijn_output_open(&j->out, j->out_name, j->force, &j->in_st, avoid, avoid_n);
  /* WHY only now: a terminal has many names (/dev/tty, /dev/stdout), and nothing is written yet. */
  if (status == RIJN_EXIT_OK && !j->decrypt && isatty(j->out.fd))
    return rijn_usage(j->argv0, "ciphertext does not go to a terminal; give -o FILE or redirect");
  return status;
}

static int derive(struct job *j, const uint8_t *salt, uint8_t *commitment) {
  int r = rijn_chunked_derive(&j->chunked, j->key, j->key_len, salt, j->context, j->context_len, commitment);
  explicit_bzero(j->key, sizeof j->key);
  if (r == 0)
    return RIJN_EXIT_OK;
  rijn_say("cannot derive the key: %s", r < 0 ? rijn_strerror(r) : "HKDF-SHA512 of libcrypto failed");
  return RIJN_EXIT_FAILED;
}

/* ---------------------------------------------------------------- encrypt */

static int read_error(const struct job *j) {
  rijn_say_errno("%s: cannot read", j->in_name);
  return RIJN_EXIT_FAILED;
}

static int encrypt(struct job *j, struct rijn_progress *progress) {
  uint8_t header[RIJN_CHUNK_HEADER];
  if (rijn_random(header, RIJN_CHUNK_SALT) != 0) {
    rijn_say_errno("no random bytes for the salt");
    return RIJN_EXIT_FAILED;
  }
  int status = derive(j, header, header + RIJN_CHUNK_SALT);
  if (status == RIJN_EXIT_OK)
    status = rijn_output_write(&j->out, header, sizeof header);
  for (bool last = false; status == RIJN_EXIT_OK && !last;) {
    rijn_progress_show(progress, j->text_bytes);
    ssize_t got = rijn_read_full(j->in, j->text, RIJN_CHUNK_BATCH * RIJN_CHUNK);
    if (got < 0)
      return read_error(j);
    last = got < RIJN_CHUNK_BATCH * RIJN_CHUNK;
    size_t out_len;
    double t = rijn_now();
    int r = rijn_chunked_seal(&j->chunked, j->sealed, &out_len, j->text, (size_t)got, last);
    j->cipher_seconds += rijn_now() - t;
    if (r == RIJN_ELEN) {
      rijn_say("%s: longer than the format's limit of 2^38 chunks (4 PiB)", j->in_name);
      return RIJN_EXIT_FAILED;
    }
    if (r != 0) {
      rijn_say("%s: chunk %llu: %s", j->in_name, (unsigned long long)j->chunked.next, rijn_strerror(r));
      return RIJN_EXIT_FAILED;
    }
    j->text_bytes += (uint64_t)got;
    status = rijn_output_write(&j->out, j->sealed, out_len);
  }
  return status;
}

/* ---------------------------------------------------------------- decrypt */

static int damaged(const struct job *j, size_t bytes, const char *what) {
  unsigned long long k = j->chunked.next, at = RIJN_CHUNK_HEADER + k * RIJN_SEALED_CHUNK;
  if (bytes == 0)
    rijn_say("%s: chunk %llu (at byte %llu): %s", j->in_name, k, at, what);
  else
    rijn_say("%s: chunk %llu (bytes %llu to %llu): %s", j->in_name, k, at, at + bytes - 1, what);
  if (j->out.dir < 0)
    rijn_say("%s: got the %llu verified bytes before it, and nothing after them", j->out.text,
             (unsigned long long)j->text_bytes);
  return RIJN_EXIT_FAILED;
}

static int read_header(struct job *j) {
  uint8_t header[RIJN_CHUNK_HEADER], commitment[RIJN_CHUNK_COMMITMENT];
  ssize_t got = rijn_read_full(j->in, header, sizeof header);
  if (got < 0)
    return read_error(j);
  if (got < (ssize_t)sizeof header) {
    rijn_say("%s: header: cut short, %zd of %d bytes", j->in_name, got, RIJN_CHUNK_HEADER);
    return RIJN_EXIT_FAILED;
  }
  int status = derive(j, header, commitment);
  /* SPEC: the commitment is checked before any chunk is decrypted. */
  if (status == RIJN_EXIT_OK && CRYPTO_memcmp(commitment, header + RIJN_CHUNK_SALT, sizeof commitment) != 0) {
    rijn_say("%s: header: the commitment does not match: wrong key, wrong context, or the header is altered",
             j->in_name);
    status = RIJN_EXIT_FAILED;
  }
  return status;
}

/* One batch of what was read. The verified text is written before anything is said about the rest. */
static int open_batch(struct job *j, size_t got, bool last) {
  size_t full = got / RIJN_SEALED_CHUNK, rest = got % RIJN_SEALED_CHUNK, out_len;
  double t = rijn_now();
  uint64_t first = j->chunked.next;
  int r = rijn_chunked_open(&j->chunked, j->text, &out_len, j->sealed, full, rest >= RIJN_CHUNK_TAG ? rest : 0);
  j->cipher_seconds += rijn_now() - t;
  if (r != 0 && r != RIJN_EAUTH) {
    rijn_say("%s: chunk %llu: %s", j->in_name, (unsigned long long)j->chunked.next, rijn_strerror(r));
    return RIJN_EXIT_FAILED;
  }
  int status = rijn_output_write(&j->out, j->text, out_len);
  if (status != RIJN_EXIT_OK)
    return status;
  j->text_bytes += out_len;
  if (r == RIJN_EAUTH && j->chunked.next - first < full)
    return damaged(j, RIJN_SEALED_CHUNK,
                   "does not verify: altered, out of order, or the input was extended behind its last chunk");
  if (r == RIJN_EAUTH)
    return damaged(j, rest, "the last one, does not verify: altered, out of order, cut short or extended");
  if (last && rest == 0)
    return damaged(j, 0, "is missing: the input was cut short (a last chunk is always shorter than the others)");
  if (last && rest < RIJN_CHUNK_TAG)
    return damaged(j, rest, "is shorter than its tag of 16 bytes: the input was cut short or extended");
  return RIJN_EXIT_OK;
}

static int decrypt(struct job *j, struct rijn_progress *progress) {
  int status = read_header(j);
  for (bool last = false; status == RIJN_EXIT_OK && !last;) {
    rijn_progress_show(progress, j->text_bytes);
    ssize_t got = rijn_read_full(j->in, j->sealed, RIJN_CHUNK_BATCH * RIJN_SEALED_CHUNK);
    if (got < 0)
      return read_error(j);
    last = got < RIJN_CHUNK_BATCH * RIJN_SEALED_CHUNK;
    status = open_batch(j, (size_t)got, last);
  }
  return status;
}

/* ---------------------------------------------------------------- the command */

static void report(const struct job *j, double seconds) {
  double bytes = (double)j->text_bytes;
  rijn_say("%s %llu bytes with Cobblestone-%zu through %s", j->decrypt ? "decrypted" : "encrypted",
           (unsigned long long)j->text_bytes, j->key_len * 8, rijn_impl_name(rijn_gcm_key_impl(&j->chunked.key)));
  rijn_say("%.4f s in all, %.1f MB/s; the cipher alone %.4f s, %.1f MB/s", seconds, bytes / seconds * 1e-6,
           j->cipher_seconds, j->cipher_seconds > 0 ? bytes / j->cipher_seconds * 1e-6 : 0.0);
}

static int work(struct job *j) {
  const size_t text_size = RIJN_CHUNK_BATCH * RIJN_CHUNK, sealed_size = RIJN_CHUNK_BATCH * RIJN_SEALED_CHUNK;
  if (posix_memalign((void **)&j->text, 64, text_size) != 0 ||
      posix_memalign((void **)&j->sealed, 64, sealed_size) != 0) {
    rijn_say("out of memory");
    return RIJN_EXIT_FAILED;
  }
  struct rijn_progress progress;
  rijn_progress_start(&progress, j->out.fd, S_ISREG(j->in_st.st_mode) ? (uint64_t)j->in_st.st_size : 0);
  double t = rijn_now();
  int status = j->decrypt ? decrypt(j, &progress) : encrypt(j, &progress);
  rijn_progress_clear();
  if (status == RIJN_EXIT_OK)
    status = rijn_output_commit(&j->out);
  if (status == RIJN_EXIT_OK && j->verbose)
    report(j, rijn_now() - t);
  explicit_bzero(j->text, text_size);
  return status;
}

static int crypt_command(int argc, char **argv, bool to_text) {
  struct job *j = calloc(1, sizeof *j);
  if (j == NULL) {
    rijn_say("out of memory");
    return RIJN_EXIT_FAILED;
  }
  j->argv0 = argv[0];
  j->decrypt = to_text;
  j->key_fd = j->in = j->out.fd = j->out.dir = -1;
  /* No key in a core file. */
  const struct rlimit none = {0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);

  int status = parse(j, argc, argv);
  if (status == RIJN_EXIT_OK)
    status = default_output(j);
  if (status == RIJN_EXIT_OK)
    status = open_input(j);
  if (status == RIJN_EXIT_OK)
    status = rijn_read_key(j->key_file, j->key_fd, j->key, &j->key_len, &j->key_st);
  if (status == RIJN_EXIT_OK)
    status = load_context(j);
  if (status == RIJN_EXIT_OK)
    status = refuse_shared(j);
  if (status == RIJN_EXIT_OK)
    status = open_output(j);
  if (status == RIJN_EXIT_OK)
    status = work(j);
  if (status != RIJN_EXIT_OK)
    rijn_output_abandon(&j->out);

  if (j->in > STDIN_FILENO)
    close(j->in);
  rijn_chunked_wipe(&j->chunked);
  free(j->context);
  free(j->text);
  free(j->sealed);
  explicit_bzero(j, sizeof *j);
  free(j);
  return status < 0 ? rijn_finish_stdout(RIJN_EXIT_OK) : status;
}

int rijn_cmd_encrypt(int argc, char **argv) { return crypt_command(argc, argv, false); }

int rijn_cmd_decrypt(int argc, char **argv) { return crypt_command(argc, argv, true); }
