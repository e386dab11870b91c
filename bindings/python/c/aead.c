/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Key objects that seal and open messages, and the type AESGCM. What all kinds do alike goes through struct kind. */
#include <string.h>

#include "doc.h"
#include "module.h"

/* ---------------------------------------------------------------- the life of a key */

static PyObject *cipher_new(PyTypeObject *type, const struct kind *kind, const struct call *call, PyObject *raw,
                            Py_ssize_t tag_len) {
  struct view v;
  if (!view_open(&v, raw, call, 0)) {
    return NULL;
  }
  PyObject *self = NULL;
  int err = RIJN_EKEYLEN;
  for (int i = 0; kind->key_lens[i] != 0; i++) {
    err = v.len == kind->key_lens[i] ? RIJN_OK : err;
  }
  if (err != RIJN_OK) {
    PyErr_Format(PyExc_ValueError, "%s: key must be %s bytes, not %zd", call->name, kind->key_text, v.len);
  } else if ((self = PyType_GenericAlloc(type, 0)) != NULL) {
    struct cipher *c = cipher_of(self);
    c->kind = kind;
    c->key = (void *)(((uintptr_t)(c + 1) + 15) & ~(uintptr_t)15);
    c->key_len = v.len;
    c->tag_len = tag_len;
    err = kind->make(c->key, v.p, (size_t)v.len, (size_t)tag_len);
    if (err != RIJN_OK) {
      refuse(self, call, err);
      Py_DECREF(self);
      self = NULL;
    }
  }
  view_close(&v);
  return self;
}

static void cipher_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  struct cipher *c = cipher_of(self);
  c->kind->wipe(c->key);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

static PyObject *cipher_repr(PyObject *self) {
  struct cipher *c = cipher_of(self);
  return PyUnicode_FromFormat("<rijn.%s: AES-%zd, tags of %zd bytes>", c->kind->name, 8 * c->key_len, c->tag_len);
}

/* ---------------------------------------------------------------- one message */

bool nonce_fits(const struct cipher *c, const struct call *call, Py_ssize_t len) {
  if (len >= c->kind->nonce_least && len <= c->kind->nonce_most) {
    return true;
  }
  if (c->kind->nonce_least == c->kind->nonce_most) {
    PyErr_Format(PyExc_ValueError, "%s: nonce must be %zd bytes, not %zd", call->name, c->kind->nonce_least, len);
  } else {
    PyErr_Format(PyExc_ValueError, "%s: nonce must be from %zd to %zd bytes, not %zd", call->name, c->kind->nonce_least,
                 c->kind->nonce_most, len);
  }
  return false;
}

static void message_close(struct message *m) {
  view_close(&m->nonce);
  view_close(&m->text);
  view_close(&m->aad);
}

/* Of parameters nonce, data, associated_data. */
static bool message_open(struct message *m, const struct cipher *c, const struct call *call, PyObject *const *args) {
  m->text.held = m->aad.held = false;
  if (view_open(&m->nonce, args[0], call, 0) && view_open(&m->text, args[1], call, 1) &&
      view_open_optional(&m->aad, args[2], call, 2) && nonce_fits(c, call, m->nonce.len)) {
    return true;
  }
  message_close(m);
  return false;
}

/* CT: lengths are public. */
static inline bool is_long(const struct message *m) { return m->text.len >= GIL_FROM - m->aad.len; }

static int seal(const struct cipher *c, const struct message *m, uint8_t *out) {
  if (!is_long(m)) {
    return c->kind->seal(c, m, out, out + m->text.len);
  }
  PyThreadState *saved = PyEval_SaveThread();
  int err = c->kind->seal(c, m, out, out + m->text.len);
  PyEval_RestoreThread(saved);
  return err;
}

static int unseal(const struct cipher *c, const struct message *m, uint8_t *out) {
  Py_ssize_t len = m->text.len - c->tag_len;
  if (!is_long(m)) {
    return c->kind->open(c, m, out, (size_t)len, m->text.p + len);
  }
  PyThreadState *saved = PyEval_SaveThread();
  int err = c->kind->open(c, m, out, (size_t)len, m->text.p + len);
  PyEval_RestoreThread(saved);
  return err;
}

