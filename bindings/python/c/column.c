/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Many messages in one call: a column of values of any length as Arrow has it, one behind the other, and offsets. */
#include <string.h>

#include "doc.h"
#include "module.h"
#include "run.h"
#include "table.h"

enum {
  COLUMN_NONCES,
  COLUMN_OFFSETS,
  COLUMN_DATA,
  COLUMN_AAD,
  COLUMN_OUT_OFFSETS,
  COLUMN_OUT,
  COLUMN_OK,
  COLUMN_COUNT
};

/* What a call of columns works on. */
struct column {
  const struct cipher *cipher;
  const struct call *call;
  bool encrypt;
  Py_ssize_t n; /* values */
  struct table nonces, aad;
  bool counted; /* no table of nonces: a prefix, and the number of the row behind it */
  uint8_t prefix[12];
  Py_ssize_t prefix_len;
  uint64_t first;
  struct view offsets, data, out_offsets, out, ok;
  Py_ssize_t total; /* bytes of output */
};

static void column_close(struct column *c) {
  table_close(&c->nonces);
  table_close(&c->aad);
  view_close(&c->offsets);
  view_close(&c->data);
  view_close(&c->out_offsets);
  view_close(&c->out);
  view_close(&c->ok);
}

/* ---------------------------------------------------------------- nonces */

/* A tuple of prefix and first number. */
static bool counted_open(struct column *c, PyObject *o) {
  struct view prefix;
  if (PyTuple_Size(o) != 2) {
    PyErr_Format(PyExc_TypeError, "%s: nonces as a tuple are (prefix, number of the first row)", c->call->name);
    return false;
  }
  if (!view_open(&prefix, PyTuple_GetItem(o, 0), c->call, COLUMN_NONCES)) {
    return false;
  }
  c->prefix_len = prefix.len;
  if (prefix.len >= 4 && prefix.len < 12) {
    memcpy(c->prefix, prefix.p, (size_t)prefix.len);
  }
  view_close(&prefix);
  if (c->prefix_len < 4 || c->prefix_len >= 12) {
    PyErr_Format(PyExc_ValueError, "%s: the prefix of nonces must be from 4 to 11 bytes, not %zd", c->call->name,
                 c->prefix_len);
    return false;
  }
  if (!take_number(PyTuple_GetItem(o, 1), c->call, COLUMN_NONCES, &c->first)) {
    return false;
  }
  int bits = 8 * (12 - (int)c->prefix_len);
  uint64_t most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  if (c->first > most || (c->n > 0 && (uint64_t)(c->n - 1) > most - c->first)) {
    PyErr_Format(PyExc_ValueError,
                 "%s: nonces: the numbers of these rows do not fit into the %d bytes behind the prefix", c->call->name,
                 bits / 8);
    return false;
  }
  c->counted = true;
  return true;
}

static bool nonces_open(struct column *c, PyObject *o) {
  if (PyTuple_Check(o)) {
    return counted_open(c, o);
  }
  if (!table_open(&c->nonces, o, c->call, COLUMN_NONCES, 0)) {
    return false;
  }
  if (c->nonces.n != c->n) {
    PyErr_Format(PyExc_ValueError, "%s: %zd nonces for %zd values", c->call->name, c->nonces.n, c->n);
  } else if (c->encrypt && c->n > 1 && c->nonces.stride == 0) {
    PyErr_Format(PyExc_ValueError, "%s: all rows of nonces are the same one, which would give the key away",
                 c->call->name);
  } else {
    return nonce_fits(c->cipher, c->call, c->nonces.width);
  }
  return false;
}

/* Where the nonce of a row is; it may be made in `room`. */
static const uint8_t *nonce_of(const struct column *c, Py_ssize_t row, uint8_t room[12]) {
  if (!c->counted) {
    return row_of(&c->nonces, row);
  }
  uint64_t number = c->first + (uint64_t)row;
  memcpy(room, c->prefix, 12);
  for (Py_ssize_t at = 11; at >= c->prefix_len; at--, number >>= 8) {
    room[at] = (uint8_t)number;
  }
  return room;
}

