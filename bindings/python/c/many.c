/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Many messages in one call: lists of bytes. */
#include "doc.h"
#include "module.h"
#include "run.h"

enum { MANY_NONCES, MANY_DATA, MANY_AAD, MANY_COUNT };

struct many {
  PyObject *nonces, *texts, *aads; /* tuples; aads: NULL, where one is for all */
  struct view aad;                 /* that one */
  Py_ssize_t n;
  bool encrypt;
};

/* A run of them: the views, the outputs, and what the library is handed. */
struct many_run {
  Py_ssize_t n;
  struct view nonces[RUN_MOST], texts[RUN_MOST], aads[RUN_MOST];
  PyObject *outs[RUN_MOST];
  rijn_gcm_msg msgs[RUN_MOST];
};

/* What can be gone through, and is not one value itself. */
static bool has_items(PyObject *o) {
  return !(PyBytes_Check(o) || PyByteArray_Check(o) || PyMemoryView_Check(o) || PyUnicode_Check(o) || PyDict_Check(o) ||
           PyAnySet_Check(o));
}

/* WHY a tuple: nobody can change it while we read it. */
static PyObject *as_tuple(PyObject *o, const struct call *call, int param) {
  PyObject *tuple = has_items(o) ? PySequence_Tuple(o) : NULL;
  if (tuple == NULL && (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError))) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: %s must be a list, or go through like one, of bytes-like objects", call->name,
                 call->params[param]);
  }
  return tuple;
}

static void many_close(struct many *m) {
  Py_XDECREF(m->nonces);
  Py_XDECREF(m->texts);
  Py_XDECREF(m->aads);
  view_close(&m->aad);
}

static bool many_open(struct many *m, const struct call *call, PyObject *const *given) {
  PyObject *aad = given[MANY_AAD];
  m->nonces = as_tuple(given[MANY_NONCES], call, MANY_NONCES);
  m->texts = m->nonces != NULL ? as_tuple(given[MANY_DATA], call, MANY_DATA) : NULL;
  if (m->texts == NULL) {
    return false;
  }
  if (aad != NULL && aad != Py_None && !PyObject_CheckBuffer(aad)) {
    m->aads = as_tuple(aad, call, MANY_AAD);
    if (m->aads == NULL) {
      return false;
    }
  } else if (!view_open_optional(&m->aad, aad, call, MANY_AAD)) {
    return false;
  }
  m->n = PyTuple_Size(m->texts);
  Py_ssize_t nonces = PyTuple_Size(m->nonces), aads = m->aads != NULL ? PyTuple_Size(m->aads) : m->n;
  if (nonces != m->n || aads != m->n) {
    PyErr_Format(PyExc_ValueError, "%s: %zd messages need as many %s, not %zd", call->name, m->n,
                 call->params[nonces != m->n ? MANY_NONCES : MANY_AAD], nonces != m->n ? nonces : aads);
    return false;
  }
  return true;
}

/* Opens message `at` as the run's next; one that is too short for its tag gets no output. */
static bool run_add(struct many_run *run, const struct many *m, const struct cipher *c, const struct call *call,
                    Py_ssize_t at) {
  Py_ssize_t i = run->n;
  struct view *nonce = &run->nonces[i], *text = &run->texts[i], *aad = &run->aads[i];
  nonce->held = text->held = aad->held = false;
  run->outs[i] = NULL;
  run->n++;
  if (!view_open(nonce, PyTuple_GetItem(m->nonces, at), call, MANY_NONCES) || !nonce_fits(c, call, nonce->len) ||
      !view_open(text, PyTuple_GetItem(m->texts, at), call, MANY_DATA) ||
      (m->aads != NULL && !view_open_optional(aad, PyTuple_GetItem(m->aads, at), call, MANY_AAD))) {
    return false;
  }
  const struct view *one = m->aads != NULL ? aad : &m->aad;
  Py_ssize_t len = m->encrypt ? text->len : text->len - c->tag_len;
  if (len < 0) {
    return true;
  }
  run->outs[i] = PyBytes_FromStringAndSize(NULL, m->encrypt ? len + c->tag_len : len);
  if (run->outs[i] == NULL) {
    return false;
  }
  uint8_t *out = (uint8_t *)PyBytes_AsString(run->outs[i]);
  run->msgs[i] = (rijn_gcm_msg){sizeof run->msgs[i],
                                c->key,
                                out,
                                text->p,
                                (size_t)len,
                                one->p,
                                (size_t)one->len,
                                nonce->p,
                                (size_t)nonce->len,
                                m->encrypt ? out + len : text->p + len,
                                RIJN_OK};
  return true;
}

