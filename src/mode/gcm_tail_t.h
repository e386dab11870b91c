/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: the end of a GCM message (SP 800-38D 7.1, 7.2), and all of a short one: the tail. Included by gcm_t.h,
 * which has its words. Parameters: those of gcm_t.h, and
 *   V_MASKED  1: a load or store of a part of a vector is an instruction; 0: it is many
 *   TAIL_FROM how many vectors the last group has at least: 1; or 2 where V_MASKED is 1 and GCM_NARROW has the messages
 *             of less than a vector. At most it has three more
 *   TAIL_JOINED  1, where V_MASKED and GCM_ROUND1 are 1: the last groups of all sizes join behind their AES, and what
 *             multiplies comes once, first for the group before; groups keep round keys in registers. 0: each size has
 *             its own multiplies
 *
 * The tail is cut into groups. Text lies in vectors as it lies in memory; only the last lane of the last vector is not
 * for text: there J0 is encrypted, at no cost. All lanes are hashed as they stand, each times its own power, and added
 * up. With vectors of four lanes and text of seven blocks T1 .. T7 (the last one filled up with zeros), A the
 * associated data as one block, and L the lengths:
 *
 *     lane          0          1          2          3
 *     vector 0      T1 H^8     T2 H^7     T3 H^6     T4 H^5
 *     vector 1      T5 H^4     T6 H^3     T7 H^2     J0: not in the sum, its keystream is added to the tag
 *     before        A  H^9                           L  H^1
 *
 * The products of A and L are made before the cipher is done, for the place of a block in a sum is free as long as its
 * power goes with it. So a short message is one sum with one reduction, whatever its length, and no lane has to move.
 * Where the powers do not reach for all of it, up to GCM_REACH bytes are several such sums, one after the other.
 *
 * REJECTED: J0 and the associated data in lane 0, text behind it. It had to be turned by shuffles there and back:
 * 16, 64, 200 bytes 33, 48, 81 cycles instead of 28, 41, 66.
 * REJECTED: the lengths and the associated data in spare lanes of the last vector. Four multiplies fewer, but these
 * wait for the cipher, and the others do not: 64 bytes 43 cycles instead of 40.
 * REJECTED: J0 by itself in 128 bits where the last vector has no lane to spare. On Zen 4 128 bytes took 7 to 10 % more
 * cycles, 256 to 1024 were level, 320 took 3 to 10 % fewer. But if TAIL_JOINED it is by itself where no text is left
 * beside it, behind passes or a full group, and for associated data alone: 512 bytes in 9 to 11 % fewer, 4096 in 3, and
 * GMAC of 64 bytes to 1 KB in 11 to 26 % fewer. REJECTED: wherever no lane is to spare: 320 bytes in 3 to 7 % fewer,
 * 128 and 192 in 2 to 6 % more, 512 to 1024 in 2 to 7 % more.
 *
 * Encrypted with AVX-512, a group is hashed behind the AES of the next (gcm_call_t.h), so that it waits for nothing,
 * and does not stand before that AES in the scheduler. If TAIL_JOINED so is the last but one, whose ciphertext the last
 * reads back: 320 to 500 bytes in 4 to 8 % fewer cycles on Zen 4. REJECTED: handed on in registers, which were too few
 * then. One function for short messages too, which would have 28 registers to clear: up to 300 bytes in 2 to 11 % more.
 * The last pass of a long message so as well: 2064 to 4095 bytes in 2 to 4 % fewer, 320 to 512 in 1 to 3 % more; half
 * of it: 250 bytes of code, 1 to 4 % fewer.
 * REJECTED: the first group's AES before the loop, and the last hash behind it: 840 bytes more, and no faster; with
 * AVX2 too: up to 544 bytes in 1 to 7 % more cycles; one function for both directions: 300 to 800 bytes in 2 to 5 %
 * more. Longer messages by such groups, with a reduction where the powers end: 4096 bytes as passes have it, 8192 bytes
 * 9 % more.
 */
/* Vectors of the last group at most, bytes of a vector, bytes of text in the last group. REJECTED: 3 vectors (200 bytes
 * with 512-bit vectors 68 cycles instead of 63). Without masks: 5, 6 (256-bit vectors on Zen 4: 400 bytes in 12 to 22 %
 * more), 8 (encrypted, 112 to 128, 256 and 368 bytes in 5 to 11 % fewer, decrypted, 128, 256 and 500 in 6 to 9 % more,
 * and 1 KB more of code). */
