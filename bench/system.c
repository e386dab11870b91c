/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "bench.h"
#include "cmd.h"

#include <errno.h>
#include <string.h>

int b_machine_cpu(char *buf, size_t size) {
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "r");
  snprintf(buf, size, "unknown processor");
  if (!f)
    return -1;
  while (fgets(line, sizeof line, f)) {
    char *colon = strchr(line, ':');
    if (!colon || (strncmp(line, "model name", 10) && strncmp(line, "cpu\t", 4) && strncmp(line, "CPU part", 8)))
      continue;
    colon += colon[1] == ' ' ? 2 : 1;
    colon[strcspn(colon, "\n")] = 0;
    snprintf(buf, size, "%s", colon);
    break;
  }
  fclose(f);
  return 0;
}

int b_refused(const char *what) {
  rijn_say_as("rijn bench", "the system refused %s: %s", what, strerror(errno));
  return B_EXIT_SYSTEM;
}