/* ---------------------------------------------------------------- offsets */

static const struct items offset_items = {"iIlLqQnN", "integers of 32 or 64 bits", {4, 8}};

static bool offsets_view(struct view *v, PyObject *o, const struct column *c, int param, int flags) {
  if (!view_items(v, o, c->call, param, flags, &offset_items)) {
    return false;
  }
  if (v->buffer.ndim != 1 || (uintptr_t)v->p % (size_t)v->buffer.itemsize != 0) {
    PyErr_Format(PyExc_ValueError, "%s: %s must be one-dimensional and aligned", c->call->name, c->call->params[param]);
    view_close(v);
    return false;
  }
  return true;
}

/* WHY volatile: another thread may write there, and what is checked has to be what is used. */
static int64_t offset_at(const struct view *v, Py_ssize_t i) {
  return v->buffer.itemsize == 4 ? ((const volatile int32_t *)(const void *)v->p)[i]
                                 : ((const volatile int64_t *)(const void *)v->p)[i];
}
static void offset_put(const struct view *v, Py_ssize_t i, Py_ssize_t offset) {
  if (v->buffer.itemsize == 4) {
    ((int32_t *)(void *)v->p)[i] = (int32_t)offset;
  } else {
    ((int64_t *)(void *)v->p)[i] = offset;
  }
}

struct value {
  Py_ssize_t at, len;     /* in data */
  Py_ssize_t text, taken; /* bytes of text, and of output */
};
/* false: it does not lie in data. A value that is shorter than its tag has no text, and no output. */
static bool value_at(const struct column *c, Py_ssize_t row, struct value *v) {
  int64_t from = offset_at(&c->offsets, row), to = offset_at(&c->offsets, row + 1);
  if (from < 0 || to < from || to > c->data.len) {
    return false;
  }
  Py_ssize_t tag = c->cipher->tag_len;
  v->at = (Py_ssize_t)from;
  v->len = (Py_ssize_t)(to - from);
  v->text = c->encrypt ? v->len : v->len - tag;
  v->taken = c->encrypt ? v->len + tag : (v->text < 0 ? 0 : v->text);
  return true;
}

static bool measure(struct column *c) {
  struct value v;
  for (Py_ssize_t i = 0; i < c->n; i++) {
    if (!value_at(c, i, &v)) {
      long long from = offset_at(&c->offsets, i), to = offset_at(&c->offsets, i + 1);
      PyErr_Format(PyExc_ValueError, "%s: offsets: value %zd is from %lld to %lld, and data has %zd bytes",
                   c->call->name, i, from, to, c->data.len);
      return false;
    }
    c->total += v.taken;
  }
  if (c->offsets.buffer.itemsize == 4 && c->total > INT32_MAX) {
    PyErr_Format(PyExc_OverflowError, "%s: offsets of 32 bits cannot count %zd bytes of output: hand over 64 bits",
                 c->call->name, c->total);
    return false;
  }
  return true;
}

/* ---------------------------------------------------------------- the work */

struct column_run {
  Py_ssize_t n, bytes;
  Py_ssize_t rows[RUN_MOST];
  uint8_t nonces[RUN_MOST][12];
  rijn_gcm_msg msgs[RUN_MOST];
};

static bool column_add(struct column_run *run, const struct column *c, Py_ssize_t row, Py_ssize_t *to) {
  struct value v;
  if (!value_at(c, row, &v) || v.taken > c->total - *to) {
    return false;
  }
  uint8_t *in = c->data.p + v.at, *out = c->out.p + *to;
  *to += v.taken;
  offset_put(&c->out_offsets, row + 1, *to);
  if (c->ok.p != NULL) {
    c->ok.p[row] = 0;
  }
  if (v.text < 0) {
    return true;
  }
  Py_ssize_t i = run->n++;
  run->rows[i] = row;
  run->bytes += v.len;
  run->msgs[i] = (rijn_gcm_msg){sizeof run->msgs[i],
                                c->cipher->key,
                                out,
                                in,
                                (size_t)v.text,
                                row_of(&c->aad, row),
                                (size_t)c->aad.width,
                                nonce_of(c, row, run->nonces[i]),
                                c->counted ? 12 : (size_t)c->nonces.width,
                                c->encrypt ? out + v.text : in + v.text,
                                RIJN_OK};
  return true;
}

