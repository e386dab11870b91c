/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* nbdkit-rijn-filter: the same over any plugin of nbdkit. It runs in the version of nbdkit that it was compiled for, as
 * all filters do. */
#include <nbdkit-filter.h>

#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/* The one context of what lies beneath. WHY one for all clients: the volume is opened once, since deriving a key takes
 * seconds, and what one client flushes is then what all have written. */
static nbdkit_next *beneath;
static rijn_volume_disk disk;

/* nbdkit locks SERIALIZE_REQUESTS for each connection by itself, and all connections come to the one context. So the
 * filter locks, unless the thread model is PARALLEL. WHY around single calls: a thread that holds this lock then waits
 * for no other one. */
static bool in_turn = true; /* until nbdkit has told the model */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void begin_call(void) {
  if (in_turn)
    pthread_mutex_lock(&turn);
}
static void end_call(void) {
  if (in_turn)
    pthread_mutex_unlock(&turn);
}

/* ---------------------------------------------------------------- the disk */

static int most(size_t len) { return len > 1 << 25 ? 1 << 25 : (int)len; }

static int disk_pread(void *handle, void *buf, size_t len, uint64_t offset) {
  nbdkit_next *next = handle;
  for (uint8_t *p = buf; len > 0;) {
    int n = most(len), no = EIO;
    begin_call();
    int r = next->pread(next, p, (uint32_t)n, offset, 0, &no);
    end_call();
    if (r != 0)
      return no != 0 ? no : EIO;
    p += n;
    len -= (size_t)n;
    offset += (uint64_t)n;
  }
  return 0;
}

static int disk_pwrite(void *handle, const void *buf, size_t len, uint64_t offset) {
  nbdkit_next *next = handle;
  for (const uint8_t *p = buf; len > 0;) {
    int n = most(len), no = EIO;
    begin_call();
    int r = next->pwrite(next, p, (uint32_t)n, offset, 0, &no);
    end_call();
    if (r != 0)
      return no != 0 ? no : EIO;
    p += n;
    len -= (size_t)n;
    offset += (uint64_t)n;
  }
  return 0;
}

static int disk_flush(void *handle) {
  nbdkit_next *next = handle;
  int no = EIO;
  begin_call();
  int r = next->flush(next, 0, &no);
  end_call();
  return r == 0 ? 0 : no;
}

static int disk_trim(void *handle, uint64_t len, uint64_t offset) {
  nbdkit_next *next = handle;
  while (len > 0) {
    uint32_t n = len > 1u << 30 ? 1u << 30 : (uint32_t)len;
    int no = EIO;
    begin_call();
    int r = next->trim(next, n, offset, 0, &no);
    end_call();
    if (r != 0)
      return no;
    len -= n;
    offset += n;
  }
  return 0;
}

static int open_beneath(nbdkit_backend *backend) {
  bool read_only = rijnv_nbd.options.read_only;
  beneath = nbdkit_next_context_open(backend, read_only, "", 1);
  if (beneath == NULL || beneath->prepare(beneath) != 0)
    return -1;
  int64_t size = beneath->get_size(beneath);
  int writes = read_only ? 0 : beneath->can_write(beneath), flushes = beneath->can_flush(beneath);
  int trims = beneath->can_trim(beneath);
  if (size < 0 || writes < 0 || flushes < 0 || trims < 0)
    return -1;
  disk = (rijn_volume_disk){beneath,
                            (uint64_t)size,
                            0,
                            disk_pread,
                            writes != 0 ? disk_pwrite : NULL,
                            flushes != 0 ? disk_flush : NULL,
                            trims != 0 && writes != 0 ? disk_trim : NULL};
  return 0;
}

/* ---------------------------------------------------------------- nbdkit's calls */

static int filter_config(nbdkit_next_config *next, nbdkit_backend *backend, const char *key, const char *value) {
  int r = rijnv_nbd_config(key, value);
  if (r != 0)
    return r > 0 ? 0 : -1;
  return next(backend, key, value);
}

/* The model is the least parallel one of the plugin and of all filters. It stays as it is from here on. */
static int filter_get_ready(int thread_model) {
  in_turn = thread_model < NBDKIT_THREAD_MODEL_PARALLEL;
  return 0;
}

/* Here the plugin can be read for the first time. */
static int filter_after_fork(nbdkit_backend *backend) {
  if (open_beneath(backend) != 0 || rijnv_nbd_unlock(&disk) != 0)
    return -1;
  if (rijn_volume_lock(rijnv_nbd.volume) != 0)
    nbdkit_debug("rijn: the keys cannot be locked in memory");
  return 0;
}

static void filter_cleanup(nbdkit_backend *backend) {
  (void)backend;
  rijnv_nbd_close();
  if (beneath != NULL) {
    (void)beneath->finalize(beneath);
    nbdkit_next_context_close(beneath);
  }
  beneath = NULL;
}