enum { TAIL_ALL = FEW_REGISTERS ? 4 : 7, TAIL_TV = V_MASKED ? TAIL_FROM + 3 : TAIL_ALL };
enum { TAIL_V = 16 * VB, TAIL_LAST = TAIL_TV * TAIL_V - 16 };
/* Vectors of any other group: one fewer, so that of more than TAIL_LAST bytes some are left for the last group, and
 * with them the text's end; and their bytes.
 * If TAIL_JOINED: added to the length that is handed to the last group, if the one before is yet to be hashed; and how
 * many round keys, the last ones, all groups but the last keep in registers. PERF: on Zen 4, where it costs to spread
 * one, 1 to 2 KB in 3 to 5 % fewer cycles; read by the first group where it needs them: before it 256 to 500 bytes took
 * 3 to 5 % more. REJECTED: 7, 1 to 2 % fewer still, but 130 bytes more in each direction, and more registers to clear.
 * All of them spread in the key, so that a load is free: 1 to 3 % fewer, but 1 KB more of key, whose set-up takes 6 %
 * longer, and 900 bytes of code. */
enum { TAIL_GROUP = TAIL_TV - 1, TAIL_STEP = TAIL_GROUP * TAIL_V, TAIL_WAITS = 4096, TAIL_HELD = 5 };
/* Bytes of text that the powers reach in one sum (two powers are the lengths' and the associated data's), and in a sum
 * that another follows: whole groups, and so many that the last group is not among them. */
enum { TAIL_REACH = 16 * (GCM_POWERS - 2), TAIL_SUM = (TAIL_REACH - TAIL_LAST) / TAIL_STEP * TAIL_STEP };
_Static_assert((GCM_REACH / 16 / VB + 1) * VB < (GCM_ROUND1 ? (int)GCM_ROWS : RIJN_COUNTERS), "too few counters");
_Static_assert(!TAIL_LATE || GCM_REACH >= (int)PASS, "a message with passes may have none that is hashed late");

typedef struct {
  sum_t s;  /* the sum; at the start the products of the lengths and of the associated data, or what the passes left */
  v_t base; /* gcm_base() */
  const uint8_t (*ctr)[16]; /* the row (of the key's round1, rijn_counters, or gcm_long's) of the next block of text */
  const uint8_t *pow;       /* powers, from that of this block on */
  v_t held[9];              /* if TAIL_JOINED: the last TAIL_HELD round keys */
  sum_t last;               /* of several sums, what the last begins with: the product of the lengths */
} tail_t;
/* Where the powers begin if n bytes are left in a sum: with that of their first block. What goes with a power in aux
 * lies TAIL_AUX bytes behind it. */
enum { TAIL_AUX = GF_AUX ? offsetof(struct rijn_hpow, aux) : 0 };
INLINE const uint8_t *tail_pow(const struct rijn_gcm *k, size_t n) {
  return (const uint8_t *)k->h.pow + (16 * (N_POW - 1) - ((n + 15) & ~(size_t)15));
}
/* The row of J0. */
#define TAIL_J0(k) b_load(GCM_ROUND1 ? (k)->round1[0] : *COUNTERS(1))
/* n bytes are left, and a sum begins: how many of them does it take? */
INLINE size_t tail_sum(size_t n) { return GCM_REACH > TAIL_REACH && n > TAIL_REACH ? TAIL_SUM : n; }

#if V_MASKED
/* The next sum, with n bytes left. It begins with the result of the one before, times H as often as this one has blocks
 * of text. The factor H more, for the lengths, is in that result already: in each sum the last block has H^2.
 * PERF: behind the AES of a group, which then has not to wait. REJECTED: before it: 1420 bytes in 7 % more cycles, not
 * 4; at the end, with both sums kept: 200 bytes with 256-bit vectors 5 % more. */
INLINE void tail_next(tail_t *g, const struct rijn_gcm *k, size_t n) {
  v_t before = gf_reduce(g->s);
  g->pow = tail_pow(k, tail_sum(n));
  g->s = tail_sum(n) == n ? g->last : gf_zero();
  gf_mac(&g->s, before, v_bcast_mem(g->pow + 16), v_bcast_mem(g->pow + 16 + TAIL_AUX));
}
/* Is vector i of a group of c full of text, so that it needs no mask? */
#define TAIL_WHOLE(i) (!last || (i) < c - 2 || ((i) == c - 2 && n >= at))

/* Ciphertext d[i], as it lies in memory, goes into the sum: together with the one before (two), or alone (one), or when
 * the next one comes. */
