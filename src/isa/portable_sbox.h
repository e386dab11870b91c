/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The AES S-box and its inverse as circuits: 8 words in, 8 words out, bit i of every byte in word q[i].
 *
 * Both are   linear layer -> inversion in GF(2^8) -> linear layer.   The inversion sees 22 sums y of input bits and
 * hands back 18 products z; it works in GF(((2^2)^2)^2), and is the same for both directions.
 *
 * Forward: the straight-line program of J. Boyar and R. Peralta, "A new combinational logic minimization technique
 * with applications to cryptology" (SEA 2010), 115 gates; four complements fall away here.
 * Inverse: S^-1 = A^-1 . inv . A^-1 with the affine map's linear part A, so that the layers are the forward ones
 * composed with A^-1. Their matrices were reduced again by the same authors' greedy method (the lower one as its
 * transpose): 23 + 29 XORs, where the published inverse has 121 gates, this one 114.
 *
 * The constant 0x63 is left out on both sides: round keys carry it (see portable_aes.h).
 *
 * The including file defines word: any type with ^ and &. */

/* Inversion in GF((2^2)^2), for which four words are enough. */
INLINE void inversion_16(const word a[4], word b[4]) {
  word t25 = a[0] ^ a[1];
  word t26 = a[0] & a[2];
  word t27 = a[3] ^ t26;
  word t28 = t25 & t27;
  word t29 = t28 ^ a[1];
  word t30 = a[2] ^ a[3];
  word t31 = a[1] ^ t26;
  word t32 = t31 & t30;
  word t33 = t32 ^ a[3];
  word t34 = a[2] ^ t33;
  word t35 = t27 ^ t33;
  word t36 = a[3] & t35;
  word t37 = t36 ^ t34;
  word t38 = t27 ^ t36;
  word t39 = t29 & t38;
  word t40 = t25 ^ t39;
  b[0] = t29;
  b[1] = t33;
  b[2] = t37;
  b[3] = t40;
}
/* That in GF(((2^2)^2)^2): the norm, which lies in the field of 16 elements, is inverted there and multiplied by what
 * it is the norm of. */
INLINE void sbox_inversion(const word y[22], word z[18]) {
  word t2 = y[12] & y[15];
  word t3 = y[3] & y[6];
  word t4 = t3 ^ t2;
  word t5 = y[4] & y[0];
  word t6 = t5 ^ t2;
  word t7 = y[13] & y[16];
  word t8 = y[5] & y[1];
  word t9 = t8 ^ t7;
  word t10 = y[2] & y[7];
  word t11 = t10 ^ t7;
  word t12 = y[9] & y[11];
  word t13 = y[14] & y[17];
  word t14 = t13 ^ t12;
  word t15 = y[8] & y[10];
  word t16 = t15 ^ t12;
  word t17 = t4 ^ t14;
  word t18 = t6 ^ t16;
  word t19 = t9 ^ t14;
  word t20 = t11 ^ t16;
  word norm[4] = {t17 ^ y[20], t18 ^ y[19], t19 ^ y[21], t20 ^ y[18]}, inverse[4];
  inversion_16(norm, inverse);
  word t29 = inverse[0], t33 = inverse[1], t37 = inverse[2], t40 = inverse[3];
  word t41 = t40 ^ t37;
  word t42 = t29 ^ t33;
  word t43 = t29 ^ t40;
  word t44 = t33 ^ t37;
  word t45 = t42 ^ t41;
  z[0] = t44 & y[15];
  z[1] = t37 & y[6];
  z[2] = t33 & y[0];
  z[3] = t43 & y[16];
  z[4] = t40 & y[1];
  z[5] = t29 & y[7];
  z[6] = t42 & y[11];
  z[7] = t45 & y[17];
  z[8] = t41 & y[10];
  z[9] = t44 & y[12];
  z[10] = t37 & y[3];
  z[11] = t33 & y[4];
  z[12] = t43 & y[13];
  z[13] = t40 & y[5];
  z[14] = t29 & y[2];
  z[15] = t42 & y[9];
  z[16] = t45 & y[14];
  z[17] = t41 & y[8];
}

