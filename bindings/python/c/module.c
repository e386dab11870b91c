/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The module: its types, its state, and what the library is. */
#include "module.h"

#include "doc.h"

static PyObject *implementation_of(int i) {
  char why[256];
  return Py_BuildValue("{s:s,s:O,s:s,s:O}", "name", rijn_impl_name(i), "supported",
                       rijn_impl_supported(i) ? Py_True : Py_False, "why_not", rijn_impl_why(i, why, sizeof why),
                       "chosen", i == rijn_impl_chosen() ? Py_True : Py_False);
}

static PyObject *module_info(PyObject *self, PyObject *ignored) {
  (void)self;
  (void)ignored;
  char features[1024];
  int chosen = rijn_impl_chosen();
  PyObject *list = PyList_New(0);
  for (int i = 0; list != NULL && i < rijn_impl_count(); i++) {
    PyObject *one = implementation_of(i);
    if (one == NULL || PyList_Append(list, one) != 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(one);
  }
  if (list == NULL) {
    return NULL;
  }
  return Py_BuildValue("{s:s,s:z,s:s,s:N}", "version", rijn_version(), "implementation",
                       chosen < 0 ? NULL : rijn_impl_name(chosen), "cpu_features",
                       rijn_cpu_features(features, sizeof features), "implementations", list);
}

static PyObject *module_selftest(PyObject *self, PyObject *ignored) {
  (void)self;
  (void)ignored;
  PyThreadState *saved = PyEval_SaveThread();
  int err = rijn_selftest(-1);
  PyEval_RestoreThread(saved);
  if (err != RIJN_OK) {
    PyErr_Format(PyExc_RuntimeError, "selftest: %s", rijn_strerror(err));
    return NULL;
  }
  return Py_BuildValue("");
}

static PyMethodDef functions[] = {{"info", module_info, METH_NOARGS, DOC_INFO},
                                  {"selftest", module_selftest, METH_NOARGS, DOC_SELFTEST},
                                  {NULL, NULL, 0, NULL}};

static PyObject *attribute_of(const char *module, const char *name) {
  PyObject *m = PyImport_ImportModule(module);
  PyObject *o = NULL;
  if (m != NULL) {
    o = PyObject_GetAttrString(m, name);
    Py_DECREF(m);
  }
  return o;
}

/* A type that is one of the module's names. A borrowed reference. */
static PyObject *add_type(PyObject *module, PyType_Spec *spec) {
  PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
  if (type == NULL || PyModule_AddType(module, (PyTypeObject *)type) != 0) {
    Py_XDECREF(type);
    return NULL;
  }
  Py_DECREF(type);
  return type;
}

static int execute(PyObject *module) {
  struct state *state = PyModule_GetState(module);
  state->forged = attribute_of("rijn.exceptions", "_forged");
  state->misused = attribute_of("rijn.exceptions", "_misused");
  state->urandom = attribute_of("os", "urandom");
  PyObject *encryptor = add_type(module, &encryptor_spec);
  PyObject *decryptor = add_type(module, &decryptor_spec);
  if (state->forged == NULL || state->misused == NULL || state->urandom == NULL || encryptor == NULL ||
      decryptor == NULL) {
    return -1;
  }
  Py_INCREF(encryptor);
  Py_INCREF(decryptor);
  state->encryptor = (PyTypeObject *)encryptor;
  state->decryptor = (PyTypeObject *)decryptor;
  return add_type(module, &gcm_spec) != NULL && add_type(module, &siv_spec) != NULL &&
                 add_type(module, &xaes_spec) != NULL && add_type(module, &xts_spec) != NULL &&
                 PyModule_AddStringConstant(module, "__version__", rijn_version()) == 0 &&
                 PyModule_AddIntConstant(module, "GIL_FROM", GIL_FROM) == 0
             ? 0
             : -1;
}

static int traverse(PyObject *module, visitproc visit, void *arg) {
  struct state *state = PyModule_GetState(module);
  Py_VISIT(state->encryptor);
  Py_VISIT(state->decryptor);
  Py_VISIT(state->forged);
  Py_VISIT(state->misused);
  Py_VISIT(state->urandom);
  return 0;
}

static int clear(PyObject *module) {
  struct state *state = PyModule_GetState(module);
  Py_CLEAR(state->encryptor);
  Py_CLEAR(state->decryptor);
  Py_CLEAR(state->forged);
  Py_CLEAR(state->misused);
  Py_CLEAR(state->urandom);
  return 0;
}

/* WHY two definitions and numbers: an interpreter refuses a slot that it does not know, so 3.11 must not see the one of
 * 3.12 (Py_mod_multiple_interpreters: an interpreter with a lock of its own) nor 3.12 that of 3.13 (Py_mod_gil: none is
 * needed). The headers of the limited API of 3.11 have no names for them. */
static PyModuleDef_Slot slots_311[] = {{Py_mod_exec, execute}, {0, NULL}};
static PyModuleDef_Slot slots_312[] = {{Py_mod_exec, execute}, {3, (void *)2}, {0, NULL}};
static PyModuleDef_Slot slots_313[] = {{Py_mod_exec, execute}, {3, (void *)2}, {4, (void *)1}, {0, NULL}};

#define DEFINITION(slots)                                                                                              \
  {                                                                                                                    \
    PyModuleDef_HEAD_INIT, .m_name = "rijn._rijn", .m_doc = DOC_MODULE, .m_size = sizeof(struct state),                \
                           .m_methods = functions, .m_slots = (slots), .m_traverse = traverse, .m_clear = clear        \
  }
static struct PyModuleDef definitions[] = {DEFINITION(slots_311), DEFINITION(slots_312), DEFINITION(slots_313)};

PyMODINIT_FUNC PyInit__rijn(void) {
  unsigned long minor = Py_Version >> 16 & 0xff;
  unsigned long at = minor < 11 ? 0 : minor - 11;
  return PyModuleDef_Init(&definitions[at > 2 ? 2 : at]);
}
