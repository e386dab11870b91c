/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Every implementation, every cut point: equal bytes. portable.hide does the same for every set of hidden features. */
#include "cuts.h"

int main(int argc, char **argv) {
  static struct cut_answers w;
  t_init(argc, argv);
  t_fill(&w, sizeof w);
  cut_whole(&w, t_portable());
  T_IMPLS(impl) { cut_everywhere(&w, impl); }
  return t_done();
}
