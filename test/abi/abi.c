/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The rules of the machine: every kernel of every implementation is called through a trampoline that has filled all
 * registers with poison, on a stack of its own (sysv.c, aapcs64.c and elfv2.c say which rules). What the kernel has
 * computed must be what it computes for a caller in C: it took nothing from a register that is no argument.
 *
 * Functions that break one rule each come first: the test must see every one. */
#include "abi.h"

/* As a caller in C does: more arguments than a function takes do no harm in these conventions. */
static void plain_call(const struct kcall *c, uint64_t *result) {
  uint64_t (*fn)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
  memcpy(&fn, &c->fn, sizeof fn);
  *result = fn(c->a[0], c->a[1], c->a[2], c->a[3], c->a[4], c->a[5], c->a[6], c->a[7], c->a[8]);
}

static void check_instruments(void) {
  static const uint64_t none[9];
  uint64_t result;
  for (unsigned turn = 0; turn < 8; turn++)
    for (size_t i = 0; i < abi_bad_n; i++) {
      const void *fn;
      memcpy(&fn, &abi_bad[i].fn, sizeof fn);
      T_AT("instrument %zu, turn %zu", i, turn);
      CHECK_EQ(abi_call(fn, none, turn, &result), abi_bad[i].rule);
    }
}

int main(int argc, char **argv) {
  static struct kdata data, before, after;
  static const size_t lens[] = {0, 1, 16, 17, 48, 64, 65, 100, 255, 256, 512, 577, 1024, 1500, 4096, 8192, 9001, 17000};
  t_init(argc, argv);
  abi_prepare();
  check_instruments();
  T_IMPLS(i) {
    const struct rijn_impl *m = rijn_impls[i];
    unsigned turn = 0;
    for (size_t r = 0; r < K_ROWS; r++)
      for (unsigned rounds = 10; rounds <= 14; rounds += 2)
        for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++, turn++) {
          struct kcall c;
          uint64_t want, got;
          if (krows[r].shape == K_INIT && l > 3)
            break; /* no length: four turns, one for each place of the stack */
          t_fill(data.nonce, sizeof data.nonce);
          k_secrets(&data, m, rounds == 12 && krows[r].key == K_KEY_xts ? 14 : rounds);
          T_AT("row %zu (as krows has them), rounds %zu, len %zu, turn %zu", r, rounds, lens[l], turn);
          memcpy(&before, &data, sizeof data);
          k_call(&c, m, &krows[r], &data, lens[l]);
          if (c.fn == NULL)
            continue; /* an optional kernel that this implementation has not */
          plain_call(&c, &want);
          memcpy(&after, &data, sizeof data);
          memcpy(&data, &before, sizeof data); /* in the same place: the arguments are pointers into it */
          k_call(&c, m, &krows[r], &data, lens[l]);
          int rule = abi_call(c.fn, c.a, turn, &got);
          if (rule != 0)
            t_fail(__FILE__, __LINE__, "%s: %s", krows[r].name, abi_broken(rule));
          CHECK(rule == 0);
          CHECK_MEM(&data, &after, sizeof data);
          if (krows[r].shape == K_SEAL || krows[r].shape == K_OPEN)
            CHECK_EQ((int)got, (int)want);
        }
  }
  return t_done();
}
