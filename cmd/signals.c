/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Signals that end the program, and what must not stay behind when one does. */
#include "cmd.h"

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ENDING_N = sizeof ending / sizeof ending[0] };

static void (*volatile tidy)(void);

static void on_signal(int sig) {
  void (*f)(void) = tidy;
  if (f != NULL)
    f();
  raise(sig); /* SA_RESETHAND: now it ends the program, and the parent sees by what */
}

static void ending_set(sigset_t *set) {
  sigemptyset(set);
  for (int i = 0; i < ENDING_N; i++)
    sigaddset(set, ending[i]);
}

void rijn_signals_hold(sigset_t *old) {
  sigset_t set;
  ending_set(&set);
  sigprocmask(SIG_BLOCK, &set, old);
}

void rijn_signals_release(const sigset_t *old) { sigprocmask(SIG_SETMASK, old, NULL); }

void rijn_signals_tidy(void (*f)(void)) {
  struct sigaction old, act = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
  ending_set(&act.sa_mask); /* not one within the other */
  tidy = f;
  for (int i = 0; f != NULL && i < ENDING_N; i++)
    if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
      sigaction(ending[i], &act, NULL);
}
