/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn encrypt and rijn decrypt: arguments, files, and what is said about damage. The work is librijn-file's. */
#include "cmd.h"

#include <rijn-file.h>

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct job {
  const char *argv0;
  bool decrypt, force, verbose, no_sync;
  unsigned threads; /* 0: as the library chooses */
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
  struct rijn_progress progress;
};

static void help(bool decrypt) {
  const char *verb = decrypt ? "decrypt" : "encrypt";
  printf("Usage: rijn %s (--key-file FILE | --key-fd N) [options] [FILE]\n\n", verb);
  if (decrypt)
    printf("Decrypts FILE, or the standard input, made by rijn encrypt. A file appears only when all of it has been\n"
           "verified; on a pipe each run of chunks (128 KiB) is written as soon as it has been.\n");
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
         "  -j, --jobs N             threads, at most (default: one for each processor, up to 8)\n"
         "      --sync yes|no        wait until the disk has the output (default: yes)\n"
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

static int parse_rest(struct job *j, const char *jobs, const char *sync) {
  if (jobs != NULL) {
    char *end;
    long n = strtol(jobs, &end, 10);
    if (end == jobs || *end != '\0' || n < 1 || n > 64)
      return rijn_usage(j->argv0, "--jobs: '%s' is not a number from 1 to 64", jobs);
    j->threads = (unsigned)n;
  }
  if (sync != NULL && strcmp(sync, "yes") != 0 && strcmp(sync, "no") != 0)
    return rijn_usage(j->argv0, "--sync: yes or no, not '%s'", sync);
  j->no_sync = sync != NULL && sync[0] == 'n';
  return RIJN_EXIT_OK;
}

static int parse(struct job *j, int argc, char **argv) {
  enum { KEY_FD = 256, CONTEXT_FILE, SYNC };
  static const struct option options[] = {
      {"key-file", required_argument, NULL, 'k'},
      {"key-fd", required_argument, NULL, KEY_FD},
      {"context", required_argument, NULL, 'c'},
      {"context-file", required_argument, NULL, CONTEXT_FILE},
      {"output", required_argument, NULL, 'o'},
      {"force", no_argument, NULL, 'f'},
      {"jobs", required_argument, NULL, 'j'},
      {"sync", required_argument, NULL, SYNC},
      {"verbose", no_argument, NULL, 'v'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  static const char letters[] = ":k:c:o:j:fvh";
  const char *key_fd = NULL, *jobs = NULL, *sync = NULL;
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
    case 'j':
      status = rijn_take_value(&jobs, optarg, j->argv0, "--jobs");
      break;
    case SYNC:
      status = rijn_take_value(&sync, optarg, j->argv0, "--sync");
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
  if (status == RIJN_EXIT_OK)
    status = parse_rest(j, jobs, sync);
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
  return RIJN_EXIT_OK;
}

static int load_context(struct job *j) {
  size_t len = j->context_text != NULL ? strlen(j->context_text) : 0;
  j->context = malloc(RIJN_FILE_MAX_CONTEXT + 1);
  if (j->context == NULL) {
    rijn_say("out of memory");
    return RIJN_EXIT_FAILED;
  }
  if (j->context_file != NULL) {
    int fd = open(j->context_file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t got = -1;
    if (fd >= 0 && fstat(fd, &j->context_st) == 0)
      got = rijn_read_full(fd, j->context, RIJN_FILE_MAX_CONTEXT + 1);
    if (got < 0)
      rijn_say_errno("context: %s", j->context_file);
    if (fd >= 0)
      close(fd);
    if (got < 0)
      return RIJN_EXIT_FAILED;
    len = (size_t)got;
  } else if (len <= RIJN_FILE_MAX_CONTEXT && len != 0) {
    memcpy(j->context, j->context_text, len);
  }
  if (len > RIJN_FILE_MAX_CONTEXT) {
    rijn_say("context%s%s: longer than %d bytes", j->context_file != NULL ? ": " : "",
             j->context_file != NULL ? j->context_file : "", RIJN_FILE_MAX_CONTEXT);
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

/* ---------------------------------------------------------------- the work */

/* What is wrong with the input, or with what the system does. */
static int say_error(const struct job *j, const rijn_file_error *e, uint64_t text_bytes) {
  unsigned long long k = e->chunk, from = e->from, to = e->to;
  errno = e->system;
  switch (e->code) {
  case RIJN_FILE_EREAD:
    rijn_say_errno("%s: cannot read", j->in_name);
    break;
  case RIJN_FILE_EWRITE:
    rijn_say_errno("%s: cannot write", j->out.text);
    break;
  case RIJN_FILE_ERANDOM:
    rijn_say_errno("no random bytes for the salt");
    break;
  case RIJN_FILE_EHEADER:
    rijn_say("%s: header: cut short, %llu of 56 bytes", j->in_name, to - from);
    break;
  case RIJN_FILE_EKEY:
    rijn_say("%s: header: the commitment does not match: %s", j->in_name, rijn_file_strerror(e->code));
    break;
  case RIJN_FILE_EALTERED:
  case RIJN_FILE_ELAST:
  case RIJN_FILE_ETAG:
    rijn_say("%s: chunk %llu (bytes %llu to %llu): %s", j->in_name, k, from, to - 1, rijn_file_strerror(e->code));
    break;
  case RIJN_FILE_EMISSING:
    rijn_say("%s: chunk %llu (at byte %llu): %s", j->in_name, k, from, rijn_file_strerror(e->code));
    break;
  default:
    rijn_say("%s: %s", j->in_name, rijn_file_strerror(e->code));
  }
  bool damage = e->code <= RIJN_FILE_EALTERED && e->code >= RIJN_FILE_ETAG;
  if (damage && j->out.dir < 0)
    rijn_say("%s: got the %llu verified bytes before it, and nothing after them", j->out.text,
             (unsigned long long)text_bytes);
  return RIJN_EXIT_FAILED;
}

static void report(const struct job *j, uint64_t text_bytes, double seconds) {
  rijn_say("%s %llu bytes with Cobblestone-%zu through %s", j->decrypt ? "decrypted" : "encrypted",
           (unsigned long long)text_bytes, j->key_len * 8, rijn_impl_name(rijn_impl_chosen()));
  rijn_say("%.4f s in all, %.1f MB/s", seconds, (double)text_bytes / seconds * 1e-6);
}

static int show(void *user, uint64_t text_bytes) {
  struct job *j = user;
  rijn_progress_show(&j->progress, text_bytes);
  return 0;
}

static int work(struct job *j) {
  const rijn_file_params params = {.size = sizeof params,
                                   .key = j->key,
                                   .key_len = j->key_len,
                                   .context = j->context,
                                   .context_len = j->context_len,
                                   .threads = j->threads};
  rijn_file_job job = {.size = sizeof job, .in = j->in, .out = j->out.fd, .user = j, .progress = show};
  if (j->out.dir >= 0)
    job.flags = RIJN_FILE_OWN_OUTPUT;
  rijn_file_error e;
  rijn_progress_start(&j->progress, j->out.fd, S_ISREG(j->in_st.st_mode) ? (uint64_t)j->in_st.st_size : 0);
  double t = rijn_now();
  int r = j->decrypt ? rijn_file_decrypt_fd(&params, &job, &e) : rijn_file_encrypt_fd(&params, &job, &e);
  rijn_progress_clear();
  if (r != 0)
    return say_error(j, &e, job.text_bytes);
  j->out.no_sync = j->no_sync;
  int status = rijn_output_commit(&j->out);
  if (status == RIJN_EXIT_OK && j->verbose)
    report(j, job.text_bytes, rijn_now() - t);
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
  free(j->context);
  explicit_bzero(j, sizeof *j);
  free(j);
  return status < 0 ? rijn_finish_stdout(RIJN_EXIT_OK) : status;
}

int rijn_cmd_encrypt(int argc, char **argv) { return crypt_command(argc, argv, false); }

int rijn_cmd_decrypt(int argc, char **argv) { return crypt_command(argc, argv, true); }