static void run_close(struct many_run *run) {
  for (Py_ssize_t i = 0; i < run->n; i++) {
    view_close(&run->nonces[i]);
    view_close(&run->texts[i]);
    view_close(&run->aads[i]);
    Py_XDECREF(run->outs[i]);
  }
  run->n = 0;
}

/* The library's part. A message without output gets the descriptor of none. */
static int run_work(struct many_run *run, bool encrypt, size_t bytes) {
  rijn_gcm_msg *to = run->msgs;
  Py_ssize_t n = 0, from[RUN_MOST];
  for (Py_ssize_t i = 0; i < run->n; i++) {
    if (run->outs[i] != NULL) {
      from[n] = i;
      to[n++] = run->msgs[i];
    }
  }
  PyThreadState *saved = bytes >= GIL_FROM ? PyEval_SaveThread() : NULL;
  int bad = encrypt ? rijn_gcm_encrypt_batch(to, (size_t)n) : rijn_gcm_decrypt_batch(to, (size_t)n);
  if (saved != NULL) {
    PyEval_RestoreThread(saved);
  }
  for (Py_ssize_t i = 0; bad > 0 && i < n; i++) {
    if (to[i].result != RIJN_OK) {
      Py_CLEAR(run->outs[from[i]]);
    }
  }
  return bad;
}

/* Moves the run's outputs to the list; None for what failed. */
static void run_hand_out(struct many_run *run, PyObject *list, Py_ssize_t at) {
  for (Py_ssize_t i = 0; i < run->n; i++) {
    PyObject *out = run->outs[i];
    run->outs[i] = NULL;
    if (out == NULL) {
      Py_INCREF(Py_None);
      out = Py_None;
    }
    PyList_SetItem(list, at + i, out); /* takes the reference */
  }
}

static bool many_do(const struct many *m, PyObject *self, const struct call *call, PyObject *list) {
  struct many_run run;
  run.n = 0;
  for (Py_ssize_t at = 0; at < m->n;) {
    size_t bytes = 0;
    bool ok = true;
    for (Py_ssize_t i = at; ok && i < m->n && run.n < RUN_MOST && bytes < RUN_BYTES; i++) {
      ok = run_add(&run, m, cipher_of(self), call, i);
      const struct view *aad = m->aads != NULL ? &run.aads[i - at] : &m->aad;
      bytes += ok ? (size_t)run.texts[i - at].len + (size_t)aad->len + RUN_COST : 0;
    }
    int bad = ok ? run_work(&run, m->encrypt, bytes) : 0;
    if (!ok || bad < 0 || (bad > 0 && m->encrypt)) {
      run_close(&run);
      if (ok) {
        refuse(self, call, bad < 0 ? bad : RIJN_ELEN);
      }
      return false;
    }
    run_hand_out(&run, list, at);
    at += run.n;
    run_close(&run);
  }
  return true;
}

static PyObject *many(PyObject *self, const struct call *call, PyObject *const *given, bool encrypt) {
  struct many m = {.encrypt = encrypt};
  PyObject *list = NULL;
  if (many_open(&m, call, given) && (list = PyList_New(m.n)) != NULL && !many_do(&m, self, call, list)) {
    Py_CLEAR(list);
  }
  many_close(&m);
  return list;
}

PyObject *gcm_encrypt_many(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"encrypt_many", 2, MANY_COUNT, {"nonces", "data", "associated_data"}};
  PyObject *given[MANY_COUNT];
  return take(&call, args, nargs, names, given) ? many(self, &call, given, true) : NULL;
}
PyObject *gcm_decrypt_many(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"decrypt_many", 2, MANY_COUNT, {"nonces", "data", "associated_data"}};
  PyObject *given[MANY_COUNT];
  return take(&call, args, nargs, names, given) ? many(self, &call, given, false) : NULL;
}