INLINE void tail_mac(tail_t *g, v_t *d, int i, const int two, const int one) {
  const uint8_t *p = g->pow + TAIL_V * i;
  d[i] = v_bswap(d[i]);
  if (two)
    gf_mac2(&g->s, d[i - (i > 0)], v_load(p - TAIL_V), v_load(p - TAIL_V + TAIL_AUX), d[i], v_load(p),
            v_load(p + TAIL_AUX));
  else if (one)
    gf_mac(&g->s, d[i], v_load(p), v_load(p + TAIL_AUX));
}
/* A group that is not the last goes into the sum; n bytes are left with it. The place tail_pow(k, 0), where nothing is
 * left in a sum, says that one is full, and the next has to begin. */
INLINE void tail_hash(tail_t *g, const struct rijn_gcm *k, v_t *d, size_t n) {
  if (GCM_REACH > TAIL_REACH && __builtin_expect(g->pow == tail_pow(k, 0), 0))
    tail_next(g, k, n);
  EACH(i, TAIL_GROUP, tail_mac(g, d, i, i % 2 == 1, i == TAIL_GROUP - 1));
  g->pow += TAIL_STEP;
}
/* A group: c vectors of the n bytes of text left; the last group takes all of them, and J0. Ciphertext goes to d; in
 * the last group into the sum as well, unless TAIL_JOINED. c, last and enc are constants. first: if TAIL_JOINED, no
 * group was before. Returns the last vector of keystream, of which E(J0) is the last lane. */
INLINE v_t tail_group(tail_t *g, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t n, v_t *d,
                      const int c, const int last, const int enc, int first) {
  v_t x[9]; /* 9: what EACH can reach */
  /* Rounds written out: in groups with keys in registers those that have them. PERF: where passes are long and so
   * groups have not room for all: 300 to 2048 bytes in up to 1 % more cycles. */
  const int left = last || (GF_KARATSUBA != 3 && !TAIL_JOINED) ? 10 - GCM_ROUND1 : TAIL_HELD;
  const size_t at = TAIL_V * (size_t)(c - 1);
  /* The last vector has some. Else nothing is loaded or stored: through a mask, where there is no page, microcode would
   * have to leave out the fault. */
  const int text = !last || (c == 1 ? __builtin_expect(n > 0, 1) : n > at);
  /* The mask of the text's last bytes, if they fill no vector. PERF: one for all loads and stores: to make one takes a
   * cycle of what AES wants; two for each vector took 200 bytes 2 cycles more, and 400 bytes of code. Where there is no
   * room, or for the half of the groups' sizes, it is made before it is known whether one is needed: a cycle more where
   * none is. */
  v_mask_t part = GF_KARATSUBA == 3 && (TAIL_FROM == 1 || c % 2 == 0) ? V_MASK(n % TAIL_V) : 0;
  (void)part;
  EACH(i, c, {
    v_t ctr = v_load(g->ctr + VB * i);
    x[i] = v_xor(g->base, last && i == c - 1 ? v_with_last(ctr, TAIL_J0(k)) : ctr);
  });
  EACH(i, c, {
    d[i] = v_zero();
    if (TAIL_WHOLE(i))
      d[i] = v_load(in + TAIL_V * i);
    else if (i < c - 1 || text)
      part = V_MASK(n % TAIL_V), d[i] = v_load_mask(in + TAIL_V * i, part);
  });
  AES_XOR(c, x, d[i], k->rk.b, k->rounds, GCM_ROUND1, left, TAIL_JOINED && !last ? g->held : (v_t *)NULL, first);
  EACH(i, c, {
    if (i < c - 1 || text) {
      d[i] = enc ? x[i] : d[i];
      if (TAIL_WHOLE(i)) {
        v_store(out + TAIL_V * i, x[i]);
      } else {
        v_store_mask(out + TAIL_V * i, x[i], part);
        d[i] = enc ? v_keep_mask(x[i], part) : d[i];
      }
      if (last && !TAIL_JOINED)
        tail_mac(g, d, i, i % 2 == 1 && i != c - 1, i >= c - 2 + c % 2);
    }
  });
  return x[c - 1];
}

/* The last group: what is left of a message, at most TAIL_LAST bytes. waits: if TAIL_JOINED, not 0 where the group
 * before is yet to be hashed. Returns the tag. */