/* q = S(q) ^ 0x63 */
INLINE void sub_bytes(word q[8]) {
  word y[22], z[18];
  y[0] = q[0];
  y[14] = q[4] ^ q[2];
  y[13] = q[7] ^ q[1];
  y[9] = q[7] ^ q[4];
  y[8] = q[7] ^ q[2];
  word t0 = q[6] ^ q[5];
  y[1] = t0 ^ q[0];
  y[4] = y[1] ^ q[4];
  y[12] = y[13] ^ y[14];
  y[2] = y[1] ^ q[7];
  y[5] = y[1] ^ q[1];
  y[3] = y[5] ^ y[8];
  word t1 = q[3] ^ y[12];
  y[15] = t1 ^ q[2];
  y[20] = t1 ^ q[6];
  y[6] = y[15] ^ q[0];
  y[10] = y[15] ^ t0;
  y[11] = y[20] ^ y[9];
  y[7] = q[0] ^ y[11];
  y[17] = y[10] ^ y[11];
  y[19] = y[10] ^ y[8];
  y[16] = t0 ^ y[11];
  y[21] = y[13] ^ y[16];
  y[18] = q[7] ^ y[16];
  sbox_inversion(y, z);
  word t46 = z[15] ^ z[16];
  word t47 = z[10] ^ z[11];
  word t48 = z[5] ^ z[13];
  word t49 = z[9] ^ z[10];
  word t50 = z[2] ^ z[12];
  word t51 = z[2] ^ z[5];
  word t52 = z[7] ^ z[8];
  word t53 = z[0] ^ z[3];
  word t54 = z[6] ^ z[7];
  word t55 = z[16] ^ z[17];
  word t56 = z[12] ^ t48;
  word t57 = t50 ^ t53;
  word t58 = z[4] ^ t46;
  word t59 = z[3] ^ t54;
  word t60 = t46 ^ t57;
  word t61 = z[14] ^ t57;
  word t62 = t52 ^ t58;
  word t63 = t49 ^ t58;
  word t64 = z[4] ^ t59;
  word t65 = t61 ^ t62;
  word t66 = z[1] ^ t63;
  q[7] = t59 ^ t63;
  q[1] = t56 ^ t62;
  q[0] = t48 ^ t60;
  word t67 = t64 ^ t65;
  q[4] = t53 ^ t66;
  q[3] = t51 ^ t66;
  q[2] = t47 ^ t65;
  q[6] = t64 ^ q[4];
  q[5] = t55 ^ t67;
}

/* q = S^-1(q ^ 0x63) */
INLINE void inv_sub_bytes(word q[8]) {
  word y[22], z[18];
  y[3] = q[4] ^ q[7];
  y[5] = q[4] ^ q[6];
  y[6] = y[5] ^ q[7];
  y[8] = y[6] ^ q[4];
  y[9] = q[3] ^ q[4];
  y[1] = y[9] ^ q[0];
  y[10] = y[1] ^ y[6];
  y[13] = y[1] ^ q[1];
  y[2] = y[13] ^ y[5];
  y[4] = y[2] ^ y[9];
  y[7] = y[4] ^ q[5];
  y[12] = y[4] ^ y[3];
  y[14] = y[12] ^ y[13];
  y[16] = y[7] ^ y[1];
  y[18] = y[7] ^ y[2];
  y[19] = y[10] ^ y[8];
  y[21] = y[16] ^ y[13];
  word a0 = q[2] ^ q[7];
  y[0] = a0 ^ q[5];
  y[11] = y[0] ^ y[7];
  y[15] = y[0] ^ y[6];
  y[17] = y[15] ^ y[16];
  y[20] = y[11] ^ y[9];
  sbox_inversion(y, z);
  word b0 = z[15] ^ z[16];
  word b1 = z[12] ^ b0;
  word b2 = b1 ^ z[13];
  word b3 = z[6] ^ b2;
  word b4 = b3 ^ z[8];
  word b5 = z[3] ^ b4;
  q[7] = z[5] ^ b5;
  word b7 = z[17] ^ z[16];
  word b8 = z[11] ^ b7;
  word b9 = z[0] ^ b4;
  word b10 = b9 ^ q[7];
  word b11 = z[2] ^ b10;
  word b12 = z[10] ^ b8;
  word b13 = b12 ^ b11;
  word b14 = z[4] ^ b5;
  word b15 = z[1] ^ b10;
  q[2] = b15 ^ b14;
  word b17 = z[14] ^ z[13];
  word b18 = b17 ^ b7;
  word b19 = b18 ^ b13;
  q[5] = b19 ^ q[2];
  word b21 = z[9] ^ b0;
  q[0] = b21 ^ b8;
  word b23 = z[7] ^ z[8];
  q[1] = b23 ^ b14;
  q[3] = b13 ^ q[1];
  q[4] = q[7] ^ b11;
  word b25 = b2 ^ q[5];
  q[6] = b25 ^ q[0];
}
