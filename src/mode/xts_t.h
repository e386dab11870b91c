/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: XTS (IEEE 1619 5.3, 5.4; SP 800-38E), single data units and runs of sectors. Parameters as in modes_t.h.
 * Needs the operations on tweaks that ops_x86_modes.h describes.
 *
 * Block j of a data unit is encrypted with tweak T * x^j added before and behind the cipher; T is the unit's own tweak,
 * encrypted with a key of its own, and the product that of polynomials modulo x^128 + x^7 + x^2 + x + 1. A step from
 * block to block would be a chain of doublings, each waiting for the one before. Times x^8n, though, is a shift by n
 * whole bytes, with what falls out, times 0x87, added at the other end (v_xts_mul). So tweaks are made from those 8n
 * blocks before, in as many chains as there are vectors in between, and nothing waits.
 *
 * They lie on the stack in the order of the blocks, in a ring of XTS_RING tweaks. A pass reads those of its MODE_BLOCKS
 * blocks, and writes those that come XTS_AHEAD blocks later:
 *
 *     ring      | 0 ..                 | at ..               | at + XTS_AHEAD ..     | .. XTS_RING - 1
 *     a pass    |                      | reads its tweaks    | writes those to come  |
 *
 * On the first lap round the ring (FIRST_LAP) there is nothing yet in the place to be written: it gets the tweaks read,
 * times x^XTS_AHEAD. On later ones (NEXT_LAP) the tweaks of XTS_RING blocks before lie there, and are multiplied by
 * x^XTS_RING. With four blocks a vector the ring has XTS_AHEAD tweaks: there the place to be written is the place read.
 * x^64 is the cheapest: a half moves up, and the other, times 0x87, comes in (T-135). With one or two blocks a vector a
 * ring gains (T-136); with four it gains nothing, for AES has a port of its own.
 * CT: a tweak is a secret: the ring is wiped.
 */
#ifdef RIJN_IN_KERNEL /* Linux's stack is small */
#define XTS_LONGEST 32
#else
#define XTS_LONGEST 64
#endif
enum {
  XTS_AHEAD = MODE_BLOCKS < 8 ? 8 : MODE_BLOCKS,
  XTS_RING = VECTOR_BLOCKS == 4 ? XTS_AHEAD : XTS_LONGEST,
  XTS_BYTES = 16 * XTS_RING
};

static void xts_init(struct rijn_xts *k, const uint8_t *raw) {
  expand_key(k->rk.b, raw, k->rounds);
  expand_key(k->tk.b, raw + 4 * (k->rounds - 6u), k->rounds);
  IN_MEMORY(k->rk.b);
  invert_key(k->dk.b, k->rk.b, k->rounds);
  KEY_END();
}

/* The first XTS_AHEAD tweaks from the unit's own, encrypted, which is in each lane. The first vector has them times
 * x^lane, the next few are steps of x^VECTOR_BLOCKS; from 8 blocks on each is one of 8 or 16 blocks before, moved by
 * one or two bytes. */
INLINE void xts_fill(uint8_t *ring, v_t tweak) {
  const int q = 8 / VECTOR_BLOCKS;
  EACH(i, XTS_AHEAD / VECTOR_BLOCKS, {
    uint8_t *t = ring + VECTOR_BYTES * i;
    if (i == 0)
      v_store(t, v_xts_lanes(tweak));
    else if (i < q)
      v_store(t, v_xts_next(v_load(t - VECTOR_BYTES)));
    else if (i < 2 * q)
      v_store(t, v_xts_mul(v_load(t - VECTOR_BYTES * q), 1));
    else
      v_store(t, v_xts_mul(v_load(t - VECTOR_BYTES * 2 * q), 2));
  });
}

INLINE v_t xts_last(v_t a, v_t k0, v_t k1, v_t tweak, const enum direction dir) {
  return dir == ENCRYPT ? v_aes_last_xor(a, k0, k1, tweak) : v_aesd_last_xor(a, k0, k1, tweak);
}

/* The round keys that passes hold in registers, if KEEP_LANES (ghash_t.h): the first and the last ten (T-137). */
typedef struct {
  v_t first, nine[9], last;
} xts_held_t;
INLINE xts_held_t xts_hold(const uint8_t *rk, size_t rounds) {
  xts_held_t h = {.first = v_bcast_mem(rk), .last = v_bcast_mem(rk + 16 * rounds)};
  EACH(i, 9, h.nine[i] = v_bcast_mem(rk + 16 * (rounds + i - 9)));
  return h;
}

