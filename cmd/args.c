/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "args.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64, FIRST = 256 /* above every letter */, COLUMNS = 80 };

static const struct rijn_option help_option = {"help", 'h', NULL, ~0u, 0, NULL, NULL, "this text", 0, 0, false};

/* The next option of the command after o, NULL: the first. Help is the last. */
static const struct rijn_option *next(const struct rijn_command *c, const struct rijn_option *o) {
  if (o == &help_option)
    return NULL;
  o = o != NULL ? o + 1 : c->options;
  while (o != NULL && o->name != NULL && (o->of & c->bit) == 0)
    o++;
  return o != NULL && o->name != NULL ? o : &help_option;
}

/* ---------------------------------------------------------------- help */

static int left_of(const struct rijn_option *o, bool letters, char *text, size_t size) {
  char letter[] = {'-', o->letter, ',', ' ', '\0'};
  const char *blank = letters ? "    " : "";
  return snprintf(text, size, "  %s--%s%s%s", o->letter != 0 ? letter : blank, o->name, o->value != NULL ? " " : "",
                  o->value != NULL ? o->value : "");
}

/* The text in lines, each of them from that column on. */
static void wrapped(const char *text, int column) {
  for (int at = column; *text != '\0'; text += strspn(text, " ")) {
    int n = (int)strcspn(text, " ");
    if (at > column && at + 1 + n > COLUMNS)
      at = printf("\n%*s", column, "") - 1;
    at += printf("%s%.*s", at > column ? " " : "", n, text);
    text += n;
  }
  putchar('\n');
}

static void help(const struct rijn_command *c) {
  char left[64];
  bool letters = false;
  int width = 0;
  for (const struct rijn_option *o = NULL; (o = next(c, o)) != NULL;)
    letters |= o->letter != 0 && o != &help_option;
  for (const struct rijn_option *o = NULL; (o = next(c, o)) != NULL;) {
    int n = left_of(o, letters, left, sizeof left);
    width = o->help != NULL && n > width ? n : width;
  }
  puts(c->usage);
  for (const struct rijn_option *o = NULL; (o = next(c, o)) != NULL;)
    if (o->help != NULL) {
      left_of(o, letters, left, sizeof left);
      printf("%-*s", width + 2, left);
      wrapped(o->help, width + 2);
    }
  if (c->footer != NULL)
    printf("\n%s", c->footer);
}

/* ---------------------------------------------------------------- completion */

void rijn_args_word(const char *word, const char *text) { printf("%s\t%s\n", word, text); }

bool rijn_args_completes(int argc, char **argv) { return argc > 2 && strcmp(argv[1], "--complete") == 0; }

void rijn_args_inner(int argc, char **argv) {
  if (argc < 4 || !rijn_args_completes(argc, argv))
    return;
  char *command = argv[2];
  argv[2] = argv[1];
  argv[1] = command;
}

/* words, or what a value of that name can be. */
static void complete_words(const char *words, const char *value) {
  if (words == NULL && value != NULL && (strcmp(value, "FILE") == 0 || strcmp(value, "PATH") == 0))
    words = ":files";
  if (words == NULL && value != NULL && strcmp(value, "DIR") == 0)
    words = ":folders";
  if (words == NULL && value != NULL && strchr(value, '|') != NULL)
    words = value;
  for (const char *w = words; w != NULL && *w != '\0';) {
    int n = (int)strcspn(w, " |");
    printf("%.*s\n", n, w);
    w += n + (w[n] != '\0');
  }
}

/* The option that a word begins with, if it is one that takes a value. */
static const struct rijn_option *taking(const struct rijn_command *c, const char *word) {
  for (const struct rijn_option *o = NULL; word[0] == '-' && (o = next(c, o)) != NULL;) {
    size_t n = word[1] == '-' ? strcspn(word + 2, "=") : 0;
    bool is_long = n > 0 && strlen(o->name) == n && strncmp(word + 2, o->name, n) == 0;
    if (o->value != NULL && (is_long || (word[1] == o->letter && word[1] != '\0' && word[2] == '\0')))
      return o;
  }
  return NULL;
}

/* What the last of these words can be, a line each. Of --name=value it is the value. */
static void complete(const struct rijn_command *c, int argc, char **argv) {
  const char *word = argv[argc - 1];
  const struct rijn_option *o = argc > 1 ? taking(c, argv[argc - 2]) : NULL;
  if (o == NULL || strchr(argv[argc - 2], '=') != NULL)
    o = word[0] == '-' && strchr(word, '=') != NULL ? taking(c, word) : NULL;
  if (o != NULL) {
    complete_words(o->words, o->value);
  } else if (word[0] != '-') {
    complete_words(c->operands, NULL);
  } else {
    char name[64];
    for (o = NULL; (o = next(c, o)) != NULL;)
      if (o->help != NULL) {
        snprintf(name, sizeof name, "--%s", o->name);
        rijn_args_word(name, o->help);
      }
  }
}