static PyObject *cipher_encrypt(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"encrypt", 2, 3, {"nonce", "data", "associated_data"}};
  const struct cipher *c = cipher_of(self);
  struct message m;
  PyObject *given[3];
  if (!take(&call, args, nargs, names, given) || !message_open(&m, c, &call, given)) {
    return NULL;
  }
  PyObject *out = PyBytes_FromStringAndSize(NULL, m.text.len + c->tag_len);
  if (out != NULL) {
    int err = seal(c, &m, (uint8_t *)PyBytes_AsString(out));
    if (err != RIJN_OK) {
      Py_DECREF(out);
      out = refuse(self, &call, err);
    }
  }
  message_close(&m);
  return out;
}

static PyObject *cipher_decrypt(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"decrypt", 2, 3, {"nonce", "data", "associated_data"}};
  const struct cipher *c = cipher_of(self);
  struct message m;
  PyObject *given[3];
  PyObject *out = NULL;
  if (!take(&call, args, nargs, names, given) || !message_open(&m, c, &call, given)) {
    return NULL;
  }
  if (m.text.len < c->tag_len) {
    refuse_forged(self, "data is shorter than the tag", NULL);
  } else if ((out = PyBytes_FromStringAndSize(NULL, m.text.len - c->tag_len)) != NULL) {
    int err = unseal(c, &m, (uint8_t *)PyBytes_AsString(out));
    if (err != RIJN_OK) {
      Py_DECREF(out);
      out = refuse(self, &call, err);
    }
  }
  message_close(&m);
  return out;
}

/* ---------------------------------------------------------------- into a buffer */

enum { INTO_BUF = 3 };

/* What of a message a buffer overlaps and may not, or NULL. */
static const char *lies_on(const struct view *buf, const struct message *m) {
  if (meet(buf->p, buf->len, m->nonce.p, m->nonce.len)) {
    return "nonce";
  }
  if (meet(buf->p, buf->len, m->aad.p, m->aad.len)) {
    return "associated_data";
  }
  if (buf->p != m->text.p && meet(buf->p, buf->len, m->text.p, m->text.len)) {
    return "data, and does not start where it starts";
  }
  return NULL;
}

/* The buffer, of len bytes, and apart from all that the call reads. But the text may lie where it starts. */
static bool into_open(struct view *buf, PyObject *o, const struct call *call, const struct message *m, Py_ssize_t len) {
  if (!view_buffer(buf, o, call, INTO_BUF, PyBUF_WRITABLE)) {
    return false;
  }
  const char *other = lies_on(buf, m);
  if (buf->len != len) {
    PyErr_Format(PyExc_ValueError, "%s: buffer must be %zd bytes for this data, not %zd", call->name, len, buf->len);
  } else if (other != NULL) {
    PyErr_Format(PyExc_ValueError, "%s: buf overlaps %s", call->name, other);
  } else {
    return true;
  }
  view_close(buf);
  return false;
}

static PyObject *cipher_encrypt_into(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"encrypt_into", 4, 4, {"nonce", "data", "associated_data", "buf"}};
  const struct cipher *c = cipher_of(self);
  struct message m;
  struct view buf;
  PyObject *given[4];
  PyObject *done = NULL;
  if (!take(&call, args, nargs, names, given) || !message_open(&m, c, &call, given)) {
    return NULL;
  }
  Py_ssize_t len = m.text.len + c->tag_len;
  if (into_open(&buf, given[INTO_BUF], &call, &m, len)) {
    int err = seal(c, &m, buf.p);
    done = err == RIJN_OK ? PyLong_FromSsize_t(len) : refuse(self, &call, err);
    view_close(&buf);
  }
  message_close(&m);
  return done;
}

static PyObject *cipher_decrypt_into(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"decrypt_into", 4, 4, {"nonce", "data", "associated_data", "buf"}};
  const struct cipher *c = cipher_of(self);
  struct message m;
  struct view buf;
  PyObject *given[4];
  PyObject *done = NULL;
  if (!take(&call, args, nargs, names, given) || !message_open(&m, c, &call, given)) {
    return NULL;
  }
  Py_ssize_t len = m.text.len - c->tag_len;
  if (len < 0) {
    refuse_forged(self, "data is shorter than the tag", NULL);
  } else if (into_open(&buf, given[INTO_BUF], &call, &m, len)) {
    int err = unseal(c, &m, buf.p);
    done = err == RIJN_OK ? PyLong_FromSsize_t(len) : refuse(self, &call, err);
    view_close(&buf);
  }
  message_close(&m);
  return done;
}

