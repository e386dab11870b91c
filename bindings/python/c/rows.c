/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Many messages in one call: the rows of two-dimensional arrays. */
#include <stdint.h>
#include <string.h>

#include "doc.h"
#include "module.h"
#include "run.h"

/* Rows of bytes, all of one width, at one distance from each other. */
struct table {
  uint8_t *p;
  Py_ssize_t n, width, stride;
  bool one; /* a single row, which serves for all */
  bool held;
  Py_buffer buffer;
};

static void table_close(struct table *t) {
  if (t->held) {
    PyBuffer_Release(&t->buffer);
    t->held = false;
  }
}

static bool table_shape(struct table *t, const struct call *call, int param) {
  const Py_buffer *b = &t->buffer;
  if (b->ndim != 2) {
    PyErr_Format(PyExc_ValueError, "%s: %s must be two-dimensional: it has %d dimensions", call->name,
                 call->params[param], b->ndim);
    return false;
  }
  t->p = b->buf;
  t->n = b->shape[0];
  t->width = b->shape[1];
  /* WHY NULL: so some exporters, ctypes among them, say that all bytes lie one after the other. */
  t->stride = b->strides != NULL ? b->strides[0] : t->width;
  if (t->width > 1 && b->strides != NULL && b->strides[1] != 1) {
    PyErr_Format(PyExc_BufferError, "%s: %s: the bytes of a row must lie one after the other", call->name,
                 call->params[param]);
    return false;
  }
  return true;
}

static bool table_open(struct table *t, PyObject *o, const struct call *call, int param, int flags) {
  struct view v; /* for its error messages */
  if (!view_buffer(&v, o, call, param, PyBUF_STRIDES | flags)) {
    return false;
  }
  t->buffer = v.buffer;
  t->held = true;
  if (!table_shape(t, call, param)) {
    table_close(t);
    return false;
  }
  return true;
}

static uint8_t *row_of(const struct table *t, Py_ssize_t i) { return t->p + i * t->stride; }

/* The lowest byte of all rows; *len: to the highest. */
static uintptr_t extent(const struct table *t, uintptr_t *len) {
  uintptr_t first = (uintptr_t)t->p, last = (uintptr_t)row_of(t, t->n - 1);
  uintptr_t low = first < last ? first : last;
  *len = (first < last ? last : first) - low + (uintptr_t)t->width;
  return low;
}

/* Whether a byte of a can be one of b. Columns of one array, which lie between each other, are known to be apart. */
static bool tables_meet(const struct table *a, const struct table *b) {
  if (a->n <= 0 || b->n <= 0 || a->width <= 0 || b->width <= 0) {
    return false;
  }
  uintptr_t a_len, b_len, a_low = extent(a, &a_len), b_low = extent(b, &b_len);
  if (a_low >= b_low + b_len || b_low >= a_low + a_len) {
    return false;
  }
  Py_ssize_t period = a->stride < 0 ? -a->stride : a->stride;
  if (period == 0 || (b->stride != period && b->stride != -period)) {
    return true;
  }
  Py_ssize_t away = (Py_ssize_t)((b_low - a_low) % (uintptr_t)period);
  if (b_low < a_low) {
    away = (period - (Py_ssize_t)((a_low - b_low) % (uintptr_t)period)) % period;
  }
  return away < a->width || away + b->width > period;
}

/* What a call of rows works on. */
struct rows {
  struct table nonces, text, aad, out;
  Py_ssize_t tag_len;
  uint8_t *ok; /* of each row, or NULL */
  struct table ok_table;
  bool encrypt;
};

static void rows_close(struct rows *r) {
  table_close(&r->nonces);
  table_close(&r->text);
  table_close(&r->aad);
  table_close(&r->out);
  table_close(&r->ok_table);
}

