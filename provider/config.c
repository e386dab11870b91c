/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What the provider's section of the configuration says. */
#include <openssl/params.h>
#include <string.h>

#include "prov.h"

const char *const rijn_alg_names[RIJN_ALG_COUNT] = {"gcm", "ctr", "cbc", "xts", "ecb", "gcm-siv", "ccm", "cfb"};

static const char option[] = "algorithms";

/* "gcm, xts": words between commas and spaces. WHY an unknown word is refused: a typing mistake would otherwise leave a
 * cipher with another provider, and nobody be told. */
static int read_algorithms(struct rijn_prov *prov, const char *s) {
  unsigned algs = 0;
  for (;;) {
    s += strspn(s, ", \t");
    size_t n = strcspn(s, ", \t");
    if (n == 0)
      break;
    int i = 0;
    if (n == 3 && memcmp(s, "all", 3) == 0) {
      algs = RIJN_ALG_ALL;
      s += n;
      continue;
    }
    while (i < RIJN_ALG_COUNT && (strlen(rijn_alg_names[i]) != n || memcmp(rijn_alg_names[i], s, n) != 0))
      i++;
    if (i == RIJN_ALG_COUNT)
      return RIJN_RAISEF(prov, RIJN_R_CONFIG,
                         "algorithms: unknown word \"%.*s\" (gcm, gcm-siv, ccm, ctr, cbc, cfb, xts, ecb, all)",
                         n > 64 ? 64 : (int)n, s);
    algs |= 1u << i;
    s += n;
  }
  if (algs == 0)
    return RIJN_RAISEF(prov, RIJN_R_CONFIG, "algorithms: names none (gcm, gcm-siv, ccm, ctr, cbc, cfb, xts, ecb, all)");
  prov->algs = algs;
  return 1;
}

/* Names that are the option's with one letter wrong at a place. */
enum { LETTERS = 26, VARIANTS = 2 * LETTERS + 3, LONGEST = sizeof option + 1 };
struct variants {
  char name[VARIANTS][LONGEST];
  size_t n;
};

/* head bytes of the option, a letter or none ('\0'), and the option from tail on. */
static void add(struct variants *v, size_t head, char letter, size_t tail) {
  char *to = v->name[v->n++];
  memcpy(to, option, head);
  if (letter != '\0')
    to[head++] = letter;
  memcpy(to + head, option + tail, sizeof option - tail);
}

static void make_variants(struct variants *v, size_t at) {
  const size_t n = sizeof option - 1;
  v->n = 0;
  for (char letter = 'a'; letter <= 'z'; letter++) {
    add(v, at, letter, at); /* one too many */
    if (at < n && letter != option[at])
      add(v, at, letter, at + 1); /* another */
  }
  if (at < n) {
    add(v, at, '\0', at + 1);                           /* one too few */
    add(v, at, (char)(option[at] - 'a' + 'A'), at + 1); /* a capital */
  }
  if (at + 1 < n) { /* two that changed places */
    add(v, at, option[at + 1], at + 1);
    v->name[v->n - 1][at + 1] = option[at];
  }
}

/* Is there an option that was meant to be ours? WHY like this: libcrypto answers what it is asked for, and tells no
 * provider which options its section has. */
static int refuse_misspelt(const struct rijn_prov *prov) {
  struct variants v;
  for (size_t at = 0; at < sizeof option; at++) {
    const char *value[VARIANTS] = {NULL};
    OSSL_PARAM asked[VARIANTS + 1] = {OSSL_PARAM_END};
    make_variants(&v, at);
    for (size_t i = 0; i < v.n; i++)
      asked[i] = (OSSL_PARAM)OSSL_PARAM_utf8_ptr(v.name[i], (void *)&value[i], 0);
    asked[v.n] = (OSSL_PARAM)OSSL_PARAM_END;
    if (!prov->get_params(prov->core, asked))
      continue;
    for (size_t i = 0; i < v.n; i++)
      if (value[i] != NULL)
        return RIJN_RAISEF(prov, RIJN_R_CONFIG, "unknown option \"%s\" (%s)", v.name[i], option);
  }
  return 1;
}

int rijn_prov_configure(struct rijn_prov *prov) {
  const char *algorithms = NULL;
  OSSL_PARAM asked[] = {OSSL_PARAM_utf8_ptr(option, (void *)&algorithms, 0), OSSL_PARAM_END};
  prov->algs = 1u << RIJN_ALG_GCM | 1u << RIJN_ALG_GCM_SIV | 1u << RIJN_ALG_CCM | 1u << RIJN_ALG_CFB;
  if (prov->get_params == NULL)
    return 1;
  if (!refuse_misspelt(prov))
    return 0;
  return !prov->get_params(prov->core, asked) || algorithms == NULL || read_algorithms(prov, algorithms);
}
