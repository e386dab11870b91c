/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* A message in pieces: what AESGCM.encryptor() and .decryptor() give. */
#include <string.h>

#include "doc.h"
#include "module.h"

struct stream {
  PyObject_HEAD PyObject *key; /* the AESGCM: the stream reads its key */
  rijn_gcm_stream *state;      /* in this object, aligned by hand */
  atomic_bool busy;            /* a call is at work, perhaps without the interpreter's lock */
  bool begun;                  /* text has come: no more associated data */
  bool over;
  atomic_bool has_tag; /* the tag below is there, and does not change any more */
  Py_ssize_t tag_len;
  uint8_t tag[16];
};
static struct stream *stream_of(PyObject *self) { return (struct stream *)(void *)self; }

static PyObject *stream_new(PyObject *key, PyObject *nonce, bool encrypt) {
  static const struct call calls[] = {{"decryptor", 1, 1, {"nonce"}}, {"encryptor", 1, 1, {"nonce"}}};
  const struct call *call = &calls[encrypt];
  const struct cipher *c = cipher_of(key);
  struct state *state = state_of(key);
  struct view v;
  if (!view_open(&v, nonce, call, 0)) {
    return NULL;
  }
  PyObject *self = NULL;
  if (nonce_fits(c, call, v.len)) {
    self = PyType_GenericAlloc(encrypt ? state->encryptor : state->decryptor, 0);
  }
  if (self != NULL) {
    struct stream *s = stream_of(self);
    s->state = (void *)(((uintptr_t)(s + 1) + 15) & ~(uintptr_t)15);
    Py_INCREF(key);
    s->key = key;
    s->tag_len = c->tag_len;
    int err = encrypt ? rijn_gcm_encrypt_start(s->state, c->key, v.p, (size_t)v.len)
                      : rijn_gcm_decrypt_start(s->state, c->key, v.p, (size_t)v.len);
    if (err != RIJN_OK) {
      refuse(key, call, err);
      Py_DECREF(self);
      self = NULL;
    }
  }
  view_close(&v);
  return self;
}
PyObject *gcm_encryptor(PyObject *self, PyObject *nonce) { return stream_new(self, nonce, true); }
PyObject *gcm_decryptor(PyObject *self, PyObject *nonce) { return stream_new(self, nonce, false); }

static void stream_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  struct stream *s = stream_of(self);
  if (s->state != NULL) {
    rijn_gcm_stream_wipe(s->state);
  }
  Py_XDECREF(s->key);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

/* WHY an error and no waiting: pieces from two threads have no order, so that both would get a wrong text. */
static bool stream_take(PyObject *self, const char *call) {
  struct stream *s = stream_of(self);
  if (atomic_exchange_explicit(&s->busy, true, memory_order_acquire)) {
    PyErr_Format(PyExc_RuntimeError, "%s: another thread is in a call of this object", call);
    return false;
  }
  if (s->over) {
    refuse_misuse(self, "AlreadyFinalized", call, "the message is finished");
    atomic_store_explicit(&s->busy, false, memory_order_release);
    return false;
  }
  return true;
}
static void stream_give(struct stream *s) { atomic_store_explicit(&s->busy, false, memory_order_release); }

static int stream_run(struct stream *s, uint8_t *out, const struct view *in) {
  s->begun = true;
  if (in->len < GIL_FROM) {
    return rijn_gcm_update(s->state, out, in->p, (size_t)in->len);
  }
  PyThreadState *saved = PyEval_SaveThread();
  int err = rijn_gcm_update(s->state, out, in->p, (size_t)in->len);
  PyEval_RestoreThread(saved);
  return err;
}

static PyObject *stream_update(PyObject *self, PyObject *data) {
  static const struct call call = {"update", 1, 1, {"data"}};
  struct stream *s = stream_of(self);
  struct view in;
  if (!view_open(&in, data, &call, 0)) {
    return NULL;
  }
  PyObject *out = NULL;
  if (stream_take(self, call.name)) {
    out = PyBytes_FromStringAndSize(NULL, in.len);
    int err = out != NULL ? stream_run(s, (uint8_t *)PyBytes_AsString(out), &in) : RIJN_OK;
    stream_give(s);
    if (err != RIJN_OK) {
      Py_DECREF(out);
      out = refuse(self, &call, err);
    }
  }
  view_close(&in);
  return out;
}

static PyObject *stream_update_into(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"update_into", 2, 2, {"data", "buf"}};
  struct stream *s = stream_of(self);
  struct view in;
  struct view buf = {0};
  PyObject *given[2];
  PyObject *done = NULL;
  if (!take(&call, args, nargs, names, given) || !view_open(&in, given[0], &call, 0)) {
    return NULL;
  }
  if (view_buffer(&buf, given[1], &call, 1, PyBUF_WRITABLE)) {
    if (buf.len < in.len) {
      PyErr_Format(PyExc_ValueError, "update_into: buffer must be at least %zd bytes for this data, not %zd", in.len,
                   buf.len);
    } else if (buf.p != in.p && meet(buf.p, in.len, in.p, in.len)) {
      PyErr_SetString(PyExc_ValueError, "update_into: buf overlaps data, and does not start where it starts");
    } else if (stream_take(self, call.name)) {
      int err = stream_run(s, buf.p, &in);
      stream_give(s);
      done = err == RIJN_OK ? PyLong_FromSsize_t(in.len) : refuse(self, &call, err);
    }
    view_close(&buf);
  }
  view_close(&in);
  return done;
}