/* None, bytes for all rows, or a table. */
static bool aad_open(struct table *t, PyObject *o, const struct call *call, int param) {
  struct view v;
  if (!view_open_optional(&v, o, call, param)) {
    if (!PyErr_ExceptionMatches(PyExc_BufferError)) {
      return false;
    }
    PyErr_Clear(); /* no plain bytes, but perhaps columns of an array */
    return table_open(t, o, call, param, 0);
  }
  if (v.held && v.buffer.ndim == 2 && v.len > 0) {
    view_close(&v);
    return table_open(t, o, call, param, 0);
  }
  t->p = v.p;
  t->n = 1;
  t->width = v.len;
  t->stride = 0;
  t->one = true;
  t->held = v.held;
  if (v.held) {
    t->buffer = v.buffer;
  }
  return true;
}

static bool rows_fit(const struct rows *r, const struct cipher *c, const struct call *call) {
  Py_ssize_t n = r->text.n;
  Py_ssize_t width = r->encrypt ? r->text.width + r->tag_len : r->text.width - r->tag_len;
  if (width < 0) {
    PyErr_Format(PyExc_ValueError, "%s: a row of data has %zd bytes, which is shorter than the tag", call->name,
                 r->text.width);
  } else if (r->nonces.n != n) {
    PyErr_Format(PyExc_ValueError, "%s: %zd nonces for %zd rows of data", call->name, r->nonces.n, n);
  } else if (r->encrypt && n > 1 && r->nonces.stride == 0) {
    PyErr_Format(PyExc_ValueError, "%s: all rows of nonces are the same one, which would give the key away",
                 call->name);
  } else if (r->aad.n != n && !r->aad.one) {
    PyErr_Format(PyExc_ValueError, "%s: %zd rows of associated_data for %zd rows of data", call->name, r->aad.n, n);
  } else {
    return nonce_fits(c, call, r->nonces.width);
  }
  return false;
}

static Py_ssize_t distance(const struct table *t) { return t->stride < 0 ? -t->stride : t->stride; }

/* Whether each row of out begins where that of text begins, and no row of the one meets another row of the other.
 * WHY not the strides of one row: they mean nothing, and exporters set them as they like. */
static bool in_place(const struct rows *r) {
  const struct table *out = &r->out, *text = &r->text;
  return out->p == text->p && (text->n <= 1 || (out->stride == text->stride && distance(text) >= text->width));
}

static bool out_fits(const struct rows *r, const struct call *call) {
  Py_ssize_t width = r->encrypt ? r->text.width + r->tag_len : r->text.width - r->tag_len;
  if (r->out.n != r->text.n || r->out.width != width) {
    PyErr_Format(PyExc_ValueError, "%s: out must have the shape (%zd, %zd), not (%zd, %zd)", call->name, r->text.n,
                 width, r->out.n, r->out.width);
  } else if (r->out.n > 1 && distance(&r->out) < width) {
    PyErr_Format(PyExc_ValueError, "%s: rows of out overlap each other", call->name);
  } else if (!in_place(r) && tables_meet(&r->out, &r->text)) {
    PyErr_Format(PyExc_ValueError, "%s: out overlaps data, and its rows do not start where those of data start",
                 call->name);
  } else if (tables_meet(&r->out, &r->nonces)) {
    PyErr_Format(PyExc_ValueError, "%s: out overlaps nonces", call->name);
  } else if (tables_meet(&r->out, &r->aad)) {
    PyErr_Format(PyExc_ValueError, "%s: out overlaps associated_data", call->name);
  } else if (tables_meet(&r->out, &r->ok_table)) {
    PyErr_Format(PyExc_ValueError, "%s: out overlaps ok", call->name);
  } else {
    return true;
  }
  return false;
}