static void *filter_open(nbdkit_next_open *next, nbdkit_context *context, int readonly, const char *name, int is_tls) {
  (void)next; /* no client has a context of its own */
  (void)context;
  (void)readonly;
  (void)name;
  (void)is_tls;
  return NBDKIT_HANDLE_NOT_NEEDED;
}

static const rijn_volume_facts *facts(void) { return rijn_volume_facts_of(rijnv_nbd.volume); }

static int64_t filter_get_size(nbdkit_next *next, void *h) {
  (void)next;
  (void)h;
  return (int64_t)facts()->size;
}
static const char *filter_description(nbdkit_next *next, void *h) {
  (void)next;
  (void)h;
  return NULL;
}
static int filter_block_size(nbdkit_next *next, void *h, uint32_t *minimum, uint32_t *preferred, uint32_t *maximum) {
  (void)next;
  (void)h;
  *minimum = 1;
  *preferred = facts()->sector_size > 4096 ? facts()->sector_size : 4096;
  *maximum = UINT32_MAX;
  return 0;
}
static int filter_can_write(nbdkit_next *next, void *h) {
  (void)next;
  (void)h;
  return !facts()->read_only;
}
static int filter_can_flush(nbdkit_next *next, void *h) {
  (void)next;
  (void)h;
  return disk.flush != NULL;
}
static int filter_can_fua(nbdkit_next *next, void *h) {
  (void)next;
  (void)h;
  return disk.flush != NULL ? NBDKIT_FUA_NATIVE : NBDKIT_FUA_NONE;
}
static int filter_can_trim(nbdkit_next *next, void *h) {
  (void)next;
  (void)h;
  return facts()->discards && disk.trim != NULL && !facts()->read_only;
}
static int filter_can_zero(nbdkit_next *next, void *h) {
  (void)next;
  (void)h;
  return NBDKIT_ZERO_EMULATE;
}
static int yes(nbdkit_next *next, void *h) {
  (void)next;
  (void)h;
  return 1;
}
static int no(nbdkit_next *next, void *h) {
  (void)next;
  (void)h;
  return 0;
}

/* *err gets what the client is told. */
static int answer(int errno_value, const char *what, int *err) {
  if (errno_value != 0)
    *err = errno_value;
  return rijnv_nbd_answer(errno_value, what);
}
static int flush_if(uint32_t flags, int no_so_far) {
  if (no_so_far != 0 || (flags & NBDKIT_FLAG_FUA) == 0)
    return no_so_far;
  return rijn_volume_flush(rijnv_nbd.volume);
}
static int filter_pread(nbdkit_next *next, void *h, void *buf, uint32_t count, uint64_t offset, uint32_t flags,
                        int *err) {
  (void)next;
  (void)h;
  (void)flags;
  return answer(rijn_volume_pread(rijnv_nbd.volume, buf, count, offset), "read", err);
}
static int filter_pwrite(nbdkit_next *next, void *h, const void *buf, uint32_t count, uint64_t offset, uint32_t flags,
                         int *err) {
  (void)next;
  (void)h;
  return answer(flush_if(flags, rijn_volume_pwrite(rijnv_nbd.volume, buf, count, offset)), "write", err);
}
static int filter_trim(nbdkit_next *next, void *h, uint32_t count, uint64_t offset, uint32_t flags, int *err) {
  (void)next;
  (void)h;
  return answer(flush_if(flags, rijn_volume_trim(rijnv_nbd.volume, count, offset)), "trim", err);
}
static int filter_flush(nbdkit_next *next, void *h, uint32_t flags, int *err) {
  (void)next;
  (void)h;
  (void)flags;
  return answer(rijn_volume_flush(rijnv_nbd.volume), "flush", err);
}

static struct nbdkit_filter filter = {
    .name = "rijn",
    .longname = "Rijn: LUKS, GELI, VeraCrypt and BitLocker volumes",
    .description = "shows the plain bytes of a LUKS, GELI, VeraCrypt, TrueCrypt or BitLocker volume",
    .config = filter_config,
    .config_help = RIJNV_NBD_HELP,
    .get_ready = filter_get_ready,
    .after_fork = filter_after_fork,
    .cleanup = filter_cleanup,
    .open = filter_open,
    .get_size = filter_get_size,
    .export_description = filter_description,
    .block_size = filter_block_size,
    .can_write = filter_can_write,
    .can_flush = filter_can_flush,
    .is_rotational = no,
    .can_trim = filter_can_trim,
    .can_zero = filter_can_zero,
    .can_fast_zero = no,
    .can_extents = no,
    .can_fua = filter_can_fua,
    .can_multi_conn = yes,
    .can_cache = no,
    .pread = filter_pread,
    .pwrite = filter_pwrite,
    .flush = filter_flush,
    .trim = filter_trim,
};

NBDKIT_REGISTER_FILTER(filter)
