/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Arguments in, exceptions out: each message says which call and which parameter. */
#include <string.h>

#include "module.h"

static int place_of(const struct call *call, PyObject *name) {
  for (int i = 0; i < call->count; i++) {
    if (PyUnicode_CompareWithASCIIString(name, call->params[i]) == 0) {
      return i;
    }
  }
  return -1;
}

static bool put_named(const struct call *call, PyObject *name, PyObject *value, PyObject **to) {
  int at = place_of(call, name);
  if (at < 0) {
    PyErr_Format(PyExc_TypeError, "%s: there is no parameter '%U'", call->name, name);
    return false;
  }
  if (to[at] != NULL) {
    PyErr_Format(PyExc_TypeError, "%s: %s is given twice", call->name, call->params[at]);
    return false;
  }
  to[at] = value;
  return true;
}

static bool all_there(const struct call *call, PyObject **to) {
  for (int i = 0; i < call->required; i++) {
    if (to[i] == NULL) {
      PyErr_Format(PyExc_TypeError, "%s: %s is missing", call->name, call->params[i]);
      return false;
    }
  }
  return true;
}

static bool not_too_many(const struct call *call, Py_ssize_t n) {
  if (n > call->count) {
    PyErr_Format(PyExc_TypeError, "%s: at most %d arguments, not %zd", call->name, call->count, n);
    return false;
  }
  return true;
}

bool take_named(const struct call *call, PyObject *const *args, Py_ssize_t nargs, PyObject *names, PyObject **to) {
  if (!not_too_many(call, nargs)) {
    return false;
  }
  for (int i = 0; i < call->count; i++) {
    to[i] = i < nargs ? args[i] : NULL;
  }
  Py_ssize_t named = names != NULL ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < named; i++) {
    if (!put_named(call, PyTuple_GetItem(names, i), args[nargs + i], to)) {
      return false;
    }
  }
  return all_there(call, to);
}

bool take_tuple(const struct call *call, PyObject *args, PyObject *names, PyObject **to) {
  Py_ssize_t n = PyTuple_Size(args);
  Py_ssize_t at = 0;
  if (!not_too_many(call, n)) {
    return false;
  }
  for (int i = 0; i < call->count; i++) {
    to[i] = i < n ? PyTuple_GetItem(args, i) : NULL;
  }
  PyObject *name;
  PyObject *value;
  while (names != NULL && PyDict_Next(names, &at, &name, &value)) {
    if (!put_named(call, name, value, to)) {
      return false;
    }
  }
  return all_there(call, to);
}

/* What a kind of exception becomes, or NULL. WHY another: numpy says ValueError where the buffer protocol has
 * BufferError. */
static PyObject *named_as(PyObject *type) {
  if (PyErr_GivenExceptionMatches(type, PyExc_TypeError)) {
    return PyExc_TypeError;
  }
  if (PyErr_GivenExceptionMatches(type, PyExc_BufferError) || PyErr_GivenExceptionMatches(type, PyExc_ValueError)) {
    return PyExc_BufferError;
  }
  return NULL;
}

/* The exception that is set again, with the call and the parameter before it. */
static void name_error(const struct call *call, int param) {
  PyObject *type;
  PyObject *value;
  PyObject *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject *as = named_as(type);
  if (as == NULL) {
    PyErr_Restore(type, value, trace);
    return;
  }
  PyErr_Format(as, "%s: %s: %S", call->name, call->params[param], value);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
}

const struct items plain_bytes = {"Bbc", "bytes", {1, 1}};

static bool items_fit(const Py_buffer *b, const struct items *items) {
  const char *format = b->format != NULL ? b->format : "B";
  const uint16_t one = 1;
  const bool little = *(const uint8_t *)&one == 1;
  char order = strchr("@=<>!", *format) != NULL ? *format : '@';
  format += order == *format;
  bool own = order == '@' || order == '=' || (order == '<') == little || b->itemsize == 1;
  return own && b->ndim > 0 && *format != '\0' && format[1] == '\0' && strchr(items->formats, *format) != NULL &&
         (b->itemsize == items->sizes[0] || b->itemsize == items->sizes[1]);
}

static void refuse_items(const struct call *call, int param, const Py_buffer *b, const struct items *items) {
  const char *format = b->format != NULL ? b->format : "B", *why = "";
  if (strchr(format, 'O') != NULL) {
    why = ": such a buffer holds the addresses of objects, not their bytes";
  } else if (b->ndim == 0) {
    why = ", and a single one";
  } else if (items == &plain_bytes) {
    why = ": memoryview(...).cast(\"B\") has the bytes that numbers lie in";
  }
  PyErr_Format(PyExc_TypeError, "%s: %s: items must be %s, not of format '%s'%s", call->name, call->params[param],
               items->words, format, why);
}

/* Of an object that gave no buffer with a format: a TypeError where it gives one without. WHY: numpy's dates have no
 * letter of struct, which is no matter of how they lie. */
