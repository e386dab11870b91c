/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn volume info: what a header says, and what the partitions of a disk hold. */
#include "volume.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PARTITIONS = 256 };

static const char *format_name(int format) {
  static const char *const names[] = {[RIJN_VOLUME_LUKS1] = "LUKS",
                                      [RIJN_VOLUME_LUKS2] = "LUKS",
                                      [RIJN_VOLUME_GELI] = "GELI",
                                      [RIJN_VOLUME_VERACRYPT] = "VeraCrypt",
                                      [RIJN_VOLUME_BITLOCKER] = "BitLocker"};
  return names[format];
}

/* As ISO 8601 has it, in UTC. */
static const char *date_text(char text[40], int64_t seconds) {
  time_t t = (time_t)seconds;
  struct tm tm;
  if (gmtime_r(&t, &tm) == NULL || strftime(text, 40, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
    text[0] = '\0';
  return text;
}

static void text(json_object *o, const char *key, const char *value) {
  json_object_object_add(o, key, json_object_new_string(value));
}
static void num(json_object *o, const char *key, uint64_t value) {
  json_object_object_add(o, key, json_object_new_uint64(value));
}
static void flag(json_object *o, const char *key, bool value) {
  json_object_object_add(o, key, json_object_new_boolean(value));
}

static json_object *slots_json(const rijn_volume_facts *f) {
  json_object *list = json_object_new_array();
  for (size_t i = 0; i < f->slots_n; i++) {
    const rijn_volume_slot *s = &f->slots[i];
    json_object *o = json_object_new_object();
    num(o, "slot", (uint64_t)s->number);
    text(o, "name", s->name);
    text(o, "kdf", s->kdf);
    text(o, "hash", s->hash);
    num(o, "rounds", s->rounds);
    num(o, "memory_kib", s->memory_kib);
    num(o, "lanes", s->lanes);
    num(o, "priority", (uint64_t)s->priority);
    flag(o, "bound", s->bound);
    flag(o, "understood", s->understood);
    json_object_array_add(list, o);
  }
  return list;
}

static void luks_json(json_object *o, const rijn_volume_facts *f) {
  json_object *tokens = json_object_new_object(), *requirements = json_object_new_array();
  text(o, "uuid", f->uuid);
  if (f->format == RIJN_VOLUME_LUKS1) {
    text(o, "hash", f->hash);
    json_object_put(tokens);
    json_object_put(requirements);
    return;
  }
  text(o, "label", f->label);
  text(o, "subsystem", f->subsystem);
  num(o, "metadata_size", f->header_size);
  num(o, "epoch", f->epoch);
  num(o, "header_used", (uint64_t)f->header_used);
  flag(o, "fixed_size", f->fixed_size);
  text(o, "iv_tweak", f->iv_tweak);
  for (size_t i = 0; i < f->tokens_n; i++) {
    char name[16];
    snprintf(name, sizeof name, "%d", f->tokens[i].number);
    text(tokens, name, f->tokens[i].type);
  }
  for (size_t i = 0; i < f->requirements_n; i++)
    json_object_array_add(requirements, json_object_new_string(f->requirements[i]));
  json_object_object_add(o, "tokens", tokens);
  json_object_object_add(o, "requirements", requirements);
}

static json_object *volume_json(const rijn_volume *v) {
  const rijn_volume_facts *f = rijn_volume_facts_of(v);
  const rijn_volume_error *refusal = rijn_volume_refusal(v);
  json_object *o = json_object_new_object();
  text(o, "format", format_name(f->format));
  num(o, "version", f->version);
  text(o, "cipher", f->cipher);
  num(o, "key_bits", f->key_bits);
  num(o, "sector_size", f->sector_size);
  num(o, "payload_offset", f->data_offset);
  num(o, "size", f->size);
  flag(o, "reads_only", f->reads_only);
  flag(o, "discards", f->discards);
  json_object_object_add(o, "slots", slots_json(f));
  if (f->format == RIJN_VOLUME_LUKS1 || f->format == RIJN_VOLUME_LUKS2) {
    luks_json(o, f);
  } else if (f->format == RIJN_VOLUME_BITLOCKER) {
    char date[40];
    text(o, "uuid", f->uuid);
    text(o, "label", f->label);
    text(o, "created", date_text(date, f->created));
    num(o, "metadata_used", (uint64_t)f->header_used);
    flag(o, "opens_without_key", f->opens_without_key);
    flag(o, "copies_differ", f->copies_differ);
  } else if (f->format == RIJN_VOLUME_GELI) {
    num(o, "flags", f->flags);
    num(o, "provider_sector", f->provider_sector);
    num(o, "provider_size", f->provider_size);
    json_object_object_add(o, "rounds", json_object_new_int(f->rounds));
  }
  if (refusal->code != 0) {
    json_object *r = json_object_new_object();
    text(r, "name", rijn_volume_error_name(refusal->code));
    text(r, "text", refusal->text);
    json_object_object_add(o, "refused", r);
  }
  return o;
}

/* ---------------------------------------------------------------- text */

/* A string of the disk's, with what could move a terminal made harmless. */
static void show(const char *name, const char *value, const char *indent) {
  if (value[0] == '\0')
    return;
  printf("%s%-18s", indent, name);
  rijn_show(value);
  putchar('\n');
}

static void show_slots(const rijn_volume_facts *f, const char *indent) {
  for (size_t i = 0; i < f->slots_n; i++) {
    const rijn_volume_slot *s = &f->slots[i];
    char line[200];
    const char *what = s->name[0] != '\0' ? s->name : "no PBKDF2";
    if (s->kdf[0] != '\0')
      what = s->kdf;
    int n = snprintf(line, sizeof line, "%d: %s", s->number, what);
    if (s->memory_kib != 0)
      n += snprintf(line + n, sizeof line - (size_t)n, ", %llu passes, %llu MiB, %u lanes",
                    (unsigned long long)s->rounds, (unsigned long long)s->memory_kib >> 10, s->lanes);
    else if (s->rounds != 0)
      n += snprintf(line + n, sizeof line - (size_t)n, " %s, %llu rounds", s->hash, (unsigned long long)s->rounds);
    snprintf(line + n, sizeof line - (size_t)n, "%s%s%s%s", s->priority == 0 ? ", only when named" : "",
             s->priority == 2 ? ", preferred" : "", s->bound ? "" : ", does not open the volume",
             s->understood ? "" : ", not supported");
    show("key slot", line, indent);
  }
}

static void show_volume(const rijn_volume *v, const char *indent) {
  const rijn_volume_facts *f = rijn_volume_facts_of(v);
  const rijn_volume_error *refusal = rijn_volume_refusal(v);
  char line[120];
  if (f->format == RIJN_VOLUME_VERACRYPT) {
    show("volume", "VeraCrypt or TrueCrypt, or nothing but noise: its key tells", indent);
    show_slots(f, indent);
    return;
  }
  snprintf(line, sizeof line, "%s version %u", format_name(f->format), f->version);
  show("volume", line, indent);
  show("cipher", f->cipher, indent);
  if (f->key_bits != 0)
    printf("%s%-18s%u bits\n", indent, "key", f->key_bits);
  printf("%s%-18s%u bytes\n", indent, "sectors", f->sector_size);
  printf("%s%-18s%llu bytes at %llu\n", indent, "data", (unsigned long long)f->size,
         (unsigned long long)f->data_offset);
  show("UUID", f->uuid, indent);
  show("label", f->label, indent);
  show("subsystem", f->subsystem, indent);
  if (f->format == RIJN_VOLUME_LUKS2)
    printf("%s%-18s%d of 2, %llu bytes, written %llu times\n", indent, "header", f->header_used,
           (unsigned long long)f->header_size, (unsigned long long)f->epoch);
  if (f->format == RIJN_VOLUME_BITLOCKER)
    show("created", date_text(line, f->created), indent);
  if (f->opens_without_key)
    show("opens", "without a key: protection is suspended", indent);
  if (f->format == RIJN_VOLUME_GELI)
    printf("%s%-18s0x%x, made for a disk of %llu bytes with sectors of %u\n", indent, "flags", f->flags,
           (unsigned long long)f->provider_size, f->provider_sector);
  show_slots(f, indent);
  for (size_t i = 0; i < f->tokens_n; i++)
    show("token", f->tokens[i].type, indent);
  for (size_t i = 0; i < f->requirements_n; i++)
    show("requirement", f->requirements[i], indent);
  if (f->copies_differ)
    show("read only", "the copies of the metadata contradict each other", indent);
  else if (f->reads_only)
    show("read only", "writes are not supported, or the header forbids them", indent);
  show("trim", f->discards ? "passed down" : "not passed down", indent);
  if (refusal->code != 0)
    show("cannot be opened", refusal->text, indent);
}

/* ---------------------------------------------------------------- what is looked at */

/* WHY a second look: a backup of GELI's metadata, alone, is a header without its disk. */
static int load(rijn_volume **v, const rijn_volume_disk *disk, const rijn_volume_disk *header,
                const rijn_volume_options *options, rijn_volume_error *err) {
  int r = rijn_volume_load(v, disk, header, options, err);
  if (r == RIJN_VOLUME_EFORMAT && header == NULL && disk->size <= 65536) {
    rijn_volume_options geli = *options;
    rijn_volume_error unused;
    geli.format = RIJN_VOLUME_GELI;
    if (rijn_volume_load(v, disk, disk, &geli, &unused) == RIJN_VOLUME_OK)
      return RIJN_VOLUME_OK;
  }
  return r;
}

/* One of the partitions. Answers its JSON where out is not NULL. */
static void show_partition(const rijn_volume_disk *disk, const rijn_volume_partition *p, const struct volume_args *a,
                           json_object *list) {
  rijn_volume_disk part;
  rijn_volume_error err = {0, ""};
  rijn_volume *v = NULL;
  json_object *o = json_object_new_object();
  num(o, "partition", p->number);
  num(o, "offset", p->offset);
  num(o, "size", p->size);
  text(o, "type", p->type);
  text(o, "name", p->name);
  if (rijn_volume_disk_part(&part, disk, p->offset, p->size, &err) == RIJN_VOLUME_OK) {
    rijn_volume_load(&v, &part, NULL, &a->options, &err);
    if (v != NULL)
      json_object_object_add(o, "volume", volume_json(v));
  }
  if (!a->json) {
    printf("partition %u: %llu bytes at %llu, type %s\n", p->number, (unsigned long long)p->size,
           (unsigned long long)p->offset, p->type);
    show("name", p->name, "  ");
    if (v != NULL)
      show_volume(v, "  ");
    else if (err.code != RIJN_VOLUME_EFORMAT)
      show("volume", err.text, "  ");
  }
  json_object_array_add(list, o);
  rijn_volume_close(v);
  rijn_volume_disk_close(&part);
}

static int show_partitions(const rijn_volume_disk *disk, const struct volume_args *a, json_object *o, size_t *n) {
  rijn_volume_partition *list = calloc(PARTITIONS, sizeof *list);
  rijn_volume_error err;
  int r = list != NULL ? rijn_volume_partitions(disk, list, PARTITIONS, n, &err) : RIJN_VOLUME_EMEM;
  json_object *array = json_object_new_array();
  for (size_t i = 0; r == RIJN_VOLUME_OK && i < *n; i++)
    show_partition(disk, &list[i], a, array);
  json_object_object_add(o, "partitions", array);
  free(list);
  if (r != RIJN_VOLUME_OK && list != NULL)
    volume_say(a->disks[0], &err);
  return r == RIJN_VOLUME_OK ? RIJN_EXIT_OK : RIJN_EXIT_FAILED;
}

/* A disk that holds a volume itself, or has partitions that do. */
static int show_disk(const rijn_volume_disk *disk, const rijn_volume_disk *header, const struct volume_args *a,
                     json_object *o) {
  rijn_volume_error err;
  rijn_volume *v = NULL;
  size_t partitions = 0;
  int r = load(&v, disk, header, &a->options, &err), status = RIJN_EXIT_OK;
  if (r == RIJN_VOLUME_OK) {
    json_object_object_add(o, "volume", volume_json(v));
    if (!a->json)
      show_volume(v, "");
  }
  if (r == RIJN_VOLUME_EFORMAT && header == NULL && a->partition == 0)
    status = show_partitions(disk, a, o, &partitions);
  if (r != RIJN_VOLUME_OK && partitions == 0 && status == RIJN_EXIT_OK) {
    if (a->json) {
      json_object *refused = json_object_new_object();
      text(refused, "name", rijn_volume_error_name(err.code));
      text(refused, "text", err.text);
      json_object_object_add(o, "refused", refused);
    }
    status = volume_say(a->disks[0], &err);
  }
  rijn_volume_close(v);
  return status;
}

int volume_info(struct volume_args *a) {
  rijn_volume_disk disk, part = {0}, header = {0};
  rijn_volume_error err;
  json_object *o = json_object_new_object();
  int r = rijn_volume_disk_open(&disk, a->disks[0], true, &err), status = RIJN_EXIT_FAILED;
  if (r == RIJN_VOLUME_OK && a->partition != 0)
    r = rijn_volume_disk_partition(&part, &disk, a->partition, &err);
  if (r == RIJN_VOLUME_OK && a->header != NULL)
    r = rijn_volume_disk_open(&header, a->header, true, &err);
  if (r == RIJN_VOLUME_OK)
    status = show_disk(a->partition != 0 ? &part : &disk, a->header != NULL ? &header : NULL, a, o);
  else
    volume_say(a->disks[0], &err);
  if (a->json && r == RIJN_VOLUME_OK)
    puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
  json_object_put(o);
  rijn_volume_disk_close(&header);
  rijn_volume_disk_close(&part);
  rijn_volume_disk_close(&disk);
  return rijn_finish_stdout(status);
}