/* Two-dimensional, of new memory: a numpy array where data is one, or a memoryview. */
static PyObject *new_rows(Py_ssize_t n, Py_ssize_t width, PyObject *like) {
  if (width > 0 && n > PTRDIFF_MAX / width) { /* rows at a distance of 0 are many in little memory */
    return PyErr_NoMemory();
  }
  PyObject *bytes = PyByteArray_FromStringAndSize(NULL, n * width);
  PyObject *flat = NULL;
  PyObject *rows = NULL;
  if (bytes != NULL) {
    flat = PyMemoryView_FromObject(bytes);
    Py_DECREF(bytes);
  }
  PyObject *key = PyUnicode_FromString("numpy");
  PyObject *numpy = key != NULL ? PyImport_GetModule(key) : NULL;
  PyObject *array = numpy != NULL ? PyObject_GetAttrString(numpy, "ndarray") : NULL;
  int is_array = array != NULL ? PyObject_IsInstance(like, array) : 0;
  if (flat != NULL && is_array > 0) {
    PyObject *made = PyObject_CallMethod(numpy, "frombuffer", "Os", flat, "u1");
    if (made != NULL) {
      rows = PyObject_CallMethod(made, "reshape", "nn", n, width);
      Py_DECREF(made);
    }
  } else if (flat != NULL && !PyErr_Occurred()) {
    rows = PyObject_CallMethod(flat, "cast", "s(nn)", "B", n, width);
  }
  Py_XDECREF(key);
  Py_XDECREF(numpy);
  Py_XDECREF(array);
  Py_XDECREF(flat);
  return rows;
}

/* Works through the rows in runs; gives back how many failed, or an error of the library. WHY runs: what one writes and
 * reads should lie in the first cache, and their descriptors on the stack. */
static Py_ssize_t rows_do(const struct rows *r, const struct cipher *c) {
  rijn_gcm_msg run[RUN_MOST];
  Py_ssize_t failed = 0, most = run_length(r->text.width);
  for (Py_ssize_t at = 0; at < r->text.n; at += most) {
    Py_ssize_t n = r->text.n - at < most ? r->text.n - at : most;
    for (Py_ssize_t i = 0; i < n; i++) {
      uint8_t *in = row_of(&r->text, at + i), *out = row_of(&r->out, at + i);
      Py_ssize_t len = r->encrypt ? r->text.width : r->out.width;
      run[i] = (rijn_gcm_msg){sizeof run[i],
                              c->key,
                              out,
                              in,
                              (size_t)len,
                              row_of(&r->aad, at + i),
                              (size_t)r->aad.width,
                              row_of(&r->nonces, at + i),
                              (size_t)r->nonces.width,
                              r->encrypt ? out + len : in + len,
                              RIJN_OK};
    }
    int bad = r->encrypt ? rijn_gcm_encrypt_batch(run, (size_t)n) : rijn_gcm_decrypt_batch(run, (size_t)n);
    if (bad < 0) {
      return bad;
    }
    for (Py_ssize_t i = 0; r->ok != NULL && i < n; i++) {
      r->ok[at + i] = run[i].result == RIJN_OK;
    }
    failed += bad;
  }
  return failed;
}

static Py_ssize_t rows_run(const struct rows *r, const struct cipher *c) {
  /* CT: shapes are public. WHY by division: the product can be more than a number holds. */
  const size_t one = (size_t)r->text.width + (size_t)r->aad.width + RUN_COST;
  if ((size_t)r->text.n <= (GIL_FROM - 1) / one) {
    return rows_do(r, c);
  }
  PyThreadState *saved = PyEval_SaveThread();
  Py_ssize_t failed = rows_do(r, c);
  PyEval_RestoreThread(saved);
  return failed;
}

enum { ROWS_NONCES, ROWS_DATA, ROWS_AAD, ROWS_OUT, ROWS_OK };

static bool rows_open(struct rows *r, const struct cipher *c, const struct call *call, PyObject *const *given) {
  r->tag_len = c->tag_len;
  return table_open(&r->nonces, given[ROWS_NONCES], call, ROWS_NONCES, 0) &&
         table_open(&r->text, given[ROWS_DATA], call, ROWS_DATA, 0) &&
         aad_open(&r->aad, given[ROWS_AAD], call, ROWS_AAD) && rows_fit(r, c, call);
}

/* The output: given, or new. A new reference. */
static PyObject *rows_target(struct rows *r, const struct call *call, PyObject *const *given) {
  PyObject *out = given[ROWS_OUT];
  if (out == NULL || out == Py_None) {
    out = new_rows(r->text.n, r->encrypt ? r->text.width + r->tag_len : r->text.width - r->tag_len, given[ROWS_DATA]);
  } else {
    Py_INCREF(out);
  }
  if (out != NULL && !(table_open(&r->out, out, call, ROWS_OUT, PyBUF_WRITABLE) && out_fits(r, call))) {
    Py_DECREF(out);
    out = NULL;
  }
  return out;
}

