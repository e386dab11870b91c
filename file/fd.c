/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Whole files, by descriptors. */
#include "engine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { HEAD_MAX = 4096, PIPE = 1 << 20, LARGE = 1 << 20, HURRY = 1 << 16 };

struct io {
  int in, out;
  bool places;   /* the input has positions */
  uint64_t base; /* of the input's first byte in its file; of the output's likewise */
  uint64_t out_base;
  bool own, hurry; /* the output is the job's alone; its pieces are wanted on the disk soon */
  const uint8_t *head;
  size_t head_len, head_used;
  bool pushed; /* one byte that was read too early */
  uint8_t push;
};

/* ---------------------------------------------------------------- bytes */

/* After a read or a write that failed: may it be tried again? WHY EAGAIN: another program (ssh, node) can have made
 * the pipe that it shares with this one non-blocking. */
static bool again(int fd, short events) {
  struct pollfd p = {.fd = fd, .events = events};
  if (errno == EINTR)
    return true;
  return errno == EAGAIN && (poll(&p, 1, -1) >= 0 || errno == EINTR);
}

/* at < 0: from where the descriptor stands. */
static int read_all(int fd, uint8_t *buf, size_t len, off_t at, size_t *got) {
  while (len > 0) {
    ssize_t r = at < 0 ? read(fd, buf, len) : pread(fd, buf, len, at);
    if (r == 0)
      return 0;
    if (r < 0 && !again(fd, POLLIN))
      return errno;
    if (r > 0) {
      buf += r;
      len -= (size_t)r;
      *got += (size_t)r;
      at += at < 0 ? 0 : r;
    }
  }
  return 0;
}

static int write_all(int fd, const uint8_t *buf, size_t len, off_t at) {
  while (len > 0) {
    ssize_t w = at < 0 ? write(fd, buf, len) : pwrite(fd, buf, len, at);
    if (w == 0)
      return EIO; /* WHY: a device that takes nothing and says nothing would be a loop without end */
    if (w < 0 && !again(fd, POLLOUT))
      return errno;
    if (w > 0) {
      buf += w;
      len -= (size_t)w;
      at += at < 0 ? 0 : w;
    }
  }
  return 0;
}

static int read_fd(void *user, void *buf, size_t len, uint64_t at, size_t *got) {
  struct io *io = user;
  uint8_t *to = buf;
  *got = 0;
  if (len == 0 && !io->places) { /* is there another byte? */
    if (io->pushed || io->head_used < io->head_len) {
      *got = 1;
      return 0;
    }
    int err = read_all(io->in, &io->push, 1, -1, got);
    io->pushed = *got == 1;
    return err;
  }
  uint8_t one;
  if (len == 0) {
    to = &one;
    len = 1;
  }
  /* What was read before; of an input with positions it stands before its first byte. */
  size_t from = io->head_used;
  if (io->places)
    from = at < io->head_len ? (size_t)at : io->head_len;
  size_t n = io->head_len - from < len ? io->head_len - from : len;
  if (n > 0)
    memcpy(to, io->head + from, n);
  if (!io->places) /* else several threads are here at once, and nothing is written */
    io->head_used = from + n;
  if (io->pushed && n < len) {
    to[n++] = io->push;
    io->pushed = false;
  }
  *got = n;
  return read_all(io->in, to + n, len - n, io->places ? (off_t)(io->base + at + n - io->head_len) : -1, got);
}

static int write_fd(void *user, const void *buf, size_t len, uint64_t at) {
  struct io *io = user;
  if (!io->own)
    return write_all(io->out, buf, len, -1);
  off_t to = (off_t)(io->out_base + at);
  int err = write_all(io->out, buf, len, to);
#ifdef SYNC_FILE_RANGE_WRITE
  /* PERF: the disk works while the next pieces are made. That it is there, only fsync says. A piece that is small is
   * left to that: another one follows in the same page, or none at all. */
  if (err == 0 && io->hurry && len >= HURRY)
    (void)sync_file_range(io->out, to, (off_t)len, SYNC_FILE_RANGE_WRITE);
#endif
  return err;
}

