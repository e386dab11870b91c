/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: clearing the stack below the caller, for all modes. Parameters:
 *   VECTOR_BLOCKS  blocks in a vector
 *   FEW_REGISTERS  so few vector registers that every mode needs more (from REGISTERS)
 *   FRAME_MORE     bytes more, where frames are larger: POWER's functions save up to thirty registers, and where a pass
 *                  has more blocks a long GCM message has more rows for its end
 *
 * WHY: a compiler that runs out of vector registers puts some on the stack, secrets among them, and tells nobody. So a
 * body of work that may need more registers than there are is a function of its own, not inlined, and its caller then
 * calls zero_stack_N: the stack pointer is the same, so that frame lies over the frame of the body, and
 * it writes zeros into N bytes of it. How many bytes a body needs is found by test/portable/residue.c, which looks at
 * what is left.
 */
#define NOINLINE static __attribute__((noinline))

/* Clears `bytes` bytes of frame, and eight more behind them. turns: how often the loop goes round; the stores of a turn
 * are written out. Both are constants.
 * The end of a loop over all was mispredicted; that of a few turns is not (T-153). */
INLINE void zero_frame(uint8_t *frame, const int bytes, const int turns) {
  uint8_t *p = frame;
  v_store(frame + bytes + 8 - VECTOR_BYTES, v_zero());
  do {
    _Pragma("GCC unroll 72") for (int i = 0; i < bytes / turns; i += VECTOR_BYTES) v_store(p + i, v_zero());
    p += bytes / turns;
    __asm__ volatile("" : "+r"(p)::"memory");
  } while (turns > 1 && p != frame + bytes);
}
/* A function that does so, with a frame of that size. The eight bytes more reach up to the return address: the
 * function that is cleared may have pushed a register there. PORT: i386 aligns to 4, else there is a gap. */
#define ZERO_STACK(name, bytes, turns)                                                                                 \
  _Static_assert((bytes) % ((turns)*VECTOR_BYTES) == 0, "the stores of a turn end with it");                           \
  NOINLINE __attribute__((unused)) void name(void) {                                                                   \
    _Alignas(FEW_REGISTERS ? 4 : 16) uint8_t frame_[(bytes) + 8];                                                      \
    zero_frame(frame_, bytes, turns);                                                                                  \
  }
ZERO_STACK(zero_stack_256, 256 + FRAME_MORE, 1)
ZERO_STACK(zero_stack_384, 384 + FRAME_MORE, 1)
ZERO_STACK(zero_stack_640, 640 + FRAME_MORE, VECTOR_BLOCKS == 2 ? 2 : 1)
ZERO_STACK(zero_stack_1152, 1152 + FRAME_MORE, VECTOR_BLOCKS == 4 || FRAME_MORE < 0 ? 2 : 4)
