/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "table.h"

void table_close(struct table *t) {
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

bool table_open(struct table *t, PyObject *o, const struct call *call, int param, int flags) {
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

/* The lowest byte of all rows; *len: to the highest. */
static uintptr_t extent(const struct table *t, uintptr_t *len) {
  uintptr_t first = (uintptr_t)t->p, last = (uintptr_t)row_of(t, t->n - 1);
  uintptr_t low = first < last ? first : last;
  *len = (first < last ? last : first) - low + (uintptr_t)t->width;
  return low;
}

bool tables_meet(const struct table *a, const struct table *b) {
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

bool aad_open(struct table *t, PyObject *o, const struct call *call, int param) {
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

PyObject *new_memory(enum memory type, Py_ssize_t bytes, PyObject *like) {
  static const char *const names[] = {"u1", "i4", "i8"}, *const formats[] = {"B", "i", "q"};
  PyObject *area = PyByteArray_FromStringAndSize(NULL, bytes);
  PyObject *flat = area != NULL ? PyMemoryView_FromObject(area) : NULL;
  PyObject *key = flat != NULL ? PyUnicode_FromString("numpy") : NULL;
  PyObject *numpy = key != NULL ? PyImport_GetModule(key) : NULL;
  PyObject *array = numpy != NULL ? PyObject_GetAttrString(numpy, "ndarray") : NULL;
  PyObject *made = NULL;
  int is_array = array != NULL ? PyObject_IsInstance(like, array) : 0;
  if (is_array > 0) {
    made = PyObject_CallMethod(numpy, "frombuffer", "Os", flat, names[type]);
  } else if (flat != NULL && !PyErr_Occurred()) {
    made = PyObject_CallMethod(flat, "cast", "s", formats[type]);
  }
  Py_XDECREF(area);
  Py_XDECREF(flat);
  Py_XDECREF(key);
  Py_XDECREF(numpy);
  Py_XDECREF(array);
  return made;
}

const struct items result_items = {"?Bbc", "bytes or bool", {1, 1}};

PyObject *refuse_rows(PyObject *self, const uint8_t *ok, Py_ssize_t n, Py_ssize_t failed) {
  PyObject *list = PyList_New(0);
  for (Py_ssize_t i = 0; list != NULL && i < n; i++) {
    PyObject *number = ok[i] ? NULL : PyLong_FromSsize_t(i);
    if (!ok[i] && (number == NULL || PyList_Append(list, number) != 0)) {
      Py_CLEAR(list);
    }
    Py_XDECREF(number);
  }
  PyObject *text = PyUnicode_FromFormat("%zd of %zd rows do not verify", failed, n);
  PyObject *bytes = text != NULL ? PyUnicode_AsUTF8String(text) : NULL;
  if (list != NULL && bytes != NULL) {
    refuse_forged(self, PyBytes_AsString(bytes), list);
  }
  Py_XDECREF(list);
  Py_XDECREF(text);
  Py_XDECREF(bytes);
  return NULL;
}