INLINE b_t tail_all(tail_t *g, const struct rijn_gcm *k, uint8_t **to, const uint8_t *in, size_t *n, const int enc) {
  v_t d[9], w[9];
  uint8_t *out = *to;
  size_t waits = TAIL_JOINED && enc ? *n & TAIL_WAITS : 0, len = *n - waits;
  g->pow = tail_pow(k, len);
#define TAIL_END(c) tail_group(g, k, out, in, len, d, c, 1, enc, 0)
  EACH(i, TAIL_JOINED ? TAIL_TV : 0, d[i] = v_zero());
  b_t j0 = TAIL_JOINED ? b_xor(v_first(g->base), b_load(k->round1[0])) : b_zero(); /* after round 1 */
  v_t end = TAIL_JOINED && __builtin_expect(!len, 0) ? v_with_last(v_zero(), b_rounds(j0, k->rk.b + 16, k->rounds - 1u))
            : len <= TAIL_FROM * TAIL_V - 16         ? TAIL_END(TAIL_FROM)
            : len <= (TAIL_FROM + 1) * TAIL_V - 16   ? TAIL_END(TAIL_FROM + 1)
            : len <= (TAIL_FROM + 2) * TAIL_V - 16   ? TAIL_END(TAIL_FROM + 2)
                                                     : TAIL_END(TAIL_TV);
  if (TAIL_JOINED) {
    __asm__("" : "+r"(len)); /* PORT: else gcc makes a copy of all below for each group above */
    if (__builtin_expect(waits != 0, 0)) {
      g->pow -= TAIL_STEP;
      /* PORT: not tail_hash, for clang has too few registers when all are loaded first. */
      EACH(i, TAIL_GROUP, w[i] = v_load(out - TAIL_STEP + TAIL_V * i);
           tail_mac(g, w, i, i % 2 == 1, i == TAIL_GROUP - 1));
      g->pow += TAIL_STEP;
    }
    EACH(i, TAIL_TV, {
      if (len > TAIL_V * i || (i % 2 == 0 && i < TAIL_TV - 1))
        tail_mac(g, d, i, i % 2 == 1, i == TAIL_TV - 1);
      else if (i % 2 == 1 && len > TAIL_V * (i - 1))
        gf_mac(&g->s, d[i - (i > 0)], v_load(g->pow + TAIL_V * (i - 1)), v_load(g->pow + TAIL_V * (i - 1) + TAIL_AUX));
    });
  }
  return v_fold128(v_xor_last(v_bswap(gf_reduce(g->s)), end));
}

#else
/* Without masks groups are as large as registers allow, and text is handled behind the AES of all of them, vector by
 * vector, in code that all sizes share. PERF: on Zen 4, which looks ahead some 64 operations and so has one group in
 * its AES units at a time, beside groups of three vectors, a last one of four, and text, part and multiplies in the
 * code of each size: AES-NI 63 to 320 bytes in 8 to 23 % fewer cycles, 500 in 1 to 6 %; 256-bit vectors 128 to 544 in 8
 * to 20 %, 1420 in 2 to 4 %; less code. 16 to 48 bytes 0 to 7 % more.
 * REJECTED: multiplies one group later, as with masks: 500 bytes in 4 % fewer, 128 to 300 in 3 to 9 % more. Groups of
 * six before those: 128 to 320 bytes in 3 to 14 % fewer, and 2 KB more. */

/* A vector of text, or its last n bytes: x is the keystream. Ciphertext goes into the sum.
 * PORT: without the pins gcc works on several vectors at a time, and then has a register too few. */
INLINE void tail_text(tail_t *g, uint8_t *out, const uint8_t *in, v_t x, size_t n, const int enc) {
  v_t d = n == TAIL_V ? v_load(in) : v_load_part(in, n), c = v_xor(x, d);
  n == TAIL_V ? v_store(out, c) : v_store_part(out, c, n);
  d = v_bswap(!enc ? d : n == TAIL_V ? c : v_keep(c, n));
  gf_mac(&g->s, d, v_load(g->pow), v_load(g->pow + TAIL_AUX)), g->pow += TAIL_V;
  PIN(g->s.lo);
  PIN(g->s.mid);
  PIN(g->s.hi);
}
/* The keystream of c vectors, of which, if j0, the last lane is E(J0), into x; that one into x[TAIL_TV - 1] as well.
 * PERF: J0 goes to its lane from memory: from a register that is a shuffle, and AES would wait for it (v_nonce_first).
 * All rounds are written out for up to two vectors, or four of two blocks: 64 to 112 bytes in 1 to 4 % fewer cycles.
 * REJECTED: four, five, of one block: 32 bytes in 3 % fewer, 63 to 128 in up to 2 % more or fewer.
 * PORT: a function, for gcc 11 puts a pragma out of its place that is in an argument of EACH. */
