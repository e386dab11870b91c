/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#ifndef RIJN_PYTHON_TABLE_H
#define RIJN_PYTHON_TABLE_H
/* What calls of many messages share: rows of bytes, and which of them do not verify. */
#include "module.h"

/* Rows of bytes, all of one width, at one distance from each other. */
struct table {
  uint8_t *p;
  Py_ssize_t n, width, stride;
  bool one; /* a single row, which serves for all */
  bool held;
  Py_buffer buffer;
};

/* Two-dimensional, of bytes. flags: PyBUF_WRITABLE, or 0. */
bool table_open(struct table *t, PyObject *o, const struct call *call, int param, int flags);
void table_close(struct table *t);
static inline uint8_t *row_of(const struct table *t, Py_ssize_t i) { return t->p + i * t->stride; }
/* A view as one row; the view stays the owner. */
static inline struct table table_of(const struct view *v) {
  return (struct table){.p = v->p, .n = 1, .width = v->len, .one = true};
}
/* Whether a byte of a can be one of b. Columns of one array, which lie between each other, are known to be apart. */
bool tables_meet(const struct table *a, const struct table *b);
/* None, bytes for all rows, or a table. */
bool aad_open(struct table *t, PyObject *o, const struct call *call, int param);

/* New memory as a numpy array where `like` is one, or as a memoryview; one-dimensional. */
enum memory { MEMORY_BYTES, MEMORY_INT32, MEMORY_INT64 };
PyObject *new_memory(enum memory type, Py_ssize_t bytes, PyObject *like);

/* Items of the results of rows: 1 for a good one. */
extern const struct items result_items;
/* Raises InvalidTag with the numbers of the rows that failed. */
PyObject *refuse_rows(PyObject *self, const uint8_t *ok, Py_ssize_t n, Py_ssize_t failed);

#endif