/* The round keys of a direction, which is a constant. held: NULL, or those that are not to be read from rk. */
typedef struct {
  const uint8_t *rk;
  unsigned rounds;
  enum direction dir;
  const xts_held_t *held;
} xts_keys_t;
/* n vectors in flight, their tweaks at t; the tweaks to come go to ahead, unless NO_LAP: none are made. n and lap are
 * constants. */
enum { NO_LAP, FIRST_LAP, NEXT_LAP };
INLINE void xts_pass(uint8_t *t, uint8_t *ahead, const xts_keys_t *keys, uint8_t *out, const uint8_t *in, const int n,
                     const int lap) {
  const enum direction dir = keys->dir;
  const xts_held_t *held = keys->held;
  const uint8_t *rk = keys->rk;
  v_t x[MODE_ROOM], k = held ? held->first : v_bcast_mem(rk);
  EACH(i, n, x[i] = v_aes_first_xor(v_load(in + VECTOR_BYTES * i), v_load(t + VECTOR_BYTES * i), k));
  if (held) {
    aes_extra_rounds(x, &k, &rk, keys->rounds, n, dir);
    EACH(r, 9, aes_round(x, &k, held->nine[r], n, dir, MODE_PINS));
  } else {
    aes_middle_rounds(x, &k, &rk, keys->rounds, n, dir);
  }
  v_t k_last = held ? held->last : v_bcast_mem(rk);
  EACH(i, n, {
    v_t tweak = v_load(t + VECTOR_BYTES * i);
    v_store(out + VECTOR_BYTES * i, xts_last(x[i], k, k_last, tweak, dir));
    if (lap == NEXT_LAP && XTS_RING > XTS_AHEAD)
      tweak = v_load(ahead + VECTOR_BYTES * i);
    if (lap == FIRST_LAP)
      v_store(ahead + VECTOR_BYTES * i, v_xts_mul(tweak, XTS_AHEAD / 8));
    if (lap == NEXT_LAP)
      v_store(ahead + VECTOR_BYTES * i, v_xts_mul(tweak, XTS_RING / 8));
  });
}
INLINE v_t xts_vector(v_t a, v_t tweak, const uint8_t *rk, unsigned rounds, const enum direction dir) {
  v_t k = v_bcast_mem(rk), x[MODE_ROOM] = {v_aes_first_xor(a, tweak, k)};
  aes_middle_rounds(x, &k, &rk, rounds, 1, dir);
  return xts_last(x[0], k, v_bcast_mem(rk), tweak, dir);
}

INLINE b_t xts_block(b_t a, b_t tweak, const uint8_t *rk, unsigned rounds, const enum direction dir) {
  b_t x[MODE_ROOM] = {b_aes_first(b_xor(a, tweak), b_load(rk))}, k;
  b_loop(x, &k, &rk, rounds, 1, dir);
  return dir == ENCRYPT ? b_aes_last_xor(x[0], k, b_load(rk), tweak) : b_aesd_last_xor(x[0], k, b_load(rk), tweak);
}

/* SPEC: IEEE 1619 5.3.2, 5.4.2. Ciphertext stealing: the last whole block and n more bytes, 1 to 15, with tweaks t and
 * t*x. The whole block is done first, in decryption with the later tweak. The first n bytes of what it becomes are the
 * output's end; its other bytes fill up the short block behind its n bytes, and that is done with the other tweak and
 * becomes the output's whole block. The n bytes at the end are read and written together with the bytes before them, as
 * 16. */
INLINE void xts_steal(const uint8_t *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t n, b_t t,
                      const enum direction dir) {
  b_t t2 = b_xts_double(t), a = xts_block(b_load(in), dir == ENCRYPT ? t : t2, rk, rounds, dir);
  b_t rest = b_down(b_load(in + n), 16 - n);
  b_store(out + n, b_up(a, 16 - n));
  a = b_xor(rest, b_up(b_down(a, n), n));
  b_store(out, xts_block(a, dir == ENCRYPT ? t2 : t, rk, rounds, dir));
}

/* The end of a data unit: nblk blocks, a pass at most, then `stolen` bytes more (xts_steal). */
INLINE void xts_rest(uint8_t *t, const xts_keys_t *keys, uint8_t *out, const uint8_t *in, size_t nblk, size_t stolen) {
  if (nblk == MODE_BLOCKS) {
    xts_pass(t, NULL, keys, out, in, MODE_VECTORS, NO_LAP);
    return;
  }
  const xts_keys_t single = {keys->rk, keys->rounds, keys->dir, NULL};
  for (; nblk >= VECTOR_BLOCKS; nblk -= VECTOR_BLOCKS, in += VECTOR_BYTES, out += VECTOR_BYTES) {
    xts_pass(t, NULL, &single, out, in, 1, NO_LAP);
    t += VECTOR_BYTES;
  }
  if (VECTOR_BLOCKS > 1 && nblk) {
    size_t bytes = 16 * nblk;
    v_store_part(out, xts_vector(v_load_part(in, bytes), v_load(t), keys->rk, keys->rounds, keys->dir), bytes);
    t += bytes;
    in += bytes;
    out += bytes;
  }
  if (stolen)
    xts_steal(keys->rk, keys->rounds, out, in, stolen, b_load(t), keys->dir);
}
/* n data units of len bytes, at least 16. tweaks: one for each unit, encrypted already; or, if tk is not NULL, a single
 * one, to be encrypted with tk. If there is more than one unit each has a multiple of MODE_BYTES. */
