/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What rijn bench kernel says: the table in a terminal of 80 columns, and the report (doc/kernel.md has its fields). */
#include "kernel.h"

#include <json-c/json.h>
#include <math.h>
#include <rijn.h>
#include <sys/utsname.h>

static bool same_head(const struct k_case *a, const struct k_case *b) {
  return a->mode == b->mode && a->key_bits == b->key_bits && a->dir == b->dir && a->pieces == b->pieces;
}

static void head(const struct k_run *r, const struct k_case *c) {
  const struct k_mode *m = &k_modes[c->mode];
  printf("\n%s, key of %d bits, %s", m->alg, c->key_bits, c->dir == B_ENC ? "encryption" : "decryption");
  if (m->aead)
    printf(", %zu bytes of associated data", r->o->aad);
  if (c->pieces > 1)
    printf(", in %zu pieces", c->pieces);
  if (r->o->set_key)
    printf(",\nthe key set before each message");
  printf("\n%6s %-40s %8s %8s %6s %6s\n", "bytes", "driver", "ns", "low", "MB/s", "ratio");
}

/* The rows of a case. */
void k_table(const struct k_run *r, size_t from) {
  struct utsname u;
  char cpu[64];
  if (from == 0 && b_machine_cpu(cpu, sizeof cpu) == 0)
    printf("%s, Linux %s\n", cpu, uname(&u) ? "?" : u.release);
  if (from == 0 || (from < r->n_rows && !same_head(&r->rows[from - 1].c, &r->rows[from].c)))
    head(r, &r->rows[from].c);
  for (size_t i = from; i < r->n_rows; i++) {
    const struct k_row *row = &r->rows[i];
    char size[24] = "";
    if (i == from)
      snprintf(size, sizeof size, "%zu", row->c.size);
    printf("%6s %-40s ", size, row->driver);
    if (row->wrong)
      puts("WRONG: not what the first computes");
    else if (row->error)
      printf("not measured: error %d\n", -row->error);
    else
      printf("%8.1f %8.1f %6.0f %6.3f\n", row->median, row->low, (double)row->c.size * 1e3 / row->median, row->ratio);
  }
  fflush(stdout); /* the next case takes a while */
}

static json_object *real(double v) { return isfinite(v) ? json_object_new_double(v) : NULL; /* null */ }

static json_object *row_json(const struct k_run *r, const struct k_row *row) {
  const struct k_mode *m = &k_modes[row->c.mode];
  json_object *o = json_object_new_object();
  json_object *ns = json_object_new_array();
  json_object_object_add(o, "what", json_object_new_string(m->name));
  json_object_object_add(o, "key", json_object_new_int(row->c.key_bits));
  json_object_object_add(o, "direction", json_object_new_string(row->c.dir == B_ENC ? "encrypt" : "decrypt"));
  json_object_object_add(o, "size", json_object_new_int64((int64_t)row->c.size));
  json_object_object_add(o, "pieces", json_object_new_int64((int64_t)row->c.pieces));
  json_object_object_add(o, "aad", json_object_new_int64(m->aead ? (int64_t)r->o->aad : 0));
  json_object_object_add(o, "set_key", json_object_new_boolean(r->o->set_key));
  json_object_object_add(o, "driver", json_object_new_string(row->driver));
  json_object_object_add(o, "kind", json_object_new_string(row->is_rijn ? "rijn" : "linux"));
  json_object_object_add(o, "error", row->error ? json_object_new_int(-row->error) : NULL);
  json_object_object_add(o, "wrong", json_object_new_boolean(row->wrong));
  json_object_object_add(o, "per_sample", json_object_new_int64((int64_t)row->messages));
  json_object_object_add(o, "low", real(row->low));
  json_object_object_add(o, "median", real(row->median));
  json_object_object_add(o, "ratio", real(row->ratio));
  for (size_t i = 0; i < row->n; i++)
    json_object_array_add(ns, real(row->ns[i]));
  json_object_object_add(o, "ns", ns);
  return o;
}

int k_json(const struct k_run *r) {
  struct utsname u;
  char cpu[128];
  json_object *o = json_object_new_object();
  json_object *rows = json_object_new_array();
  b_machine_cpu(cpu, sizeof cpu);
  json_object_object_add(o, "format", json_object_new_string("rijn-bench-kernel"));
  json_object_object_add(o, "version", json_object_new_int(1));
  json_object_object_add(o, "rijn", json_object_new_string(rijn_version()));
  json_object_object_add(o, "cpu", json_object_new_string(cpu));
  json_object_object_add(o, "kernel", json_object_new_string(uname(&u) ? "" : u.release));
  json_object_object_add(o, "architecture", json_object_new_string(uname(&u) ? "" : u.machine));
  for (size_t i = 0; i < r->n_rows; i++)
    json_object_array_add(rows, row_json(r, &r->rows[i]));
  json_object_object_add(o, "rows", rows);
  return b_json_write(o, r->o->json);
}