/* How many values verify, or an error of the library: RIJN_ESTATE where offsets changed meanwhile. */
static Py_ssize_t column_do(const struct column *c) {
  struct column_run run;
  Py_ssize_t good = 0, to = 0;
  offset_put(&c->out_offsets, 0, 0);
  for (Py_ssize_t row = 0; row < c->n;) {
    run.n = run.bytes = 0;
    for (; row < c->n && run.n < RUN_MOST && run.bytes < RUN_BYTES; row++) {
      if (!column_add(&run, c, row, &to)) {
        return RIJN_ESTATE;
      }
    }
    int bad =
        c->encrypt ? rijn_gcm_encrypt_batch(run.msgs, (size_t)run.n) : rijn_gcm_decrypt_batch(run.msgs, (size_t)run.n);
    if (bad < 0) {
      return bad;
    }
    good += run.n - bad;
    for (Py_ssize_t i = 0; c->ok.p != NULL && i < run.n; i++) {
      c->ok.p[run.rows[i]] = run.msgs[i].result == RIJN_OK;
    }
  }
  return good;
}

static Py_ssize_t column_run(const struct column *c) {
  /* CT: lengths are public. */
  if (c->n < GIL_FROM / RUN_COST && c->total < GIL_FROM) {
    return column_do(c);
  }
  PyThreadState *saved = PyEval_SaveThread();
  Py_ssize_t good = column_do(c);
  PyEval_RestoreThread(saved);
  return good;
}

/* ---------------------------------------------------------------- the call */

static bool column_open(struct column *c, PyObject *const *given) {
  if (!offsets_view(&c->offsets, given[COLUMN_OFFSETS], c, COLUMN_OFFSETS, 0)) {
    return false;
  }
  c->n = c->offsets.len / c->offsets.buffer.itemsize - 1;
  if (c->n < 0) {
    PyErr_Format(PyExc_ValueError, "%s: offsets must be one more than there are values", c->call->name);
    return false;
  }
  if (!nonces_open(c, given[COLUMN_NONCES]) || !view_open(&c->data, given[COLUMN_DATA], c->call, COLUMN_DATA) ||
      !aad_open(&c->aad, given[COLUMN_AAD], c->call, COLUMN_AAD)) {
    return false;
  }
  if (c->aad.n != c->n && !c->aad.one) {
    PyErr_Format(PyExc_ValueError, "%s: %zd rows of associated_data for %zd values", c->call->name, c->aad.n, c->n);
    return false;
  }
  return measure(c);
}

/* Each output apart from the others, and from what is read. */
static bool column_apart(const struct column *c) {
  const struct table places[] = {c->nonces,       table_of(&c->offsets),     table_of(&c->data),
                                 c->aad,          table_of(&c->out_offsets), table_of(&c->out),
                                 table_of(&c->ok)};
  for (int out = COLUMN_OUT_OFFSETS; out <= COLUMN_OK; out++) {
    for (int other = 0; other < out; other++) {
      if (tables_meet(&places[out], &places[other])) {
        PyErr_Format(PyExc_ValueError, "%s: %s overlaps %s", c->call->name, c->call->params[out],
                     c->call->params[other]);
        return false;
      }
    }
  }
  return true;
}