PyObject *gcm_encrypt_rows(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"encrypt_rows", 2, 4, {"nonces", "data", "associated_data", "out"}};
  struct rows r = {.encrypt = true};
  PyObject *given[4];
  PyObject *out = NULL;
  if (!take(&call, args, nargs, names, given)) {
    return NULL;
  }
  if (rows_open(&r, cipher_of(self), &call, given) && (out = rows_target(&r, &call, given)) != NULL) {
    Py_ssize_t failed = rows_run(&r, cipher_of(self));
    if (failed != 0) {
      Py_DECREF(out);
      out = refuse(self, &call, failed < 0 ? (int)failed : RIJN_ELEN);
    }
  }
  rows_close(&r);
  return out;
}

/* ---------------------------------------------------------------- decryption: which rows failed */

/* The results of the rows: the caller's own bytes, or ours. */
static bool results_open(struct rows *r, const struct call *call, PyObject *given, PyObject **own) {
  *own = NULL;
  if (given == NULL || given == Py_None) {
    *own = PyByteArray_FromStringAndSize(NULL, r->text.n);
    r->ok = *own != NULL ? (uint8_t *)PyByteArray_AsString(*own) : NULL;
    return *own != NULL;
  }
  static const struct items flags = {"?Bbc", "bytes or bool", {1, 1}};
  struct view v;
  if (!view_items(&v, given, call, ROWS_OK, PyBUF_WRITABLE, &flags)) {
    return false;
  }
  r->ok_table = (struct table){v.p, 1, v.len, 0, true, true, v.buffer};
  r->ok = v.p;
  if (v.len != r->text.n) {
    PyErr_Format(PyExc_ValueError, "%s: ok must be %zd bytes, one a row, not %zd", call->name, r->text.n, v.len);
    return false;
  }
  if (tables_meet(&r->ok_table, &r->text) || tables_meet(&r->ok_table, &r->nonces) ||
      tables_meet(&r->ok_table, &r->aad)) {
    PyErr_Format(PyExc_ValueError, "%s: ok overlaps what is read", call->name);
    return false;
  }
  return true;
}

/* Raises InvalidTag with the numbers of the rows that failed. */
static PyObject *refuse_rows(PyObject *self, const struct rows *r, Py_ssize_t failed) {
  PyObject *list = PyList_New(0);
  for (Py_ssize_t i = 0; list != NULL && i < r->text.n; i++) {
    PyObject *number = r->ok[i] ? NULL : PyLong_FromSsize_t(i);
    if (!r->ok[i] && (number == NULL || PyList_Append(list, number) != 0)) {
      Py_CLEAR(list);
    }
    Py_XDECREF(number);
  }
  PyObject *text = PyUnicode_FromFormat("%zd of %zd rows do not verify", failed, r->text.n);
  PyObject *bytes = text != NULL ? PyUnicode_AsUTF8String(text) : NULL;
  if (list != NULL && bytes != NULL) {
    refuse_forged(self, PyBytes_AsString(bytes), list);
  }
  Py_XDECREF(list);
  Py_XDECREF(text);
  Py_XDECREF(bytes);
  return NULL;
}

PyObject *gcm_decrypt_rows(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"decrypt_rows", 2, 5, {"nonces", "data", "associated_data", "out", "ok"}};
  struct rows r = {.encrypt = false};
  PyObject *given[5];
  PyObject *out = NULL;
  PyObject *own = NULL;
  if (!take(&call, args, nargs, names, given)) {
    return NULL;
  }
  if (rows_open(&r, cipher_of(self), &call, given) && results_open(&r, &call, given[ROWS_OK], &own) &&
      (out = rows_target(&r, &call, given)) != NULL) {
    Py_ssize_t failed = rows_run(&r, cipher_of(self));
    if (failed < 0 || (failed > 0 && own != NULL)) {
      Py_DECREF(out);
      out = failed < 0 ? refuse(self, &call, (int)failed) : refuse_rows(self, &r, failed);
    }
  }
  Py_XDECREF(own);
  rows_close(&r);
  return out;
}
