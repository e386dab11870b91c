/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* nbdkit-rijn-plugin: an encrypted volume on a file, a block device or a partition of one, as a block device. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

/* The whole library may be called from any thread. */
#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL

static char *file;
static rijn_volume_disk disk;

static int plugin_config(const char *key, const char *value) {
  int r = rijnv_nbd_config(key, value);
  if (r != 0)
    return r > 0 ? 0 : -1;
  if (strcmp(key, "file") != 0) {
    nbdkit_error("unknown parameter '%s'", key);
    return -1;
  }
  if (file != NULL) {
    nbdkit_error("file: given twice");
    return -1;
  }
  file = nbdkit_realpath(value);
  return file != NULL ? 0 : -1;
}

static int plugin_config_complete(void) {
  if (file != NULL)
    return 0;
  nbdkit_error("file=DISK is missing");
  return -1;
}

/* WHY here: it is the last call before nbdkit goes into the background; a prompt and an error are still seen. */
static int plugin_get_ready(void) {
  rijn_volume_error err;
  bool *read_only = &rijnv_nbd.options.read_only;
  int r = rijn_volume_disk_open(&disk, file, *read_only, &err);
  if (r != RIJN_VOLUME_OK && !*read_only) { /* what cannot be written can be read still */
    *read_only = true;
    r = rijn_volume_disk_open(&disk, file, true, &err);
  }
  if (r == RIJN_VOLUME_OK)
    return rijnv_nbd_unlock(&disk);
  nbdkit_error("rijn: %s", err.text);
  return -1;
}

/* WHY here: a lock of memory does not outlive the fork. */
static int plugin_after_fork(void) {
  if (rijn_volume_lock(rijnv_nbd.volume) != 0)
    nbdkit_debug("rijn: the keys cannot be locked in memory");
  return 0;
}

static void plugin_unload(void) {
  rijnv_nbd_close();
  rijn_volume_disk_close(&disk);
  free(file);
}

static const rijn_volume_facts *facts(void) { return rijn_volume_facts_of(rijnv_nbd.volume); }

static void *plugin_open(int readonly) {
  (void)readonly;
  return NBDKIT_HANDLE_NOT_NEEDED;
}
static int64_t plugin_get_size(void *h) {
  (void)h;
  return (int64_t)facts()->size;
}
/* WHY 1: with more, clients refuse what is not aligned to it, and nbdfuse's writes of a few bytes fail. */
static int plugin_block_size(void *h, uint32_t *minimum, uint32_t *preferred, uint32_t *maximum) {
  (void)h;
  *minimum = 1;
  *preferred = facts()->sector_size > 4096 ? facts()->sector_size : 4096;
  *maximum = UINT32_MAX;
  return 0;
}
static int plugin_can_write(void *h) {
  (void)h;
  return !facts()->read_only;
}
static int plugin_can_trim(void *h) {
  (void)h;
  return facts()->discards && disk.trim != NULL && !facts()->read_only;
}
static int yes(void *h) {
  (void)h;
  return 1;
}
/* A hole beneath is noise above: nothing is ever reported as zeros, nor zeroed but by writing. */
static int no(void *h) {
  (void)h;
  return 0;
}
static int plugin_can_fua(void *h) {
  (void)h;
  return NBDKIT_FUA_NATIVE;
}

static int plugin_pread(void *h, void *buf, uint32_t count, uint64_t offset, uint32_t flags) {
  (void)h;
  (void)flags;
  return rijnv_nbd_answer(rijn_volume_pread(rijnv_nbd.volume, buf, count, offset), "read");
}
static int flush_if(uint32_t flags, int no_so_far) {
  if (no_so_far != 0 || (flags & NBDKIT_FLAG_FUA) == 0)
    return no_so_far;
  return rijn_volume_flush(rijnv_nbd.volume);
}
static int plugin_pwrite(void *h, const void *buf, uint32_t count, uint64_t offset, uint32_t flags) {
  (void)h;
  return rijnv_nbd_answer(flush_if(flags, rijn_volume_pwrite(rijnv_nbd.volume, buf, count, offset)), "write");
}
static int plugin_trim(void *h, uint32_t count, uint64_t offset, uint32_t flags) {
  (void)h;
  return rijnv_nbd_answer(flush_if(flags, rijn_volume_trim(rijnv_nbd.volume, count, offset)), "trim");
}
static int plugin_flush(void *h, uint32_t flags) {
  (void)h;
  (void)flags;
  return rijnv_nbd_answer(rijn_volume_flush(rijnv_nbd.volume), "flush");
}

static struct nbdkit_plugin plugin = {
    .name = "rijn",
    .longname = "Rijn: LUKS, GELI, VeraCrypt and BitLocker volumes",
    .description = "shows the plain bytes of a LUKS, GELI, VeraCrypt, TrueCrypt or BitLocker volume",
    .magic_config_key = "file",
    .config = plugin_config,
    .config_complete = plugin_config_complete,
    .config_help = "file=DISK                      a file or a block device (required)\n" RIJNV_NBD_HELP,
    .get_ready = plugin_get_ready,
    .after_fork = plugin_after_fork,
    .unload = plugin_unload,
    .open = plugin_open,
    .get_size = plugin_get_size,
    .block_size = plugin_block_size,
    .can_write = plugin_can_write,
    .can_flush = yes,
    .can_fua = plugin_can_fua,
    .can_trim = plugin_can_trim,
    .can_multi_conn = yes,
    .can_zero = no,
    .can_extents = no,
    .is_rotational = no,
    .pread = plugin_pread,
    .pwrite = plugin_pwrite,
    .flush = plugin_flush,
    .trim = plugin_trim,
};

NBDKIT_REGISTER_PLUGIN(plugin)