static PyObject *stream_aad(PyObject *self, PyObject *data) {
  static const struct call call = {"authenticate_additional_data", 1, 1, {"data"}};
  struct stream *s = stream_of(self);
  struct view in;
  if (!view_open(&in, data, &call, 0)) {
    return NULL;
  }
  PyObject *done = NULL;
  if (stream_take(self, call.name)) {
    if (s->begun) {
      refuse_misuse(self, "AlreadyUpdated", call.name, "it comes before all text");
    } else {
      int err = rijn_gcm_aad(s->state, in.p, (size_t)in.len);
      done = err == RIJN_OK ? Py_BuildValue("") : refuse(self, &call, err);
    }
    stream_give(s);
  }
  view_close(&in);
  return done;
}

static PyObject *encryptor_finalize(PyObject *self, PyObject *ignored) {
  static const struct call call = {"finalize", 0, 0, {NULL}};
  struct stream *s = stream_of(self);
  (void)ignored;
  if (!stream_take(self, call.name)) {
    return NULL;
  }
  int err = rijn_gcm_encrypt_finish(s->state, s->tag);
  s->over = true;
  atomic_store_explicit(&s->has_tag, err == RIJN_OK, memory_order_release);
  stream_give(s);
  return err == RIJN_OK ? PyBytes_FromStringAndSize(NULL, 0) : refuse(self, &call, err);
}

static PyObject *encryptor_tag(PyObject *self, void *closure) {
  struct stream *s = stream_of(self);
  (void)closure;
  if (!atomic_load_explicit(&s->has_tag, memory_order_acquire)) {
    refuse_misuse(self, "NotYetFinalized", "tag", "there is none before finalize()");
    return NULL;
  }
  return PyBytes_FromStringAndSize((const char *)s->tag, s->tag_len);
}

static PyObject *decryptor_finalize(PyObject *self, PyObject *tag) {
  static const struct call call = {"finalize_with_tag", 1, 1, {"tag"}};
  struct stream *s = stream_of(self);
  struct view v;
  PyObject *done = NULL;
  if (!view_open(&v, tag, &call, 0)) {
    return NULL;
  }
  if (v.len != s->tag_len) {
    PyErr_Format(PyExc_ValueError, "finalize_with_tag: tag must be %zd bytes, not %zd", s->tag_len, v.len);
  } else if (stream_take(self, call.name)) {
    int err = rijn_gcm_decrypt_finish(s->state, v.p);
    s->over = true;
    stream_give(s);
    done = err == RIJN_OK ? PyBytes_FromStringAndSize(NULL, 0) : refuse(self, &call, err);
  }
  view_close(&v);
  return done;
}

#define STREAM_METHODS                                                                                                 \
  {"update", stream_update, METH_O, DOC_UPDATE}, METHOD("update_into", stream_update_into, DOC_UPDATE_INTO),           \
      {"authenticate_additional_data", stream_aad, METH_O, DOC_STREAM_AAD},                                            \
      {"__reduce__", no_pickle, METH_NOARGS, NULL}, {                                                                  \
    "__reduce_ex__", no_pickle, METH_O, NULL                                                                           \
  }

static PyMethodDef encryptor_methods[] = {
    STREAM_METHODS, {"finalize", encryptor_finalize, METH_NOARGS, DOC_FINALIZE}, {NULL, NULL, 0, NULL}};
static PyMethodDef decryptor_methods[] = {
    STREAM_METHODS, {"finalize_with_tag", decryptor_finalize, METH_O, DOC_FINALIZE_TAG}, {NULL, NULL, 0, NULL}};
static PyGetSetDef encryptor_getset[] = {{"tag", encryptor_tag, NULL, DOC_STREAM_TAG, NULL},
                                         {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot encryptor_slots[] = {{Py_tp_doc, (void *)DOC_GCM_ENCRYPTOR},
                                        {Py_tp_dealloc, stream_dealloc},
                                        {Py_tp_methods, encryptor_methods},
                                        {Py_tp_getset, encryptor_getset},
                                        {0, NULL}};
static PyType_Slot decryptor_slots[] = {{Py_tp_doc, (void *)DOC_GCM_DECRYPTOR},
                                        {Py_tp_dealloc, stream_dealloc},
                                        {Py_tp_methods, decryptor_methods},
                                        {0, NULL}};
#define STREAM_SIZE (sizeof(struct stream) + 15 + sizeof(rijn_gcm_stream))
#define STREAM_FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION)
PyType_Spec encryptor_spec = {"rijn.GCMEncryptor", STREAM_SIZE, 0, STREAM_FLAGS, encryptor_slots};
PyType_Spec decryptor_spec = {"rijn.GCMDecryptor", STREAM_SIZE, 0, STREAM_FLAGS, decryptor_slots};