struct units {
  const uint8_t *tk, *tweaks;
  size_t len, n;
};
/* All of them, with the round keys of their direction. rings: room for two rings if there is more than one, else for
 * one.
 * The ring of the next unit is filled before this one's last pass. After it, each step would wait for a port until all
 * rounds are done (T-138). CT: len is public. */
INLINE void xts_units(uint8_t *rings, struct keys given, uint8_t *out, const uint8_t *in, const struct units *u,
                      const enum direction dir) {
  const uint8_t *tk = u->tk, *tweaks = u->tweaks;
  const size_t len = u->len, stolen = len % 16;
  size_t n = u->n, nblk;
  uint8_t *ring = rings, *next = rings + XTS_BYTES, *t;
  v_t x[MODE_ROOM] = {v_bcast_mem(tweaks)};
  if (tk) {
    v_t k = v_bcast_mem(tk);
    x[0] = v_aes_first(x[0], k);
    aes_middle_rounds(x, &k, &tk, given.rounds, 1, ENCRYPT);
    x[0] = v_aes_last(x[0], k, v_bcast_mem(tk));
  }
  xts_fill(ring, x[0]);
  xts_held_t held;
  if (KEEP_LANES && len >= MODE_BYTES) /* less has no pass */
    held = xts_hold(given.rk, given.rounds);
  const xts_keys_t keys = {given.rk, given.rounds, dir, KEEP_LANES ? &held : NULL};
  for (;;) {
    size_t at = 0;
    nblk = len / 16 - (stolen != 0);
    for (; at + 16 * XTS_AHEAD < XTS_BYTES && nblk + (stolen != 0) > MODE_BLOCKS; at += MODE_BYTES) {
      xts_pass(ring + at, ring + at + 16 * XTS_AHEAD, &keys, out, in, MODE_VECTORS, FIRST_LAP);
      nblk -= MODE_BLOCKS;
      in += MODE_BYTES;
      out += MODE_BYTES;
    }
    for (; nblk + (stolen != 0) > MODE_BLOCKS; at = (at + MODE_BYTES) % XTS_BYTES) {
      xts_pass(ring + at, ring + (at + 16 * XTS_AHEAD) % XTS_BYTES, &keys, out, in, MODE_VECTORS, NEXT_LAP);
      nblk -= MODE_BLOCKS;
      in += MODE_BYTES;
      out += MODE_BYTES;
    }
    t = ring + at;
    if (--n == 0)
      break;
    tweaks += 16;
    xts_fill(next, v_bcast_mem(tweaks));
    xts_pass(t, NULL, &keys, out, in, MODE_VECTORS, NO_LAP);
    in += MODE_BYTES;
    out += MODE_BYTES;
    uint8_t *swap = ring;
    ring = next;
    next = swap;
  }
  xts_rest(t, &keys, out, in, nblk, stolen);
}
/* Not inlined: runs of sectors and single data units share it.
 * PORT: and gcc, short of registers, would keep pointers in vector registers, which are read by AES's port. */
NOINLINE void xts_enc_units(uint8_t *rings, struct keys given, uint8_t *out, const uint8_t *in, const struct units *u) {
  xts_units(rings, given, out, in, u, ENCRYPT);
}
NOINLINE void xts_dec_units(uint8_t *rings, struct keys given, uint8_t *out, const uint8_t *in, const struct units *u) {
  xts_units(rings, given, out, in, u, DECRYPT);
}

INLINE void xts_end(uint8_t *ring) {
  if (FEW_REGISTERS)
    zero_stack_384();
  wipe(ring, XTS_BYTES);
  CLEAR_REGS();
}
static void xts_enc(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16]) {
  _Alignas(VECTOR_BYTES) uint8_t ring[XTS_BYTES];
  const struct units u = {k->tk.b, tweak, len, 1};
  xts_enc_units(ring, (struct keys){k->rk.b, k->rounds}, out, in, &u);
  xts_end(ring);
}
static void xts_dec(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16]) {
  _Alignas(VECTOR_BYTES) uint8_t ring[XTS_BYTES];
  const struct units u = {k->tk.b, tweak, len, 1};
  xts_dec_units(ring, (struct keys){k->dk.b, k->rounds}, out, in, &u);
  xts_end(ring);
}

