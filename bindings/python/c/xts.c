/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The type XTS: data units, and runs of sectors. */
#include <string.h>

#include "doc.h"
#include "module.h"

struct xts {
  PyObject_HEAD rijn_xts_key *key; /* in this object, aligned by hand */
  Py_ssize_t key_len;
};
static struct xts *xts_of(PyObject *self) { return (struct xts *)(void *)self; }

static PyObject *xts_new(PyTypeObject *type, PyObject *args, PyObject *names) {
  static const struct call call = {"XTS", 1, 1, {"key"}};
  PyObject *given[1];
  PyObject *self = NULL;
  struct view v;
  if (!take_tuple(&call, args, names, given) || !view_open(&v, given[0], &call, 0)) {
    return NULL;
  }
  if (v.len != 32 && v.len != 64) {
    PyErr_Format(PyExc_ValueError, "XTS: key must be 32 or 64 bytes, not %zd", v.len);
  } else if ((self = PyType_GenericAlloc(type, 0)) != NULL) {
    struct xts *x = xts_of(self);
    x->key = (void *)(((uintptr_t)(x + 1) + 15) & ~(uintptr_t)15);
    x->key_len = v.len;
    int err = rijn_xts_init(x->key, v.p, (size_t)v.len);
    if (err != RIJN_OK) {
      refuse(self, &call, err);
      Py_DECREF(self);
      self = NULL;
    }
  }
  view_close(&v);
  return self;
}

static void xts_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (xts_of(self)->key != NULL) {
    rijn_xts_wipe(xts_of(self)->key);
  }
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

static PyObject *xts_repr(PyObject *self) {
  return PyUnicode_FromFormat("<rijn.XTS: AES-%zd>", 4 * xts_of(self)->key_len);
}

static PyObject *xts_generate_key(PyObject *type, PyObject *bits) {
  static const int allowed[] = {256, 512, 0};
  return random_key(PyType_GetModuleState((PyTypeObject *)type), bits, allowed);
}

/* ---------------------------------------------------------------- where the output goes */

/* `out` of a call: given, or new bytes. */
struct target {
  PyObject *object; /* a new reference: what the call gives back */
  uint8_t *p;
  struct view view;
};

static bool target_open(struct target *t, PyObject *out, const struct call *call, int param, const struct view *in) {
  t->view.held = false;
  if (out == NULL || out == Py_None) {
    t->object = PyBytes_FromStringAndSize(NULL, in->len);
    t->p = t->object != NULL ? (uint8_t *)PyBytes_AsString(t->object) : NULL;
    return t->object != NULL;
  }
  if (!view_buffer(&t->view, out, call, param, PyBUF_WRITABLE)) {
    return false;
  }
  if (t->view.len != in->len) {
    PyErr_Format(PyExc_ValueError, "%s: out must be %zd bytes, as data, not %zd", call->name, in->len, t->view.len);
  } else if (t->view.p != in->p && meet(t->view.p, in->len, in->p, in->len)) {
    PyErr_Format(PyExc_ValueError, "%s: out overlaps data without being the same memory", call->name);
  } else {
    Py_INCREF(out);
    t->object = out;
    t->p = t->view.p;
    return true;
  }
  view_close(&t->view);
  return false;
}

static PyObject *target_close(struct target *t, PyObject *self, const struct call *call, int err) {
  view_close(&t->view);
  if (err == RIJN_OK) {
    return t->object;
  }
  Py_DECREF(t->object);
  if (err == RIJN_ESECTOR) { /* all else that it stands for was looked at before */
    PyErr_Format(PyExc_ValueError, "%s: numbers of sectors go beyond 2**64 - 1", call->name);
    return NULL;
  }
  return refuse(self, call, err);
}

/* ---------------------------------------------------------------- sectors */

enum { SECTORS_DATA, SECTORS_FIRST, SECTORS_SIZE, SECTORS_STEP, SECTORS_OUT, SECTORS_COUNT };

struct run {
  size_t sector_size, sectors;
  uint64_t first, step;
};

/* WHY not take_size: sector numbers go to 2^64. */
static bool take_number(PyObject *o, const struct call *call, int param, uint64_t *to) {
  PyObject *number = PyNumber_Index(o);
  if (number == NULL) {
    PyErr_Format(PyExc_TypeError, "%s: %s must be an int", call->name, call->params[param]);
    return false;
  }
  *to = PyLong_AsUnsignedLongLong(number);
  Py_DECREF(number);
  if (*to == UINT64_MAX && PyErr_Occurred()) {
    PyErr_Format(PyExc_ValueError, "%s: %s must be from 0 to 2**64 - 1, not %S", call->name, call->params[param], o);
    return false;
  }
  return true;
}

static bool run_take(struct run *run, PyObject *const *given, const struct call *call, Py_ssize_t len) {
  run->sector_size = 512;
  run->step = 1;
  if (given[SECTORS_SIZE] != NULL) {
    Py_ssize_t size = take_size(given[SECTORS_SIZE], call, SECTORS_SIZE, 512, 65536);
    if (size < 0) {
      return false;
    }
    run->sector_size = (size_t)size;
  }
  if ((run->sector_size & (run->sector_size - 1)) != 0) {
    PyErr_Format(PyExc_ValueError, "%s: sector_size must be a power of two, not %zu", call->name, run->sector_size);
    return false;
  }
  if (!take_number(given[SECTORS_FIRST], call, SECTORS_FIRST, &run->first) ||
      (given[SECTORS_STEP] != NULL && !take_number(given[SECTORS_STEP], call, SECTORS_STEP, &run->step))) {
    return false;
  }
  run->sectors = (size_t)len / run->sector_size;
  if ((size_t)len % run->sector_size != 0) {
    PyErr_Format(PyExc_ValueError, "%s: data must be whole sectors of %zu bytes, not %zd bytes", call->name,
                 run->sector_size, len);
    return false;
  }
  return true;
}