INLINE void tail_aes(const tail_t *g, const struct rijn_gcm *k, v_t *x, const int c, int j0) {
  v_t y[9];
  EACH(i, c, y[i] = v_xor(g->base, v_load(g->ctr + VB * i)));
  if (j0)
    y[c - 1] = v_xor(g->base, v_with_last(v_load(g->ctr + VB * (c - 1)), TAIL_J0(k)));
  AES_XOR(c, y, v_zero(), k->rk.b, k->rounds, GCM_ROUND1, (c > 2 * VB ? 2 : 10) - GCM_ROUND1, (v_t *)NULL, 0);
  EACH(i, VB == 1 ? c - 1 : c, x[i] = y[i]); /* a block that is J0 is no text */
  x[TAIL_TV - 1] = y[c - 1];
}
/* E(J0) by itself: encrypted, where text leaves it no room in a group's last vector (T-270). */
INLINE b_t tail_j0(const tail_t *g, const struct rijn_gcm *k) {
  return b_rounds(b_xor(v_first(g->base), TAIL_J0(k)), k->rk.b + 16 * GCM_ROUND1, k->rounds - GCM_ROUND1);
}
/* What is left of a message, of any length: groups of TAIL_TV vectors of text, and one with J0, which may have text
 * too. *len is what is left before a group: if that is at most TAIL_LAST, J0 is in it. Moves *out on by whole vectors,
 * and *len to what was left behind them. If the sign bit of *len is set (gcm_long), its lower half is the length, and
 * the last pass is yet to be hashed. Returns the tag.
 * PERF: short messages take as many cycles as they have instructions, six in each; so there is no state here but what
 * is there anyhow, for its registers would be saved, and what is never looked at is ANY_VALUE: 16 to 48 bytes with
 * AES-NI in 4 to 12 % fewer cycles. The last pass is hashed under the AES of what follows: 336 to 600 bytes in 5 to
 * 13 % fewer, 1420 in 1 to 8 %. REJECTED: groups of 6, 5, 4: 200 bytes in 1, 3, 5 % more, 500 in 0 to 1 % fewer. Where
 * a group of seven would leave one to four vectors, two of about equal size: 112 and 128 bytes in 2 to 5 % fewer, 16 to
 * 64 in 0 to 2 % more, and with the sizes reckoned out in 5 % more. AES-NI up to 544 bytes as two sums without passes:
 * 368 bytes level, 500 in 2 % more. */
INLINE b_t tail_all(tail_t *g, const struct rijn_gcm *k, uint8_t **out, const uint8_t *in, size_t *len, const int enc) {
  v_t x[9];
  uint32_t n = (uint32_t)*len;
  g->pow = tail_pow(k, n);
next:
  PIN(g->base); /* PORT: else gcc keeps its sum with J0, on the stack */
  EACH(i, TAIL_TV, ANY_VALUE(x[i]));
  EACH(c, TAIL_TV, {
    if (n <= TAIL_V * (c + 1u) - 16 || c + 1 == TAIL_TV) {
      tail_aes(g, k, x, c + 1, c + 1 < TAIL_TV || n <= TAIL_LAST);
      goto joined;
    }
  });
joined:
  if (enc && TAIL_LATE && __builtin_expect((ptrdiff_t)*len < 0, 0))
    _Pragma("GCC unroll 1") for (size_t i = PASS; i; i -= TAIL_V)
        gf_mac(&g->s, v_bswap(v_load(*out - i)), v_load(g->pow - i), v_load(g->pow - i + TAIL_AUX));
  EACH(i, TAIL_TV, {
    x[0] = x[i];
    if (n < TAIL_V && (enc || i < TAIL_TV - 1 || n <= TAIL_V - 16))
      goto part;
    if (n < TAIL_V)
      goto more; /* goes with J0, for which there was no room */
    tail_text(g, *out, in, x[0], TAIL_V, enc), in += TAIL_V, *out += TAIL_V, n -= TAIL_V;
    __asm__("" : "+r"(n)); /* PORT: this pin and the next: else gcc reckons all seven before, in saved registers */
  });
  __asm__("" : "+r"(g->pow));
  g->ctr += VB;
more:
  g->ctr += VB * (TAIL_TV - 1), *len = n;
  goto next;
part:
  if (enc && __builtin_expect((uint32_t)*len > TAIL_LAST, 0)) /* so much text left J0 no room in the last vector */
    x[TAIL_TV - 1] = v_with_last(v_zero(), tail_j0(g, k));
  if (n)
    tail_text(g, *out, in, x[0], n, enc);
  *len = n;
  return v_fold128(v_xor_last(v_bswap(gf_reduce(g->s)), x[TAIL_TV - 1]));
}
#endif

/* The text of a message that is not authentic is not handed out. */
NOINLINE int tail_forged(uint8_t *out, size_t len) {
  memset(out, 0, len);
  return -1;
}
