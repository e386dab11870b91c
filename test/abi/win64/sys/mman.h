/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What of POSIX test/lib/t.c uses, for Windows: pages that cannot be touched. A fault ends the program there by
 * itself. */
#ifndef WIN64_MMAN_H
#define WIN64_MMAN_H
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <windows.h>

/* Memory mapped in many places no program here asks for: it is refused. */
enum { PROT_NONE = 0, PROT_READ = 1, PROT_WRITE = 2 };
enum { MAP_PRIVATE = 0, MAP_ANONYMOUS = 0, MAP_SHARED = 1, MAP_FIXED = 2 };
#define MAP_FAILED NULL

static inline DWORD win64_protection(int prot) {
  return prot == PROT_NONE ? PAGE_NOACCESS : prot == PROT_READ ? PAGE_READONLY : PAGE_READWRITE;
}
static inline void *mmap(void *at, size_t n, int prot, int flags, int file, long long offset) {
  (void)at, (void)file, (void)offset;
  return flags == 0 ? VirtualAlloc(NULL, n, MEM_RESERVE | MEM_COMMIT, win64_protection(prot)) : MAP_FAILED;
}
static inline int mprotect(void *p, size_t n, int prot) {
  DWORD before;
  return VirtualProtect(p, n, win64_protection(prot), &before) ? 0 : -1;
}
static inline int munmap(void *p, size_t n) {
  (void)n;
  return VirtualFree(p, 0, MEM_RELEASE) ? 0 : -1;
}
static inline int memfd_create(const char *name, unsigned flags) { return (void)name, (void)flags, -1; }

#define _SC_PAGESIZE 0
static inline long sysconf(int what) { return (void)what, 4096; }

#define SA_SIGINFO 0
#define SIGBUS SIGSEGV
typedef struct {
  void *si_addr;
} siginfo_t;
struct sigaction {
  void (*sa_sigaction)(int, siginfo_t *, void *);
  int sa_flags;
};
static inline int sigaction(int sig, const struct sigaction *a, void *before) {
  return (void)sig, (void)a, (void)before, 0;
}
#endif