static void refuse_nameless(PyObject *o, const struct call *call, int param, int flags, const struct items *items) {
  PyObject *type, *value, *trace;
  Py_buffer b;
  PyErr_Fetch(&type, &value, &trace);
  if (PyErr_GivenExceptionMatches(type, PyExc_BufferError) && PyObject_GetBuffer(o, &b, flags | PyBUF_ND) == 0) {
    PyBuffer_Release(&b);
    PyErr_Format(PyExc_TypeError, "%s: %s: items must be %s, not those of %S", call->name, call->params[param],
                 items->words, (PyObject *)Py_TYPE(o));
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return;
  }
  PyErr_Restore(type, value, trace);
}

bool view_items(struct view *v, PyObject *o, const struct call *call, int param, int flags, const struct items *items) {
  v->held = false;
  /* WHY PyBUF_ND: some exporters give no format without it. */
  if (PyObject_GetBuffer(o, &v->buffer, flags | PyBUF_ND | PyBUF_FORMAT) != 0) {
    name_error(call, param);
    refuse_nameless(o, call, param, flags, items);
    return false;
  }
  if (!items_fit(&v->buffer, items)) {
    refuse_items(call, param, &v->buffer, items);
    PyBuffer_Release(&v->buffer);
    return false;
  }
  v->held = true;
  v->p = v->buffer.buf;
  v->len = v->buffer.len;
  return true;
}

Py_ssize_t take_size(PyObject *o, const struct call *call, int param, Py_ssize_t least, Py_ssize_t most) {
  Py_ssize_t n = PyNumber_AsSsize_t(o, NULL); /* one too large is clipped */
  if (n == -1 && PyErr_Occurred()) {
    name_error(call, param);
    return -1;
  }
  if (n < least || n > most) {
    PyErr_Format(PyExc_ValueError, "%s: %s must be from %zd to %zd, not %S", call->name, call->params[param], least,
                 most, o);
    return -1;
  }
  return n;
}

bool take_number(PyObject *o, const struct call *call, int param, uint64_t *to) {
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

PyObject *refuse_forged(PyObject *self, const char *text, PyObject *rows) {
  PyObject *error = PyObject_CallFunction(state_of(self)->forged, "sO", text, rows != NULL ? rows : Py_None);
  if (error != NULL) {
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
  }
  return NULL;
}

void refuse_misuse(PyObject *self, const char *name, const char *call, const char *text) {
  PyObject *error = PyObject_CallFunction(state_of(self)->misused, "sss", name, call, text);
  if (error != NULL) {
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
  }
}

PyObject *refuse(PyObject *self, const struct call *call, int err) {
  if (err == RIJN_EAUTH) {
    return refuse_forged(self, "", NULL);
  }
  PyObject *as = PyExc_ValueError;
  if (err == RIJN_EIMPL || err == RIJN_ESTATE) {
    as = PyExc_RuntimeError;
  } else if (err == RIJN_ELEN || err == RIJN_EAADLEN) {
    as = PyExc_OverflowError;
  }
  PyErr_Format(as, "%s: %s%s", call->name, rijn_strerror(err),
               err == RIJN_EIMPL ? " (the environment variable RIJN_IMPL names it)" : "");
  return NULL;
}

PyObject *random_bytes(struct state *state, Py_ssize_t len) {
  PyObject *bytes = PyObject_CallFunction(state->urandom, "n", len);
  /* WHY: a test's stand-in for os.urandom, say, may give something else, and a nonce is read from it. */
  if (bytes != NULL && (!PyBytes_Check(bytes) || PyBytes_Size(bytes) != len)) {
    PyErr_Format(PyExc_RuntimeError, "os.urandom(%zd) did not give %zd bytes", len, len);
    Py_CLEAR(bytes);
  }
  return bytes;
}

PyObject *random_key(PyObject *type, PyObject *const *args, Py_ssize_t nargs, PyObject *names, const int *allowed) {
  static const struct call call = {"generate_key", 1, 1, {"bit_length"}};
  PyObject *bits;
  if (!take(&call, args, nargs, names, &bits)) {
    return NULL;
  }
  long n = PyLong_Check(bits) ? PyLong_AsLong(bits) : -1;
  if (!PyLong_Check(bits)) {
    PyErr_SetString(PyExc_TypeError, "generate_key: bit_length must be an int");
    return NULL;
  }
  PyErr_Clear(); /* one that no long holds is none of the list */
  for (const int *one = allowed; *one != 0; one++) {
    if (n == *one) {
      return random_bytes(PyType_GetModuleState((PyTypeObject *)type), n / 8);
    }
  }
  PyErr_Format(PyExc_ValueError, "generate_key: bit_length must be %d%s%d, not %S", allowed[0],
               allowed[2] != 0 ? ", 192 or " : " or ", allowed[2] != 0 ? allowed[2] : allowed[1], bits);
  return NULL;
}

PyObject *no_pickle(PyObject *self, PyObject *ignored) {
  (void)ignored;
  PyObject *name = PyType_GetName(Py_TYPE(self));
  if (name != NULL) {
    PyErr_Format(PyExc_TypeError, "%U: is not pickled, because it holds a key; hand on the raw key where that is meant",
                 name);
    Py_DECREF(name);
  }
  return NULL;
}

PyObject *same_object(PyObject *self, PyObject *ignored) {
  (void)ignored;
  Py_INCREF(self);
  return self;
}
