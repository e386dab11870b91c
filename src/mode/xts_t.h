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
enum { XTS_AHEAD = MODE_BLOCKS < 8 ? 8 : MODE_BLOCKS, XTS_RING = VB == 4 ? XTS_AHEAD : 64, XTS_BYTES = 16 * XTS_RING };

static void xts_init(struct rijn_xts *k, const uint8_t *raw) {
  expand_key(k->rk.b, raw, k->rounds);
  expand_key(k->tk.b, raw + 4 * (k->rounds - 6u), k->rounds);
  IN_MEMORY(k->rk.b);
  invert_key(k->dk.b, k->rk.b, k->rounds);
  KEY_END();
}

/* The first XTS_AHEAD tweaks from the unit's own, encrypted, which is in each lane. The first vector has them times
 * x^lane, the next few are steps of x^VB; from 8 blocks on each is one of 8 or 16 blocks before, moved by one or two
 * bytes. */
INLINE void xts_fill(uint8_t *ring, v_t tweak) {
  const int q = 8 / VB;
  EACH(i, XTS_AHEAD / VB, {
    uint8_t *t = ring + VEC * i;
    if (i == 0)
      v_store(t, v_xts_lanes(tweak));
    else if (i < q)
      v_store(t, v_xts_next(v_load(t - VEC)));
    else if (i < 2 * q)
      v_store(t, v_xts_mul(v_load(t - VEC * q), 1));
    else
      v_store(t, v_xts_mul(v_load(t - VEC * 2 * q), 2));
  });
}

#define XTS_ROUND(a, kprev, k) (enc ? v_aes_round(a, kprev, k) : v_aesd_round(a, kprev, k))
#define XTS_LAST(a, kprev, k, t) (enc ? v_aes_last_xor(a, kprev, k, t) : v_aesd_last_xor(a, kprev, k, t))

/* The round keys that passes hold in registers, if BCAST_COSTS (ghash_t.h): the first and the last ten
 * (T-137). */
typedef struct {
  v_t first, nine[9], last;
} xts_held_t;
INLINE xts_held_t xts_hold(const uint8_t *rk, size_t rounds) {
  xts_held_t h = {.first = v_bcast_mem(rk), .last = v_bcast_mem(rk + 16 * rounds)};
  EACH(i, 9, h.nine[i] = v_bcast_mem(rk + 16 * (rounds + i - 9)));
  return h;
}

/* n vectors in flight, their tweaks at t; the tweaks to come go to ahead, unless NO_LAP: none are made. n, lap and enc
 * are constants. held: NULL, or the keys that are not to be read from rk. */
enum { NO_LAP, FIRST_LAP, NEXT_LAP };
INLINE void xts_pass(uint8_t *t, uint8_t *ahead, const uint8_t *rk, unsigned rounds, uint8_t *out, const uint8_t *in,
                     const int n, const int lap, const int enc, const xts_held_t *held) {
  v_t x[MODE_ROOM], k = held ? held->first : v_bcast_mem(rk);
  EACH(i, n, x[i] = v_aes_first_xor(v_load(in + VEC * i), v_load(t + VEC * i), k));
  if (held) {
    AES_LONGER(XTS_ROUND, n, x, k, rk, rounds);
    EACH(r, 9, AES_BY(XTS_ROUND, n, x, k, held->nine[r]));
  } else {
    AES_MIDDLE(XTS_ROUND, n, x, k, rk, rounds);
  }
  v_t k_last = held ? held->last : v_bcast_mem(rk);
  EACH(i, n, {
    v_t tweak = v_load(t + VEC * i);
    v_store(out + VEC * i, XTS_LAST(x[i], k, k_last, tweak));
    if (lap == NEXT_LAP && XTS_RING > XTS_AHEAD)
      tweak = v_load(ahead + VEC * i);
    if (lap == FIRST_LAP)
      v_store(ahead + VEC * i, v_xts_mul(tweak, XTS_AHEAD / 8));
    if (lap == NEXT_LAP)
      v_store(ahead + VEC * i, v_xts_mul(tweak, XTS_RING / 8));
  });
}
#define XTS_PASS(t, ahead, lap) xts_pass(t, ahead, keys, rounds, out, in, MODE_NV, lap, enc, BCAST_COSTS ? &held : NULL)
INLINE v_t xts_vector(v_t a, v_t tweak, const uint8_t *rk, unsigned rounds, const int enc) {
  v_t k = v_bcast_mem(rk), x[MODE_ROOM] = {v_aes_first_xor(a, tweak, k)};
  AES_MIDDLE(XTS_ROUND, 1, x, k, rk, rounds);
  return XTS_LAST(x[0], k, v_bcast_mem(rk), tweak);
}