static PyObject *cipher_tag_length(PyObject *self, void *closure) {
  (void)closure;
  return PyLong_FromSsize_t(cipher_of(self)->tag_len);
}

static PyGetSetDef cipher_getset[] = {{"tag_length", cipher_tag_length, NULL, DOC_TAG_LENGTH, NULL},
                                      {NULL, NULL, NULL, NULL, NULL}};

/* What all kinds have. */
#define CIPHER_METHODS                                                                                                 \
  METHOD("encrypt", cipher_encrypt, DOC_ENCRYPT), METHOD("decrypt", cipher_decrypt, DOC_DECRYPT),                      \
      METHOD("encrypt_into", cipher_encrypt_into, DOC_ENCRYPT_INTO),                                                   \
      METHOD("decrypt_into", cipher_decrypt_into, DOC_DECRYPT_INTO), {"__reduce__", no_pickle, METH_NOARGS, NULL},     \
      {"__reduce_ex__", no_pickle, METH_O, NULL}, {"__copy__", same_object, METH_NOARGS, NULL}, {                      \
    "__deepcopy__", same_object, METH_O, NULL                                                                          \
  }

/* ---------------------------------------------------------------- AESGCM */

static int gcm_make(void *key, const void *raw, size_t raw_len, size_t tag_len) {
  return rijn_gcm_init_taglen(key, raw, raw_len, tag_len);
}
static void gcm_wipe(void *key) { rijn_gcm_wipe(key); }
static int gcm_seal(const struct cipher *c, const struct message *m, void *out, void *tag) {
  return rijn_gcm_encrypt(c->key, out, m->text.p, (size_t)m->text.len, m->aad.p, (size_t)m->aad.len, m->nonce.p,
                          (size_t)m->nonce.len, tag);
}
static int gcm_open(const struct cipher *c, const struct message *m, void *out, size_t len, const void *tag) {
  return rijn_gcm_decrypt(c->key, out, m->text.p, len, m->aad.p, (size_t)m->aad.len, m->nonce.p, (size_t)m->nonce.len,
                          tag);
}

/* WHY 8 to 128: PyPI's cryptography takes these. Shorter ones repeat soon when they are random. */
static const struct kind gcm_kind = {
    "AESGCM", sizeof(rijn_gcm_key), {16, 24, 32, 0}, "16, 24 or 32", 8, 128, gcm_make, gcm_wipe, gcm_seal, gcm_open};

static PyObject *gcm_new(PyTypeObject *type, PyObject *args, PyObject *names) {
  static const struct call call = {"AESGCM", 1, 2, {"key", "tag_length"}};
  PyObject *given[2];
  Py_ssize_t tag_len = 16;
  if (!take_tuple(&call, args, names, given)) {
    return NULL;
  }
  if (given[1] != NULL) {
    tag_len = take_size(given[1], &call, 1, PTRDIFF_MIN, PTRDIFF_MAX);
    if (tag_len == -1 && PyErr_Occurred()) {
      return NULL;
    }
    if (tag_len != 4 && tag_len != 8 && (tag_len < 12 || tag_len > 16)) {
      PyErr_Format(PyExc_ValueError, "AESGCM: tag_length must be 12 to 16, 4 or 8, not %S", given[1]);
      return NULL;
    }
  }
  return cipher_new(type, &gcm_kind, &call, given[0], tag_len);
}

static PyObject *gcm_generate_key(PyObject *type, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const int allowed[] = {128, 192, 256, 0};
  return random_key(type, args, nargs, names, allowed);
}