/* ---------------------------------------------------------------- a job */

static int wider(int fd, const struct stat *st) {
#ifdef F_SETPIPE_SZ
  /* PERF: a pipe of 64 KiB is a switch of processes each 64 KiB: 852 MB/s where 1 MiB makes 2461 (doc/rijn.1). */
  if (S_ISFIFO(st->st_mode) && fcntl(fd, F_GETPIPE_SZ) < PIPE)
    return fcntl(fd, F_SETPIPE_SZ, PIPE);
#endif
  (void)fd, (void)st;
  return 0;
}

/* Looks what the descriptors are. *known: bytes of the input that are there. */
static int prepare(struct io *io, const rijn_file_job *job, uint64_t *known, rijn_file_error *e) {
  struct stat st;
  *io = (struct io){.in = job->in, .out = job->out, .head = job->head, .head_len = job->head_len};
  *known = 0;
  if (fstat(job->in, &st) != 0)
    return rijn_file_fail(e, RIJN_FILE_EREAD, errno);
  (void)wider(job->in, &st);
  off_t at = S_ISREG(st.st_mode) || S_ISBLK(st.st_mode) ? lseek(job->in, 0, SEEK_CUR) : -1;
  if (at >= 0) {
    off_t end = S_ISREG(st.st_mode) ? st.st_size : lseek(job->in, 0, SEEK_END);
    io->places = true;
    io->base = (uint64_t)at;
    *known = end > at ? (uint64_t)(end - at) + job->head_len : 0;
    (void)posix_fadvise(job->in, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  if (job->out < 0)
    return 0;
  if (fstat(job->out, &st) != 0)
    return rijn_file_fail(e, RIJN_FILE_EWRITE, errno);
  (void)wider(job->out, &st);
  io->own = (job->flags & RIJN_FILE_OWN_OUTPUT) != 0;
  io->hurry = io->own && (job->flags & RIJN_FILE_NO_HURRY) == 0;
  off_t to = io->own ? lseek(job->out, 0, SEEK_CUR) : 0;
  if (to < 0)
    return rijn_file_fail(e, RIJN_FILE_EWRITE, errno);
  io->out_base = (uint64_t)to;
  return 0;
}

/* WHY before the first byte: a disk that is full is known then, and its blocks lie together. WHY not in memory
 * (tmpfs): there it takes half as long as the work, and the room can be asked for. */
static int reserve(const struct io *io, uint64_t len, rijn_file_error *e) {
  if (!io->own || len == 0)
    return 0;
#ifdef FALLOC_FL_KEEP_SIZE
  struct statfs fs;
  if (fstatfs(io->out, &fs) == 0 && fs.f_type == TMPFS_MAGIC) {
    bool full = fs.f_blocks != 0 && fs.f_bavail < len / (uint64_t)fs.f_bsize;
    return full ? rijn_file_fail(e, RIJN_FILE_EWRITE, ENOSPC) : 0;
  }
  int r;
  do
    r = fallocate(io->out, 0, (off_t)io->out_base, (off_t)len);
  while (r != 0 && errno == EINTR);
  if (r != 0 && errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
    return rijn_file_fail(e, RIJN_FILE_EWRITE, errno);
#endif
  return 0;
}

static int run(struct rijn_engine *g, struct io *io, rijn_file_job *job, rijn_file_error *e) {
  g->read = read_fd;
  g->write = job->out >= 0 ? write_fd : NULL;
  g->ordered = job->out >= 0 && !io->own;
  /* WHY not what is decrypted: on ext4 pieces of 512 KiB of text took six times as long to write as those of 128, it
   * may be because they are whole pages, which Linux puts into large folios then. */
  g->large = !g->decrypt && io->own && io->places && g->known > LARGE;
  g->end_chunk = UINT64_MAX;
  g->progress = job->progress;
  g->damage = job->damage;
  g->io = io;
  g->user = job->user;
  int r = rijn_engine_run(g, e);
  job->text_bytes = g->text_bytes;
  job->chunks_bad = g->chunks_bad;
  return r;
}

/* An input that grew, or ended early: the output ends where its text does. And a descriptor stands where its bytes
 * end, as if it had been read to there. */
static int settle(const struct io *io, uint64_t out_len, rijn_file_error *e) {
  struct stat st;
  off_t end = (off_t)(io->out_base + out_len);
  if (io->places)
    (void)lseek(io->in, 0, SEEK_END);
  if (!io->own)
    return 0;
  if (fstat(io->out, &st) != 0 || (st.st_size != end && ftruncate(io->out, end) != 0) ||
      lseek(io->out, end, SEEK_SET) < 0)
    return rijn_file_fail(e, RIJN_FILE_EWRITE, errno);
  return 0;
}

static bool job_ok(const rijn_file_job *job) {
  return job != NULL && job->size == sizeof *job && job->head_len <= HEAD_MAX &&
         (job->head != NULL || job->head_len == 0);
}

int rijn_file_encrypt_fd(const rijn_file_params *p, rijn_file_job *job, rijn_file_error *e) {
  uint8_t header[RIJN_HEADER_MAX];
  uint64_t known, chunks, sealed;
  struct rijn_message m;
  struct io io;
  if (!job_ok(job))
    return rijn_file_fail(e, RIJN_FILE_EARGUMENT, 0);
  int r = rijn_message_new(&m, p, header, e);
  if (r == 0)
    r = prepare(&io, job, &known, e);
  if (r == 0 && rijn_layout_seal(m.layout, known, &chunks, &sealed) != 0)
    r = rijn_file_fail(e, RIJN_FILE_ELONG, 0);
  if (r == 0 && known != 0)
    r = reserve(&io, sealed, e);
  if (r == 0 && job->out >= 0) {
    int err = write_fd(&io, header, m.layout->header, 0);
    r = err != 0 ? rijn_file_fail(e, RIJN_FILE_EWRITE, err) : 0;
  }
  if (r == 0) {
    struct rijn_engine g = {.message = &m, .threads = rijn_threads(p->threads), .known = known, .origin = p->start};
    r = run(&g, &io, job, e);
    if (r == 0)
      r = rijn_layout_seal(m.layout, g.text_bytes, &chunks, &sealed);
    if (r == 0)
      r = settle(&io, sealed, e);
  }
  rijn_message_wipe(&m);
  return r;
}

/* The header of the stream that is to be decrypted. */
static int read_header(struct rijn_message *m, const rijn_file_params *p, struct io *io, rijn_file_error *e) {
  const struct rijn_layout *l;
  uint8_t header[RIJN_HEADER_MAX];
  size_t got;
  int r = rijn_params_check(p, &l);
  if (r != 0)
    return rijn_file_fail(e, r, 0);
  int err = read_fd(io, header, l->header, 0, &got);
  if (err != 0)
    return rijn_file_fail(e, RIJN_FILE_EREAD, err);
  if (got == l->header)
    return rijn_message_open(m, p, header, e);
  r = rijn_file_fail(e, RIJN_FILE_EHEADER, 0);
  if (e != NULL) {
    e->from = p->start;
    e->to = p->start + got;
  }
  return r;
}

int rijn_file_decrypt_fd(const rijn_file_params *p, rijn_file_job *job, rijn_file_error *e) {
  uint64_t known, chunks, text = 0;
  struct rijn_message m = {.layout = NULL};
  struct io io;
  if (!job_ok(job))
    return rijn_file_fail(e, RIJN_FILE_EARGUMENT, 0);
  int r = prepare(&io, job, &known, e);
  if (r == 0)
    r = read_header(&m, p, &io, e);
  if (r == 0) {
    (void)rijn_layout_open(m.layout, known, &chunks, &text); /* one that was cut is met at its end */
    r = reserve(&io, text, e);
  }
  if (r == 0) {
    struct rijn_engine g = {
        .message = &m, .decrypt = true, .threads = rijn_threads(p->threads), .known = known, .origin = p->start};
    r = run(&g, &io, job, e);
    if (r == 0)
      r = settle(&io, g.text_bytes, e);
  }
  rijn_message_wipe(&m);
  return r;
}
