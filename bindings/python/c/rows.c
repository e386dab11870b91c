/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Many messages in one call: the rows of two-dimensional arrays. */
#include <stdint.h>
#include <string.h>

#include "doc.h"
#include "module.h"
#include "run.h"
#include "table.h"

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

/* Two-dimensional, of new memory. */
static PyObject *new_rows(Py_ssize_t n, Py_ssize_t width, PyObject *like) {
  if (width > 0 && n > PTRDIFF_MAX / width) { /* rows at a distance of 0 are many in little memory */
    return PyErr_NoMemory();
  }
  PyObject *flat = new_memory(MEMORY_BYTES, n * width, like);
  if (flat == NULL) {
    return NULL;
  }
  PyObject *rows = PyMemoryView_Check(flat) ? PyObject_CallMethod(flat, "cast", "s(nn)", "B", n, width)
                                            : PyObject_CallMethod(flat, "reshape", "nn", n, width);
  Py_DECREF(flat);
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
  struct view v;
  if (!view_items(&v, given, call, ROWS_OK, PyBUF_WRITABLE, &result_items)) {
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
      out = failed < 0 ? refuse(self, &call, (int)failed) : refuse_rows(self, r.ok, r.text.n, failed);
    }
  }
  Py_XDECREF(own);
  rows_close(&r);
  return out;
}