static PyMethodDef gcm_methods[] = {CIPHER_METHODS,
                                    CLASS_METHOD("generate_key", gcm_generate_key, DOC_GENERATE_KEY),
                                    METHOD("encrypt_rows", gcm_encrypt_rows, DOC_ENCRYPT_ROWS),
                                    METHOD("decrypt_rows", gcm_decrypt_rows, DOC_DECRYPT_ROWS),
                                    METHOD("encrypt_column", gcm_encrypt_column, DOC_ENCRYPT_COLUMN),
                                    METHOD("decrypt_column", gcm_decrypt_column, DOC_DECRYPT_COLUMN),
                                    METHOD("encrypt_many", gcm_encrypt_many, DOC_ENCRYPT_MANY),
                                    METHOD("decrypt_many", gcm_decrypt_many, DOC_DECRYPT_MANY),
                                    {"encryptor", gcm_encryptor, METH_O, DOC_ENCRYPTOR},
                                    {"decryptor", gcm_decryptor, METH_O, DOC_DECRYPTOR},
                                    {NULL, NULL, 0, NULL}};
static PyType_Slot gcm_slots[] = {{Py_tp_doc, (void *)DOC_AESGCM},
                                  {Py_tp_new, gcm_new},
                                  {Py_tp_dealloc, cipher_dealloc},
                                  {Py_tp_repr, cipher_repr},
                                  {Py_tp_methods, gcm_methods},
                                  {Py_tp_getset, cipher_getset},
                                  {0, NULL}};
PyType_Spec gcm_spec = {"rijn.AESGCM", CIPHER_SIZE(rijn_gcm_key), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                        gcm_slots};

/* ---------------------------------------------------------------- AESGCMSIV */

static int siv_make(void *key, const void *raw, size_t raw_len, size_t tag_len) {
  (void)tag_len;
  return rijn_gcm_siv_init(key, raw, raw_len);
}
static void siv_wipe(void *key) { rijn_gcm_siv_wipe(key); }
static int siv_seal(const struct cipher *c, const struct message *m, void *out, void *tag) {
  return rijn_gcm_siv_encrypt(c->key, out, m->text.p, (size_t)m->text.len, m->aad.p, (size_t)m->aad.len, m->nonce.p,
                              tag);
}
static int siv_open(const struct cipher *c, const struct message *m, void *out, size_t len, const void *tag) {
  return rijn_gcm_siv_decrypt(c->key, out, m->text.p, len, m->aad.p, (size_t)m->aad.len, m->nonce.p, tag);
}
static const struct kind siv_kind = {
    "AESGCMSIV", sizeof(rijn_gcm_siv_key), {16, 24, 32, 0}, "16, 24 or 32", 12, 12, siv_make, siv_wipe, siv_seal,
    siv_open};

static PyObject *siv_new(PyTypeObject *type, PyObject *args, PyObject *names) {
  static const struct call call = {"AESGCMSIV", 1, 1, {"key"}};
  PyObject *given[1];
  return take_tuple(&call, args, names, given) ? cipher_new(type, &siv_kind, &call, given[0], 16) : NULL;
}

static PyMethodDef siv_methods[] = {
    CIPHER_METHODS, CLASS_METHOD("generate_key", gcm_generate_key, DOC_GENERATE_KEY), {NULL, NULL, 0, NULL}};
static PyType_Slot siv_slots[] = {{Py_tp_doc, (void *)DOC_AESGCMSIV},
                                  {Py_tp_new, siv_new},
                                  {Py_tp_dealloc, cipher_dealloc},
                                  {Py_tp_repr, cipher_repr},
                                  {Py_tp_methods, siv_methods},
                                  {Py_tp_getset, cipher_getset},
                                  {0, NULL}};
PyType_Spec siv_spec = {"rijn.AESGCMSIV", CIPHER_SIZE(rijn_gcm_siv_key), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, siv_slots};

/* ---------------------------------------------------------------- XAES256GCM */

enum { XAES_NONCE = 24 };

static int xaes_make(void *key, const void *raw, size_t raw_len, size_t tag_len) {
  (void)tag_len;
  return rijn_xaes_init(key, raw, raw_len);
}
static void xaes_wipe(void *key) { rijn_xaes_wipe(key); }
static int xaes_seal(const struct cipher *c, const struct message *m, void *out, void *tag) {
  return rijn_xaes_encrypt(c->key, out, m->text.p, (size_t)m->text.len, m->aad.p, (size_t)m->aad.len, m->nonce.p, tag);
}
static int xaes_open(const struct cipher *c, const struct message *m, void *out, size_t len, const void *tag) {
  return rijn_xaes_decrypt(c->key, out, m->text.p, len, m->aad.p, (size_t)m->aad.len, m->nonce.p, tag);
}
static const struct kind xaes_kind = {
    "XAES256GCM", sizeof(rijn_xaes_key), {32, 0}, "32", XAES_NONCE, XAES_NONCE, xaes_make, xaes_wipe, xaes_seal,
    xaes_open};

