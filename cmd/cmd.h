/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What the programs share: rijn, rijn-volume, rijn-openssl-check and rijn-bench. */
#ifndef RIJN_CMD_H
#define RIJN_CMD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Exit status, as rijn.1 states it. */
enum { RIJN_EXIT_OK = 0, RIJN_EXIT_FAILED = 1, RIJN_EXIT_USAGE = 2 };

/* ---------------------------------------------------------------- program.c */

/* The first thing that a program does. */
void rijn_begin(void);
/* -h or --help? */
bool rijn_is_help(const char *word);
/* The path of rijn-NAME in this program's own folder. false: this program does not know where it is. */
bool rijn_beside(const char *name, char *path, size_t size);
/* Runs a command, whose argv[0] becomes "rijn NAME", as its messages begin. Each command answers --help on the standard
 * output. runs_aes: a wrong RIJN_IMPL ends it before it starts. Answers an exit status. */
int rijn_run(const char *name, int (*command)(int argc, char **argv), bool runs_aes, int argc, char **argv);

/* ---------------------------------------------------------------- say.c */

/* "rijn: ..." on the standard error, with a newline. */
void rijn_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same of another than "rijn". */
void rijn_say_as(const char *who, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As rijn_say, with ": strerror(errno)" behind it. */
void rijn_say_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A mistake on the command line of argv[0]; points to its help. Always RIJN_EXIT_USAGE. */
int rijn_usage(const char *argv0, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What was said last, or "". */
const char *rijn_last_said(void);
/* Flushes the standard output and looks whether all of it was written: status, or RIJN_EXIT_FAILED. */
int rijn_finish_stdout(int status);
/* Bytes of the control character that p begins with, or 0. Those from U+0080 on have two in UTF-8; xterm obeys them. */
static inline int rijn_control(const unsigned char *p) {
  if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f)
    return 2;
  return p[0] < 0x20 || p[0] == 0x7f;
}

/* ---------------------------------------------------------------- text.c */

struct json_object;
/* The text, with U+FFFD for each byte that is not UTF-8; JSON's null for NULL. */
struct json_object *rijn_json_string(const char *s);

/* On the standard output, with what is no UTF-8 or could move a terminal as \xHH. */
void rijn_show(const char *s);

/* ---------------------------------------------------------------- signals.c */

/* Those that end the program (SIGINT, SIGTERM, SIGHUP, SIGQUIT) wait until they are released. */
void rijn_signals_hold(sigset_t *old);
void rijn_signals_release(const sigset_t *old);
/* To be called with these signals held: from now on f runs before one ends the program, unless whoever started it had
 * it ignored. f may call what is safe in a signal handler. NULL: nothing runs any more. */
void rijn_signals_tidy(void (*f)(void));

/* ---------------------------------------------------------------- terminal.c */

/* Asks "PROMPT WHAT: " on the terminal, without showing the answer: bytes of its line, or -1 with errno; of a
 * longer line size + 1. A program that is stopped and goes on asks again. */
ssize_t rijn_ask(const char *prompt, const char *what, char *buf, size_t size);

/* ---------------------------------------------------------------- io.c */

/* The open descriptor that name stands for (/dev/stderr, /dev/fd/N and the like), or -1. WHY it matters: behind it can
 * be a file. Opened anew that is read or written from its beginning; replaced by another, as an output is, it loses
 * what else was written into it. */
int rijn_descriptor(const char *name);
/* Is name the standard input (fd 0) or output (1): "-", or what the system calls it? */
bool rijn_is_standard(const char *name, int fd);
/* Reads until len bytes are there or the input ends: the number of bytes, or -1 with errno. */
ssize_t rijn_read_full(int fd, void *buf, size_t len);
/* 0, or -1 with errno. */
int rijn_write_full(int fd, const void *buf, size_t len);
/* len random bytes of the kernel. 0, or -1 with errno. */
int rijn_random(void *buf, size_t len);

/* ---------------------------------------------------------------- output.c */

/* An output that is a file is written under no name (or, where the file system cannot, under a temporary one) beside
 * its target, and takes the target's name in rijn_output_commit. Anything else (pipe, device) is written at once. */
struct rijn_output {
  int fd;
  int dir;          /* the target's directory; -1: written straight away */
  char *name;       /* the target's name in it */
  const char *text; /* how messages name it */
  bool force;
  bool no_sync;  /* commit does not wait for the disk; false after open */
  bool no_modes; /* the file system takes no permissions */
  mode_t mode;   /* what the finished file gets */
  char temp[32]; /* name in dir while it has one, else "" */
};

/* fstat of fd or, where that is -1, stat of path; but the group's permissions are at most those of all others where
 * the file has an access list (ACL). */
int rijn_stat(int fd, const char *path, struct stat *st);
bool rijn_same_file(const struct stat *a, const struct stat *b);

/* target "-" is the standard output; what names a descriptor is that one, to which is added. A finished file has the
 * permissions of like, where that is a file, less the umask's and less what a file that it replaces did not give.
 * avoid: files that the target must not be (input, key, context), with what to call each. All print what is wrong and
 * answer an exit status. */
struct rijn_avoid {
  const struct stat *st;
  const char *text;
};
int rijn_output_open(struct rijn_output *o, const char *target, bool force, const struct stat *like,
                     const struct rijn_avoid *avoid, size_t avoid_n);
int rijn_output_write(struct rijn_output *o, const void *buf, size_t len);
int rijn_output_commit(struct rijn_output *o);
/* Leaves nothing behind. Harmless after commit. */
void rijn_output_abandon(struct rijn_output *o);

/* ---------------------------------------------------------------- progress.c */

/* Seconds of a clock that only goes forward. */
double rijn_now(void);

struct rijn_progress {
  bool on; /* the standard error is a terminal and the output is none, or every line is for a program */
  bool lines;
  double start, last;
  uint64_t total;   /* 0: not known */
  const char *name; /* of the file, or NULL */
};
/* lines: nothing is shown, and the caller tells it. */
void rijn_progress_start(struct rijn_progress *p, int out, uint64_t total, const char *name, bool lines);
/* True: it is time to tell. */
bool rijn_progress_show(struct rijn_progress *p, uint64_t done);
/* A line of the caller's, when it is time for one. */
void rijn_progress_note(struct rijn_progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Clears the line where one stands: at the end, and before each message (say.c). */
void rijn_progress_clear(void);

#endif
