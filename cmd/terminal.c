/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* A secret from the terminal, which is not shown: not either after the program was stopped (Ctrl-Z) and goes on, when
 * the terminal is as the shell has left it. */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int stopping[] = {SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT};
enum { STOPPING = sizeof stopping / sizeof stopping[0] };

static int terminal = -1;
static struct termios before;
static volatile sig_atomic_t came; /* the last of them */

static void show_again(void) { tcsetattr(terminal, TCSANOW, &before); }
static void note(int sig) { came = sig; }

/* The secret's terminal is quiet from here to quiet_end. What ends the program makes it loud first. */
static void quiet_begin(void) {
  sigset_t old;
  struct termios quiet = before;
  quiet.c_lflag &= ~(tcflag_t)(ECHO | ECHOE | ECHOK | ECHONL);
  rijn_signals_hold(&old);
  rijn_signals_tidy(show_again);
  while (tcsetattr(terminal, TCSAFLUSH, &quiet) != 0 && errno == EINTR && came == 0)
    ;
  rijn_signals_release(&old);
}

static void quiet_end(void) {
  sigset_t old;
  rijn_signals_hold(&old);
  show_again();
  rijn_signals_tidy(NULL);
  rijn_signals_release(&old);
}

/* The line: its bytes, or one more than size; -1 with errno, with EINTR where one of the signals came. WHY ppoll: one
 * that comes between the look at came and the read would be noticed only after the line. */
static ssize_t read_secret(char *buf, size_t size) {
  sigset_t set, open_set;
  struct pollfd p = {.fd = terminal, .events = POLLIN};
  ssize_t n = 0, got = 1;
  char c = '\0';
  sigemptyset(&set);
  for (int i = 0; i < STOPPING; i++)
    sigaddset(&set, stopping[i]);
  sigprocmask(SIG_BLOCK, &set, &open_set);
  while (came == 0 && c != '\n' && got > 0 && (size_t)n <= size) {
    if (ppoll(&p, 1, NULL, &open_set) < 0) {
      got = errno == EINTR ? 1 : -1;
      continue;
    }
    got = read(terminal, &c, 1);
    if (got > 0 && c != '\n') {
      if ((size_t)n < size)
        buf[n] = c;
      n++;
    }
  }
  int err = came != 0 ? EINTR : errno;
  explicit_bzero(&c, 1);
  sigprocmask(SIG_SETMASK, &open_set, NULL);
  errno = err;
  return came != 0 || got < 0 ? -1 : n;
}

/* Until no signal came: stopped by one, the program waits here for SIGCONT. */
static ssize_t ask(const char *prompt, const char *what, char *buf, size_t size, const struct sigaction *old) {
  ssize_t n;
  do {
    came = 0;
    quiet_begin();
    if (came == 0)
      dprintf(terminal, "%s%s: ", prompt, what);
    n = came != 0 ? -1 : read_secret(buf, size);
    int err = errno, sig = came;
    quiet_end();
    dprintf(terminal, "\n");
    for (int i = 0; i < STOPPING; i++)
      if (sig == stopping[i] && sig != SIGCONT) {
        struct sigaction own;
        sigaction(sig, &old[i], &own);
        raise(sig);
        sigaction(sig, &own, NULL);
      }
    errno = err;
  } while (came != 0);
  return n;
}

ssize_t rijn_ask(const char *prompt, const char *what, char *buf, size_t size) {
  struct sigaction act = {.sa_handler = note}, old[STOPPING];
  terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (terminal < 0)
    return -1;
  int err = 0;
  ssize_t n = -1;
  if (tcgetattr(terminal, &before) != 0) {
    err = errno;
  } else {
    sigemptyset(&act.sa_mask);
    for (int i = 0; i < STOPPING; i++)
      if (sigaction(stopping[i], NULL, &old[i]) == 0 && old[i].sa_handler != SIG_IGN)
        sigaction(stopping[i], &act, NULL);
    n = ask(prompt, what, buf, size, old);
    err = errno;
    for (int i = 0; i < STOPPING; i++)
      sigaction(stopping[i], &old[i], NULL);
  }
  close(terminal);
  errno = err;
  return n;
}