static PyObject *xaes_new(PyTypeObject *type, PyObject *args, PyObject *names) {
  static const struct call call = {"XAES256GCM", 1, 1, {"key"}};
  PyObject *given[1];
  return take_tuple(&call, args, names, given) ? cipher_new(type, &xaes_kind, &call, given[0], 16) : NULL;
}

static PyObject *xaes_generate_key(PyObject *type, PyObject *ignored) {
  (void)ignored;
  return random_bytes(PyType_GetModuleState((PyTypeObject *)type), 32);
}

/* nonce || text || tag, with a nonce from the operating system, which is never the same after a fork. */
static PyObject *xaes_seal_random(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"seal", 1, 2, {"data", "associated_data"}};
  const struct cipher *c = cipher_of(self);
  PyObject *given[2];
  if (!take(&call, args, nargs, names, given)) {
    return NULL;
  }
  struct message m = {.nonce = {0}};
  PyObject *out = NULL;
  PyObject *nonce = random_bytes(state_of(self), XAES_NONCE);
  if (nonce != NULL && view_open(&m.nonce, nonce, &call, 0) && view_open(&m.text, given[0], &call, 0) &&
      view_open_optional(&m.aad, given[1], &call, 1) &&
      (out = PyBytes_FromStringAndSize(NULL, XAES_NONCE + m.text.len + c->tag_len)) != NULL) {
    uint8_t *to = (uint8_t *)PyBytes_AsString(out);
    memcpy(to, m.nonce.p, XAES_NONCE);
    int err = seal(c, &m, to + XAES_NONCE);
    if (err != RIJN_OK) {
      Py_DECREF(out);
      out = refuse(self, &call, err);
    }
  }
  message_close(&m);
  Py_XDECREF(nonce);
  return out;
}

static PyObject *xaes_open_random(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names) {
  static const struct call call = {"open", 1, 2, {"sealed", "associated_data"}};
  const struct cipher *c = cipher_of(self);
  PyObject *given[2];
  if (!take(&call, args, nargs, names, given)) {
    return NULL;
  }
  struct message m = {.nonce = {0}};
  struct view whole = {0};
  PyObject *out = NULL;
  if (view_open(&whole, given[0], &call, 0) && view_open_optional(&m.aad, given[1], &call, 1)) {
    m.nonce.p = whole.p;
    m.nonce.len = XAES_NONCE;
    m.text.p = whole.p + XAES_NONCE;
    m.text.len = whole.len - XAES_NONCE;
    if (m.text.len < c->tag_len) {
      refuse_forged(self, "sealed is shorter than nonce and tag", NULL);
    } else if ((out = PyBytes_FromStringAndSize(NULL, m.text.len - c->tag_len)) != NULL) {
      int err = unseal(c, &m, (uint8_t *)PyBytes_AsString(out));
      if (err != RIJN_OK) {
        Py_DECREF(out);
        out = refuse(self, &call, err);
      }
    }
  }
  message_close(&m);
  view_close(&whole);
  return out;
}

static PyMethodDef xaes_methods[] = {
    CIPHER_METHODS,
    {"generate_key", xaes_generate_key, METH_NOARGS | METH_CLASS, DOC_XAES_GENERATE_KEY},
    METHOD("seal", xaes_seal_random, DOC_SEAL),
    METHOD("open", xaes_open_random, DOC_OPEN),
    {NULL, NULL, 0, NULL}};
static PyType_Slot xaes_slots[] = {{Py_tp_doc, (void *)DOC_XAES256GCM},
                                   {Py_tp_new, xaes_new},
                                   {Py_tp_dealloc, cipher_dealloc},
                                   {Py_tp_repr, cipher_repr},
                                   {Py_tp_methods, xaes_methods},
                                   {Py_tp_getset, cipher_getset},
                                   {0, NULL}};
PyType_Spec xaes_spec = {"rijn.XAES256GCM", CIPHER_SIZE(rijn_xaes_key), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, xaes_slots};