INLINE b_t xts_block(b_t a, b_t tweak, const uint8_t *rk, unsigned rounds, const int enc) {
  b_t k = b_load(rk);
  a = b_aes_first(b_xor(a, tweak), k);
  for (unsigned r = 1; r < rounds; r++) {
    rk += 16;
    b_t next = b_load(rk);
    a = enc ? b_aes_round(a, k, next) : b_aesd_round(a, k, next);
    k = next;
  }
  rk += 16;
  return enc ? b_aes_last_xor(a, k, b_load(rk), tweak) : b_aesd_last_xor(a, k, b_load(rk), tweak);
}

/* SPEC: IEEE 1619 5.3.2, 5.4.2. Ciphertext stealing: the last whole block and n more bytes, 1 to 15, with tweaks t and
 * t*x. The whole block is done first, in decryption with the later tweak. The first n bytes of what it becomes are the
 * output's end; its other bytes fill up the short block behind its n bytes, and that is done with the other tweak and
 * becomes the output's whole block. The n bytes at the end are read and written together with the bytes before them, as
 * 16. */
INLINE void xts_steal(const uint8_t *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t n, b_t t, int enc) {
  b_t t2 = b_xts_double(t), a = xts_block(b_load(in), enc ? t : t2, rk, rounds, enc);
  b_t rest = b_down(b_load(in + n), 16 - n);
  b_store(out + n, b_up(a, 16 - n));
  a = b_xor(rest, b_up(b_down(a, n), n));
  b_store(out, xts_block(a, enc ? t2 : t, rk, rounds, enc));
}

/* n data units of len bytes, at least 16, with the round keys of their direction. tweaks: one for each unit, encrypted
 * already; or, if tk is not NULL, a single one, to be encrypted with tk. If there is more than one unit each has a
 * multiple of MODE_BYTES. rings: room for two rings then, else for one.
 * The ring of the next unit is filled before this one's last pass. Behind it each step would wait for a port until all
 * rounds are through (T-138). CT: len is public. */
INLINE void xts_units(uint8_t *rings, const uint8_t *keys, const uint8_t *tk, unsigned rounds, uint8_t *out,
                      const uint8_t *in, size_t len, const uint8_t *tweaks, size_t n, const int enc) {
  size_t stolen = len % 16, nblk;
  uint8_t *ring = rings, *next = rings + XTS_BYTES, *t;
  v_t x[MODE_ROOM] = {v_bcast_mem(tweaks)};
  if (tk) {
    v_t k = v_bcast_mem(tk);
    x[0] = v_aes_first(x[0], k);
    AES_MIDDLE(v_aes_round, 1, x, k, tk, rounds);
    x[0] = v_aes_last(x[0], k, v_bcast_mem(tk));
  }
  xts_fill(ring, x[0]);
  xts_held_t held;
  if (BCAST_COSTS && len >= MODE_BYTES) /* less has no pass */
    held = xts_hold(keys, rounds);
  for (;;) {
    size_t at = 0;
    nblk = len / 16 - (stolen != 0);
    for (; at + 16 * XTS_AHEAD < XTS_BYTES && nblk + (stolen != 0) > MODE_BLOCKS; at += MODE_BYTES) {
      XTS_PASS(ring + at, ring + at + 16 * XTS_AHEAD, FIRST_LAP);
      nblk -= MODE_BLOCKS;
      in += MODE_BYTES;
      out += MODE_BYTES;
    }
    for (; nblk + (stolen != 0) > MODE_BLOCKS; at = (at + MODE_BYTES) % XTS_BYTES) {
      XTS_PASS(ring + at, ring + (at + 16 * XTS_AHEAD) % XTS_BYTES, NEXT_LAP);
      nblk -= MODE_BLOCKS;
      in += MODE_BYTES;
      out += MODE_BYTES;
    }
    t = ring + at;
    if (--n == 0)
      break;
    tweaks += 16;
    xts_fill(next, v_bcast_mem(tweaks));
    XTS_PASS(t, NULL, NO_LAP);
    in += MODE_BYTES;
    out += MODE_BYTES;
    uint8_t *swap = ring;
    ring = next;
    next = swap;
  }
  if (nblk == MODE_BLOCKS) {
    XTS_PASS(t, NULL, NO_LAP);
    return;
  }
  for (; nblk >= VB; nblk -= VB, in += VEC, out += VEC) {
    xts_pass(t, NULL, keys, rounds, out, in, 1, NO_LAP, enc, NULL);
    t += VEC;
  }
  if (VB > 1 && nblk) {
    size_t bytes = 16 * nblk;
    v_store_part(out, xts_vector(v_load_part(in, bytes), v_load(t), keys, rounds, enc), bytes);
    t += bytes;
    in += bytes;
    out += bytes;
  }
  if (stolen)
    xts_steal(keys, rounds, out, in, stolen, b_load(t), enc);
}
/* Not inlined: runs of sectors and single data units share it.
 * PORT: and gcc would have too few registers, and use vector registers for pointers, whose way back is AES's port. */