/* Parts of a data unit. What follows the last whole block has that one's tweak, which is still in the ring, times x. */
INLINE b_t xts_following(const uint8_t *ring, size_t len) {
  return b_xts_double(b_load(ring + (len / 16 - 1) % XTS_RING * 16));
}
static void xts_enc_part(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16],
                         uint8_t next[16], int first) {
  _Alignas(VECTOR_BYTES) uint8_t ring[XTS_BYTES];
  const struct units u = {first ? k->tk.b : NULL, tweak, len, 1};
  xts_enc_units(ring, (struct keys){k->rk.b, k->rounds}, out, in, &u);
  b_store(next, xts_following(ring, len));
  xts_end(ring);
}
static void xts_dec_part(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16],
                         uint8_t next[16], int first) {
  _Alignas(VECTOR_BYTES) uint8_t ring[XTS_BYTES];
  const struct units u = {first ? k->tk.b : NULL, tweak, len, 1};
  xts_dec_units(ring, (struct keys){k->dk.b, k->rounds}, out, in, &u);
  b_store(next, xts_following(ring, len));
  xts_end(ring);
}

#ifndef RIJN_IN_KERNEL /* Linux's stack is small, and a request of its has one data unit */
/* n vectors of tweaks are encrypted where they lie. */
INLINE void xts_encrypt_tweaks(uint8_t *t, const uint8_t *rk, unsigned rounds, const int n) {
  v_t x[MODE_ROOM], k = v_bcast_mem(rk);
  EACH(i, n, x[i] = v_aes_first(v_load(t + VECTOR_BYTES * i), k));
  aes_middle_rounds(x, &k, &rk, rounds, n, ENCRYPT);
  v_t k_last = v_bcast_mem(rk);
  EACH(i, n, v_store(t + VECTOR_BYTES * i, v_aes_last(x[i], k, k_last)));
  IN_MEMORY(rk); /* CT: no key is kept for the next pass */
}

/* A run of sectors: the tweaks of up to XTS_RUN sectors are encrypted side by side; then nothing that a sector does
 * waits for the sector before it, and the processor overlaps neighbours. */
enum { XTS_RUN = 32 };
INLINE void xts_run(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s,
                    const enum direction dir) {
  _Alignas(VECTOR_BYTES) uint8_t rings[2 * XTS_BYTES], tweaks[16 * XTS_RUN];
  uint64_t number = s->first;
  for (size_t done = 0; done < s->n;) {
    size_t run = s->n - done < XTS_RUN ? s->n - done : XTS_RUN, vecs = (run + VECTOR_BLOCKS - 1) / VECTOR_BLOCKS;
    if (s->tweaks) {
      memcpy(tweaks, s->tweaks + 16 * done, 16 * run);
    } else {
      for (size_t i = 0; i < run; i++, number += s->step)
        b_store(tweaks + 16 * i, b_le64(number));
    }
    size_t i = 0;
    for (; vecs - i >= MODE_VECTORS; i += MODE_VECTORS)
      xts_encrypt_tweaks(tweaks + VECTOR_BYTES * i, k->tk.b, k->rounds, MODE_VECTORS);
    for (; i < vecs; i++)
      xts_encrypt_tweaks(tweaks + VECTOR_BYTES * i, k->tk.b, k->rounds, 1);
    const struct units u = {NULL, tweaks, s->size, run};
    if (dir == ENCRYPT)
      xts_enc_units(rings, (struct keys){k->rk.b, k->rounds}, out, in, &u);
    else
      xts_dec_units(rings, (struct keys){k->dk.b, k->rounds}, out, in, &u);
    done += run;
    in += run * s->size;
    out += run * s->size;
  }
  if (FEW_REGISTERS)
    zero_stack_384();
  wipe(rings, sizeof rings);
  wipe(tweaks, sizeof tweaks);
}
static void xts_enc_sectors(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s) {
  xts_run(k, out, in, s, ENCRYPT);
  CLEAR_REGS();
}
static void xts_dec_sectors(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s) {
  xts_run(k, out, in, s, DECRYPT);
  CLEAR_REGS();
}
#define XTS_SECTORS .xts_enc_sectors = xts_enc_sectors, .xts_dec_sectors = xts_dec_sectors
#else
#define XTS_SECTORS .xts_enc_sectors = NULL, .xts_dec_sectors = NULL
#endif
