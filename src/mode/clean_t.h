/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: clearing the stack below the caller, for all modes. Parameters:
 *   VECTOR_BLOCKS  blocks in a vector
 *   FEW_REGISTERS  so few vector registers that every mode needs more (from REGISTERS)
 *   FRAME_MORE     bytes more, where frames are larger: POWER's functions save up to thirty registers, and where a pass
 *                  has more blocks a long GCM message has more rows for its end
 *
 * WHY: a compiler that runs out of vector registers puts some on the stack, secrets among them, and tells nobody. So a
 * body of work that may need more registers than there are is a function of its own, not inlined, and its caller calls
 * burn_N behind it: the stack is as high as it was, so the frame of burn_N lies over that of the body, and it writes
 * zeros into N bytes of it. How many bytes a body needs is found by test/portable/residue.c, which looks at what is
 * left.
 */
#define NOINLINE static __attribute__((noinline))

/* Clears `bytes` bytes of frame, and eight more behind them. turns: how often the loop goes round; the stores of a turn
 * are written out. Both are constants.
 * The end of a loop over all was mispredicted; that of a few turns is not (T-153). */
INLINE void burn_frame(uint8_t *frame, const int bytes, const int turns) {
  uint8_t *p = frame;
  v_store(frame + bytes + 8 - 16 * VECTOR_BLOCKS, v_zero());
  do {
    _Pragma("GCC unroll 72") for (int i = 0; i < bytes / turns; i += 16 * VECTOR_BLOCKS) v_store(p + i, v_zero());
    p += bytes / turns;
    __asm__ volatile("" : "+r"(p)::"memory");
  } while (turns > 1 && p != frame + bytes);
}
/* A function that does so, with a frame of that size. The eight bytes more reach up to the return address: that is
 * where a function's first push went, be it of a register with leftovers, only to align its stack. PORT: i386 aligns to
 * 4, or there would be a gap. */
#define BURN_BYTES(name, bytes, turns)                                                                                 \
  _Static_assert((bytes) % ((turns)*16 * VECTOR_BLOCKS) == 0, "the stores of a turn end with it");                     \
  NOINLINE __attribute__((unused)) void name(void) {                                                                   \
    _Alignas(FEW_REGISTERS ? 4 : 16) uint8_t frame_[(bytes) + 8];                                                      \
    burn_frame(frame_, bytes, turns);                                                                                  \
  }
BURN_BYTES(burn_256, 256 + FRAME_MORE, 1)
BURN_BYTES(burn_384, 384 + FRAME_MORE, 1)
BURN_BYTES(burn_640, 640 + FRAME_MORE, VECTOR_BLOCKS == 2 ? 2 : 1)
BURN_BYTES(burn_1152, 1152 + FRAME_MORE, VECTOR_BLOCKS == 4 || FRAME_MORE < 0 ? 2 : 4)