/* The outputs: given, or new. targets: new references. */
static bool column_target(struct column *c, PyObject *const *given, PyObject *targets[2]) {
  Py_ssize_t size = c->offsets.buffer.itemsize;
  for (int i = 0; i < 2; i++) {
    targets[i] = given[COLUMN_OUT_OFFSETS + i];
    if (targets[i] != NULL && targets[i] != Py_None) {
      Py_INCREF(targets[i]);
    } else if (i == 0) {
      targets[i] = new_memory(size == 4 ? MEMORY_INT32 : MEMORY_INT64, (c->n + 1) * size, given[COLUMN_OFFSETS]);
    } else {
      targets[i] = new_memory(MEMORY_BYTES, c->total, given[COLUMN_DATA]);
    }
    if (targets[i] == NULL) {
      return false;
    }
  }
  if (!offsets_view(&c->out_offsets, targets[0], c, COLUMN_OUT_OFFSETS, PyBUF_WRITABLE) ||
      !view_buffer(&c->out, targets[1], c->call, COLUMN_OUT, PyBUF_WRITABLE)) {
    return false;
  }
  if (c->out_offsets.len != c->offsets.len || c->out_offsets.buffer.itemsize != size) {
    PyErr_Format(PyExc_ValueError, "%s: out_offsets must be %zd integers of %zd bits, as offsets", c->call->name,
                 c->n + 1, 8 * size);
  } else if (c->out.len < c->total) {
    PyErr_Format(PyExc_ValueError, "%s: out must be at least %zd bytes for these values, not %zd", c->call->name,
                 c->total, c->out.len);
  } else {
    return column_apart(c);
  }
  return false;
}

/* The results of a decryption: the caller's own bytes, or ours. */
static bool column_results(struct column *c, PyObject *given, PyObject **own) {
  if (given == NULL || given == Py_None) {
    *own = PyByteArray_FromStringAndSize(NULL, c->n);
    return *own != NULL && view_buffer(&c->ok, *own, c->call, COLUMN_OK, PyBUF_WRITABLE);
  }
  if (!view_items(&c->ok, given, c->call, COLUMN_OK, PyBUF_WRITABLE, &result_items)) {
    return false;
  }
  if (c->ok.len != c->n) {
    PyErr_Format(PyExc_ValueError, "%s: ok must be %zd bytes, one a value, not %zd", c->call->name, c->n, c->ok.len);
    return false;
  }
  return true;
}

static bool column_done(PyObject *self, const struct column *c, const PyObject *own) {
  Py_ssize_t good = column_run(c);
  if (good == RIJN_ESTATE) {
    PyErr_Format(PyExc_RuntimeError, "%s: another thread changed offsets during the call", c->call->name);
  } else if (good < 0 || (c->encrypt && good < c->n)) {
    refuse(self, c->call, good < 0 ? (int)good : RIJN_ELEN);
  } else if (own != NULL && good < c->n) {
    refuse_rows(self, c->ok.p, c->n, c->n - good);
  } else {
    return true;
  }
  return false;
}

static PyObject *column(PyObject *self, const struct call *call, PyObject *const *given, bool encrypt) {
  struct column c = {.cipher = cipher_of(self), .call = call, .encrypt = encrypt};
  PyObject *targets[2] = {NULL, NULL};
  PyObject *own = NULL;
  PyObject *done = NULL;
  if (column_open(&c, given) && (encrypt || column_results(&c, given[COLUMN_OK], &own)) &&
      column_target(&c, given, targets) && column_done(self, &c, own)) {
    done = PyTuple_Pack(2, targets[0], targets[1]);
  }
  column_close(&c);
  Py_XDECREF(own);
  Py_XDECREF(targets[0]);
  Py_XDECREF(targets[1]);
  return done;
}

#define COLUMN_PARAMS "nonces", "offsets", "data", "associated_data", "out_offsets", "out"
PyObject *gcm_encrypt_column(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"encrypt_column", 3, COLUMN_OK, {COLUMN_PARAMS}};
  PyObject *given[COLUMN_COUNT] = {NULL};
  return take(&call, args, nargs, names, given) ? column(self, &call, given, true) : NULL;
}
PyObject *gcm_decrypt_column(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"decrypt_column", 3, COLUMN_COUNT, {COLUMN_PARAMS, "ok"}};
  PyObject *given[COLUMN_COUNT];
  return take(&call, args, nargs, names, given) ? column(self, &call, given, false) : NULL;
}
