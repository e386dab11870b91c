/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: XTS (IEEE 1619, SP 800-38E). Parameters as in modes_t.h.
 *
 * The tweaks lie on the stack, in the order of the blocks, in a ring: a pass reads those of its blocks and writes those
 * that are XTS_AHEAD blocks on. As long as the ring has been gone round not once, these are the ones read, times
 * x^XTS_AHEAD; from then on those that lie there, times x^XTS_RING. Both are shifts by whole bytes; each vector has its
 * own chain, so nothing waits.
 * PERF: x^64 is the cheapest: a half moves up, and the other, times 0x87, comes in. A ring of 64 gains 5 % at 64 KiB
 * with one or two blocks a vector; with four it gains nothing, for AES has a port of its own.
 * CT: a tweak is a secret: the ring is wiped.
 */
enum { XTS_AHEAD = MODE_BLOCKS < 8 ? 8 : MODE_BLOCKS, XTS_RING = VB == 4 ? XTS_AHEAD : 64, XTS_BYTES = 16 * XTS_RING };

static void xts_init(struct rijn_xts *k, const uint8_t *raw) {
  expand_key(k->rk.b, raw, k->rounds);
  expand_key(k->tk.b, raw + (k->rounds == 10 ? 16 : 32), k->rounds);
  IN_MEMORY(k->rk.b);
  invert_key(k->dk.b, k->rk.b, k->rounds);
  KEY_END();
}

/* The first XTS_AHEAD tweaks from the unit's own, which is in each lane: whole bytes from the vectors that came 8 or 16
 * blocks before. */
INLINE void xts_fill(uint8_t *ring, v_t tweak) {
  const int q = 8 / VB;
  EACH(i, XTS_AHEAD / VB, {
    uint8_t *t = ring + VEC * i;
    v_store(t, i == 0      ? v_xts_lanes(tweak)
               : i < q     ? v_xts_next(v_load(t - VEC))
               : i < 2 * q ? v_xts_mul(v_load(t - VEC * q), 1)
                           : v_xts_mul(v_load(t - VEC * 2 * q), 2));
  });
}

#define XTS_ROUND(a, kprev, k) (enc ? v_aes_round(a, kprev, k) : v_aesd_round(a, kprev, k))
#define XTS_LAST(a, kprev, k, t) (enc ? v_aes_last_xor(a, kprev, k, t) : v_aesd_last_xor(a, kprev, k, t))

/* n vectors in flight, their tweaks at t; those to come go to ahead, if FIRST_LAP by way of t. n, lap and enc are
 * constants. */
enum { NO_LAP, FIRST_LAP, NEXT_LAP };
INLINE void xts_pass(uint8_t *t, uint8_t *ahead, const uint8_t *rk, unsigned rounds, uint8_t *out, const uint8_t *in,
                     const int n, const int lap, const int enc) {
  v_t x[MODE_ROOM], k = v_bcast_mem(rk);
  EACH(i, n, x[i] = v_aes_first_xor(v_load(in + VEC * i), v_load(t + VEC * i), k));
  AES_MIDDLE(XTS_ROUND, n, x, k, rk, rounds);
  v_t k_last = v_bcast_mem(rk);
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
#define XTS_PASS(t, ahead, lap) xts_pass(t, ahead, keys, rounds, out, in, MODE_NV, lap, enc)
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

/* SPEC: IEEE 1619 5.3.2, 5.4.2. Ciphertext stealing: the last whole block and n more bytes, tweaks t and t*x. The whole
 * one is done first, decryption with the later tweak; its first n bytes become the output's end, and the others fill up
 * the short one. The short one is read and written with the bytes before it, as 16. */
INLINE void xts_steal(const uint8_t *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t n, b_t t, int enc) {
  b_t t2 = b_xts_double(t), rest = b_down(b_load(in + n), 16 - n);
  b_t a = xts_block(b_load(in), enc ? t : t2, rk, rounds, enc);
  b_store(out + n, b_up(a, 16 - n));
  a = b_xor(rest, b_up(b_down(a, n), n));
  b_store(out, xts_block(a, enc ? t2 : t, rk, rounds, enc));
}

/* n data units of len bytes, at least 16, with the keys of their direction. tweaks: n, encrypted, or one to be
 * encrypted with tk. More than one unit have a multiple of MODE_BYTES each. rings: two for these, else one.
 * PERF: the ring of the next unit is filled before this one's last pass. Behind it each step would wait for a port
 * until all rounds are through. CT: len is public. */
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
  for (;;) {
    size_t at = 0;
    nblk = len / 16 - (stolen != 0);
    for (; at + 16 * XTS_AHEAD < XTS_BYTES && nblk + (stolen != 0) > MODE_BLOCKS; at += MODE_BYTES) {
      XTS_PASS(ring + at, ring + at + 16 * XTS_AHEAD, FIRST_LAP);
      nblk -= MODE_BLOCKS, in += MODE_BYTES, out += MODE_BYTES;
    }
    for (; nblk + (stolen != 0) > MODE_BLOCKS; at = (at + MODE_BYTES) % XTS_BYTES) {
      XTS_PASS(ring + at, ring + (at + 16 * XTS_AHEAD) % XTS_BYTES, NEXT_LAP);
      nblk -= MODE_BLOCKS, in += MODE_BYTES, out += MODE_BYTES;
    }
    t = ring + at;
    if (--n == 0)
      break;
    tweaks += 16;
    xts_fill(next, v_bcast_mem(tweaks));
    XTS_PASS(t, NULL, NO_LAP);
    in += MODE_BYTES, out += MODE_BYTES;
    uint8_t *swap = ring;
    ring = next, next = swap;
  }
  if (nblk == MODE_BLOCKS) {
    XTS_PASS(t, NULL, NO_LAP);
    return;
  }
  for (; nblk >= VB; nblk -= VB, t += VEC, in += VEC, out += VEC)
    xts_pass(t, NULL, keys, rounds, out, in, 1, NO_LAP, enc);
  if (VB > 1 && nblk) {
    size_t bytes = 16 * nblk;
    v_store_part(out, xts_vector(v_load_part(in, bytes), v_load(t), keys, rounds, enc), bytes);
    t += bytes, in += bytes, out += bytes;
  }
  if (stolen)
    xts_steal(keys, rounds, out, in, stolen, b_load(t), enc);
}
/* Not inlined: sectors and single data units share it.
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
    done += run, in += run * s->size, out += run * s->size;
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