#define XTS_UNITS(name, enc)                                                                                           \
  static __attribute__((noinline)) void name(uint8_t *rings, const uint8_t *keys, const uint8_t *tk, unsigned rounds,  \
                                             uint8_t *out, const uint8_t *in, size_t len, const uint8_t *tweaks,       \
                                             size_t n) {                                                               \
    xts_units(rings, keys, tk, rounds, out, in, len, tweaks, n, enc);                                                  \
  }
XTS_UNITS(xts_enc_units, 1)
XTS_UNITS(xts_dec_units, 0)

static void xts_enc(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16]) {
  _Alignas(VEC) uint8_t ring[XTS_BYTES];
  xts_enc_units(ring, k->rk.b, k->tk.b, k->rounds, out, in, len, tweak, 1);
  if (FEW_REGISTERS)
    burn_384();
  wipe(ring, sizeof ring);
  CLEAR_REGS();
}
static void xts_dec(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16]) {
  _Alignas(VEC) uint8_t ring[XTS_BYTES];
  xts_dec_units(ring, k->dk.b, k->tk.b, k->rounds, out, in, len, tweak, 1);
  if (FEW_REGISTERS)
    burn_384();
  wipe(ring, sizeof ring);
  CLEAR_REGS();
}

/* n vectors of tweaks are encrypted where they lie. */
INLINE void xts_encrypt_tweaks(uint8_t *t, const uint8_t *rk, unsigned rounds, const int n) {
  v_t x[MODE_ROOM], k = v_bcast_mem(rk);
  EACH(i, n, x[i] = v_aes_first(v_load(t + VEC * i), k));
  AES_MIDDLE(v_aes_round, n, x, k, rk, rounds);
  v_t k_last = v_bcast_mem(rk);
  EACH(i, n, v_store(t + VEC * i, v_aes_last(x[i], k, k_last)));
  IN_MEMORY(rk); /* CT: no key is kept for the next pass */
}

/* A run of sectors: the tweaks of up to XTS_RUN sectors are encrypted side by side; then nothing that a sector does
 * waits for the sector before it, and the processor overlaps neighbours. */
enum { XTS_RUN = 32 };
INLINE void xts_run(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s, int enc) {
  _Alignas(VEC) uint8_t rings[2 * XTS_BYTES], tweaks[16 * XTS_RUN];
  uint64_t number = s->first;
  for (size_t done = 0; done < s->n;) {
    size_t run = s->n - done < XTS_RUN ? s->n - done : XTS_RUN, vecs = (run + VB - 1) / VB;
    if (s->tweaks) {
      memcpy(tweaks, s->tweaks + 16 * done, 16 * run);
    } else {
      for (size_t i = 0; i < run; i++, number += s->step)
        b_store(tweaks + 16 * i, b_le64(number));
    }
    size_t i = 0;
    for (; vecs - i >= MODE_NV; i += MODE_NV)
      xts_encrypt_tweaks(tweaks + VEC * i, k->tk.b, k->rounds, MODE_NV);
    for (; i < vecs; i++)
      xts_encrypt_tweaks(tweaks + VEC * i, k->tk.b, k->rounds, 1);
    if (enc)
      xts_enc_units(rings, k->rk.b, NULL, k->rounds, out, in, s->size, tweaks, run);
    else
      xts_dec_units(rings, k->dk.b, NULL, k->rounds, out, in, s->size, tweaks, run);
    done += run;
    in += run * s->size;
    out += run * s->size;
  }
  if (FEW_REGISTERS)
    burn_384();
  wipe(rings, sizeof rings);
  wipe(tweaks, sizeof tweaks);
}
static void xts_enc_sectors(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s) {
  xts_run(k, out, in, s, 1);
  CLEAR_REGS();
}
static void xts_dec_sectors(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s) {
  xts_run(k, out, in, s, 0);
  CLEAR_REGS();
}
#undef XTS_ROUND
#undef XTS_UNITS
#undef XTS_LAST
#undef XTS_PASS