static int run_do(const struct xts *x, bool encrypt, uint8_t *out, const struct view *in, const struct run *run) {
  PyThreadState *saved = in->len >= GIL_FROM ? PyEval_SaveThread() : NULL;
  int err = encrypt
                ? rijn_xts_encrypt_sectors(x->key, out, in->p, run->sector_size, run->sectors, run->first, run->step)
                : rijn_xts_decrypt_sectors(x->key, out, in->p, run->sector_size, run->sectors, run->first, run->step);
  if (saved != NULL) {
    PyEval_RestoreThread(saved);
  }
  return err;
}

static PyObject *xts_sectors(PyObject *self, const struct call *call, PyObject *const *given, bool encrypt) {
  struct view in;
  struct run run;
  struct target target;
  PyObject *done = NULL;
  if (!view_open(&in, given[SECTORS_DATA], call, SECTORS_DATA)) {
    return NULL;
  }
  if (run_take(&run, given, call, in.len) && target_open(&target, given[SECTORS_OUT], call, SECTORS_OUT, &in)) {
    done = target_close(&target, self, call, run_do(xts_of(self), encrypt, target.p, &in, &run));
  }
  view_close(&in);
  return done;
}

#define SECTORS_PARAMS                                                                                                 \
  { "data", "first", "sector_size", "step", "out" }
static PyObject *xts_encrypt_sectors(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"encrypt_sectors", 2, SECTORS_COUNT, SECTORS_PARAMS};
  PyObject *given[SECTORS_COUNT];
  return take(&call, args, nargs, names, given) ? xts_sectors(self, &call, given, true) : NULL;
}
static PyObject *xts_decrypt_sectors(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"decrypt_sectors", 2, SECTORS_COUNT, SECTORS_PARAMS};
  PyObject *given[SECTORS_COUNT];
  return take(&call, args, nargs, names, given) ? xts_sectors(self, &call, given, false) : NULL;
}

/* ---------------------------------------------------------------- one data unit */

static int unit_do(const struct xts *x, bool encrypt, uint8_t *out, const struct view *in, const uint8_t *tweak) {
  PyThreadState *saved = in->len >= GIL_FROM ? PyEval_SaveThread() : NULL;
  int err = encrypt ? rijn_xts_encrypt(x->key, out, in->p, (size_t)in->len, tweak)
                    : rijn_xts_decrypt(x->key, out, in->p, (size_t)in->len, tweak);
  if (saved != NULL) {
    PyEval_RestoreThread(saved);
  }
  return err;
}

static PyObject *xts_unit(PyObject *self, const struct call *call, PyObject *const *given, bool encrypt) {
  struct view in = {0}, tweak = {0};
  struct target target;
  uint8_t copy[16];
  PyObject *done = NULL;
  if (view_open(&in, given[0], call, 0) && view_open(&tweak, given[1], call, 1)) {
    if (tweak.len != 16) {
      PyErr_Format(PyExc_ValueError, "%s: tweak must be 16 bytes, not %zd", call->name, tweak.len);
    } else if (in.len < 16 || (size_t)in.len > RIJN_XTS_MAX_LEN) {
      PyErr_Format(PyExc_ValueError, "%s: data must be from 16 to %zu bytes, not %zd", call->name,
                   (size_t)RIJN_XTS_MAX_LEN, in.len);
    } else if (target_open(&target, given[2], call, 2, &in)) {
      memcpy(copy, tweak.p, sizeof copy); /* WHY: it may lie in out */
      done = target_close(&target, self, call, unit_do(xts_of(self), encrypt, target.p, &in, copy));
    }
  }
  view_close(&in);
  view_close(&tweak);
  return done;
}

static PyObject *xts_encrypt(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"encrypt", 2, 3, {"data", "tweak", "out"}};
  PyObject *given[3];
  return take(&call, args, nargs, names, given) ? xts_unit(self, &call, given, true) : NULL;
}
static PyObject *xts_decrypt(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"decrypt", 2, 3, {"data", "tweak", "out"}};
  PyObject *given[3];
  return take(&call, args, nargs, names, given) ? xts_unit(self, &call, given, false) : NULL;
}

static PyMethodDef xts_methods[] = {METHOD("encrypt_sectors", xts_encrypt_sectors, DOC_ENCRYPT_SECTORS),
                                    METHOD("decrypt_sectors", xts_decrypt_sectors, DOC_DECRYPT_SECTORS),
                                    METHOD("encrypt", xts_encrypt, DOC_XTS_ENCRYPT),
                                    METHOD("decrypt", xts_decrypt, DOC_XTS_DECRYPT),
                                    {"generate_key", xts_generate_key, METH_O | METH_CLASS, DOC_XTS_GENERATE_KEY},
                                    {"__reduce__", no_pickle, METH_NOARGS, NULL},
                                    {"__reduce_ex__", no_pickle, METH_O, NULL},
                                    {"__copy__", same_object, METH_NOARGS, NULL},
                                    {"__deepcopy__", same_object, METH_O, NULL},
                                    {NULL, NULL, 0, NULL}};
static PyType_Slot xts_slots[] = {{Py_tp_doc, (void *)DOC_XTS}, {Py_tp_new, xts_new},
                                  {Py_tp_dealloc, xts_dealloc}, {Py_tp_repr, xts_repr},
                                  {Py_tp_methods, xts_methods}, {0, NULL}};
PyType_Spec xts_spec = {"rijn.XTS", sizeof(struct xts) + 15 + sizeof(rijn_xts_key), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, xts_slots};