/* ---------------------------------------------------------------- parse */

/* The options that begin as word does, commas between: nothing where there are not two. */
static void candidates(const char *word, const struct option *options, char *text, size_t size) {
  size_t len = strcspn(word + 2, "="), n = 0, found = 0;
  text[0] = '\0';
  for (const struct option *o = options; o->name != NULL && strncmp(word, "--", 2) == 0; o++)
    if (strncmp(o->name, word + 2, len) == 0) {
      int more = snprintf(text + n, size - n, "%s--%s", found++ > 0 ? ", " : "", o->name);
      n += more > 0 && (size_t)more < size - n ? (size_t)more : 0;
    }
  if (found < 2)
    text[0] = '\0';
}

/* getopt_long, whose letters begin with a colon (so it says nothing itself, where a name is not made harmless),
 * answered '?' or ':': says what is wrong. WHY optopt: in the middle of a word of short options optind is at that word
 * still, and the one before it is another. It is 0 for an unknown long option; a letter of letters there is a known
 * long option's. */
static int refuse(const char *argv0, int opt, char **argv, const char *letters, const struct option *options) {
  const char *word = argv[optind - 1];
  const char letter[] = {'-', (char)optopt, '\0'};
  char several[256];
  bool known = optopt > UCHAR_MAX || (optopt != ':' && strchr(letters, optopt) != NULL);
  bool is_short = opt == ':' ? strncmp(word, "--", 2) != 0 : !known;
  if (opt != ':' && optopt == 0) {
    candidates(word, options, several, sizeof several);
    if (several[0] != '\0')
      return rijn_usage(argv0, "%s: can be %s", word, several);
  }
  const char *why = optopt == 0 || is_short ? "no such option" : "takes no value";
  if (opt == ':')
    why = "its value is missing";
  return rijn_usage(argv0, "%s: %s", is_short ? letter : word, why);
}

int rijn_args_last(const struct rijn_given *g) {
  memcpy(g->to, &g->text, sizeof g->text);
  return RIJN_EXIT_OK;
}

int rijn_args_text(const struct rijn_given *g) {
  const char *before;
  memcpy(&before, g->to, sizeof before);
  /* WHY: to take the last would mean another key or another file than the one that was named first. */
  if (before != NULL)
    return rijn_usage(g->argv0, "%s: given twice ('%s' and '%s')", g->name, before, g->text);
  return rijn_args_last(g);
}

static int take(const struct rijn_command *c, const struct rijn_option *o, void *all, const char **before) {
  char name[64];
  struct rijn_given g = {c->name, name, optarg, all, (char *)all + o->at, o};
  snprintf(name, sizeof name, "--%s", o->name);
  if (o->value != NULL && *before != NULL && c->once && !o->many)
    return rijn_usage(c->name, "%s: given twice ('%s' and '%s')", name, *before, optarg);
  *before = optarg;
  if (o->take != NULL)
    return o->take(&g);
  if (o->value != NULL)
    return rijn_args_text(&g);
  *(bool *)g.to = true;
  return RIJN_EXIT_OK;
}

int rijn_args(const struct rijn_command *c, void *all, int argc, char **argv) {
  const struct rijn_option *of[MOST];
  const char *before[MOST] = {NULL};
  struct option longs[MOST + 1];
  char letters[2 * MOST + 2] = ":";
  int n = 0, opt, status = RIJN_EXIT_OK;
  if (rijn_args_completes(argc, argv)) {
    complete(c, argc - 2, argv + 2);
    return -1;
  }
  for (const struct rijn_option *o = NULL; n < MOST && (o = next(c, o)) != NULL; n++) {
    of[n] = o;
    longs[n] = (struct option){o->name, o->value != NULL ? required_argument : no_argument, NULL, FIRST + n};
    if (o->letter != 0)
      sprintf(letters + strlen(letters), "%c%s", o->letter, o->value != NULL ? ":" : "");
  }
  longs[n] = (struct option){NULL, 0, NULL, 0};
  optind = 0; /* glibc: start anew */
  while (status == RIJN_EXIT_OK && (opt = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
    if (opt == '?' || opt == ':')
      return refuse(c->name, opt, argv, letters, longs);
    int i = opt - FIRST;
    for (int j = 0; opt < FIRST && j < n; j++)
      i = of[j]->letter == opt ? j : i;
    if (of[i] == &help_option) {
      help(c);
      return -1;
    }
    status = take(c, of[i], all, &before[i]);
  }
  return status;
}
