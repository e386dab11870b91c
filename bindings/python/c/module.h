/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#ifndef RIJN_PYTHON_MODULE_H
#define RIJN_PYTHON_MODULE_H
/* The extension module rijn._rijn. Everything that a call needs hangs on its type: there is no global that changes, so
 * that each interpreter has its own. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "rijn.h"

/* Bytes of text and associated data from which a call lets other threads run. WHY not always: it costs about as much as
 * a short message. */
#define GIL_FROM 2048

struct state {
  PyTypeObject *encryptor, *decryptor; /* of streams */
  PyObject *forged, *misused;          /* of rijn.exceptions: _forged makes the InvalidTag to raise, _misused others */
  PyObject *urandom;                   /* os.urandom */
};
/* WHY by the type: none of the module's types can be subclassed, so that the type of an object is its own. */
static inline struct state *state_of(PyObject *self) { return PyType_GetModuleState(Py_TYPE(self)); }

/* ---------------------------------------------------------------- arguments (args.c) */

/* What a call is named in messages, and its parameters. The first `required` ones must be there. */
struct call {
  const char *name;
  int required, count;
  const char *params[7];
};
/* Arguments by place and by name into to[0 .. count-1]; NULL for those left out. false: an exception is set. */
bool take_named(const struct call *call, PyObject *const *args, Py_ssize_t nargs, PyObject *names, PyObject **to);
static inline bool take(const struct call *call, PyObject *const *args, Py_ssize_t nargs, PyObject *names,
                        PyObject **to) {
  if (names == NULL && nargs == call->count) {
    for (Py_ssize_t i = 0; i < nargs; i++) {
      to[i] = args[i];
    }
    return true;
  }
  return take_named(call, args, nargs, names, to);
}
/* The same for a type's tp_new. */
bool take_tuple(const struct call *call, PyObject *args, PyObject *names, PyObject **to);

/* Bytes of an object, valid until view_close. A view of zeros is closed. */
struct view {
  uint8_t *p; /* only read, unless it was asked for as writable */
  Py_ssize_t len;
  bool held;
  Py_buffer buffer;
};
/* What the items of a buffer may be, by the letters of struct; in words for messages. WHY not any: an array of objects
 * would give away addresses, and be overwritten by what are none. */
struct items {
  const char *formats, *words;
  Py_ssize_t sizes[2];
};
extern const struct items plain_bytes;
/* flags: PyBUF_WRITABLE, PyBUF_STRIDES, or 0. */
bool view_items(struct view *v, PyObject *o, const struct call *call, int param, int flags, const struct items *items);
static inline bool view_buffer(struct view *v, PyObject *o, const struct call *call, int param, int flags) {
  return view_items(v, o, call, param, flags, &plain_bytes);
}
/* WHY bytes first: they are the most frequent arguments, and need no protocol. They stay while the caller's reference
 * does. */
static inline bool view_open(struct view *v, PyObject *o, const struct call *call, int param) {
  if (PyBytes_CheckExact(o)) {
    v->held = false;
    v->p = (uint8_t *)PyBytes_AsString(o);
    v->len = PyBytes_Size(o);
    return true;
  }
  return view_buffer(v, o, call, param, 0);
}
/* None, and an argument left out, are no bytes. */
static inline bool view_open_optional(struct view *v, PyObject *o, const struct call *call, int param) {
  if (o == NULL || o == Py_None) {
    v->held = false;
    v->p = NULL;
    v->len = 0;
    return true;
  }
  return view_open(v, o, call, param);
}
static inline void view_close(struct view *v) {
  if (v->held) {
    PyBuffer_Release(&v->buffer);
    v->held = false;
  }
}
/* Whether two stretches of memory have a byte in common. */
static inline bool meet(const void *a, Py_ssize_t a_len, const void *b, Py_ssize_t b_len) {
  uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
  return a_len > 0 && b_len > 0 && x < y + (size_t)b_len && y < x + (size_t)a_len;
}
/* An integer from least to most, or -1 with an exception. */
Py_ssize_t take_size(PyObject *o, const struct call *call, int param, Py_ssize_t least, Py_ssize_t most);
/* The same for numbers up to 2^64 - 1: of sectors, and of rows. */
bool take_number(PyObject *o, const struct call *call, int param, uint64_t *to);
/* Raises what a code of the library stands for, and gives back NULL. */
PyObject *refuse(PyObject *self, const struct call *call, int err);
PyObject *refuse_forged(PyObject *self, const char *text, PyObject *rows);
/* Raises the exception of that name in rijn.exceptions. */
void refuse_misuse(PyObject *self, const char *name, const char *call, const char *text);

/* What generate_key(bit_length) of a type gives; bit_length is one of the list, which ends with 0. */
PyObject *random_key(PyObject *type, PyObject *const *args, Py_ssize_t nargs, PyObject *names, const int *allowed);
PyObject *random_bytes(struct state *state, Py_ssize_t len);
/* Methods __reduce__, __reduce_ex__ (raises), __copy__, __deepcopy__ (of what never changes: the object itself). */
PyObject *no_pickle(PyObject *self, PyObject *ignored);
PyObject *same_object(PyObject *self, PyObject *ignored);

/* ---------------------------------------------------------------- GCM and its relatives (aead.c) */

struct cipher;
/* One message for a kind. */
struct message {
  struct view nonce, text, aad;
};
struct kind {
  const char *name;
  size_t key_size;        /* of the key object */
  Py_ssize_t key_lens[4]; /* bytes of raw keys, up to 0 */
  const char *key_text;   /* the same in words */
  Py_ssize_t nonce_least, nonce_most;
  int (*make)(void *key, const void *raw, size_t raw_len, size_t tag_len);
  void (*wipe)(void *key);
  int (*seal)(const struct cipher *c, const struct message *m, void *out, void *tag);
  int (*open)(const struct cipher *c, const struct message *m, void *out, size_t len, const void *tag);
};
struct cipher {
  PyObject_HEAD const struct kind *kind;
  void *key; /* in this object, aligned by hand: allocators of 32-bit machines align to 8 */
  Py_ssize_t key_len, tag_len;
};
static inline struct cipher *cipher_of(PyObject *self) { return (struct cipher *)(void *)self; }
/* sizeof the object of a kind. */
#define CIPHER_SIZE(key_type) (sizeof(struct cipher) + 15 + sizeof(key_type))

extern PyType_Spec gcm_spec, siv_spec, xaes_spec, encryptor_spec, decryptor_spec, xts_spec;
PyObject *gcm_encrypt_rows(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names);
PyObject *gcm_decrypt_rows(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names);
PyObject *gcm_encrypt_many(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names);
PyObject *gcm_decrypt_many(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names);
PyObject *gcm_encrypt_column(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names);
PyObject *gcm_decrypt_column(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names);
PyObject *gcm_encryptor(PyObject *self, PyObject *nonce);
PyObject *gcm_decryptor(PyObject *self, PyObject *nonce);
/* Whether a nonce's length is the kind's; an exception if not. */
bool nonce_fits(const struct cipher *c, const struct call *call, Py_ssize_t len);

/* A method as the tables of types want it. */
#define METHOD(name, function, doc)                                                                                    \
  { name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS, doc }
#define CLASS_METHOD(name, function, doc)                                                                              \
  { name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS | METH_CLASS, doc }

#endif
