// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package rijn

import (
	"encoding/binary"

	"rijn.example/rijn-go/internal/core"
)

// ghash adds whole blocks to a hash: acc = (acc + block) H for each.
type ghash interface {
	Update(acc *[16]byte, in []byte)
}

func newGHASH(set int, h [16]byte) ghash {
	if set >= 0 {
		return core.NewGHASH(set, &h)
	}
	return portableGHASH{binary.BigEndian.Uint64(h[:]), binary.BigEndian.Uint64(h[8:])}
}

// portableGHASH is for machines without kernels: right, and slow.
type portableGHASH struct{ hi, lo uint64 }

// Update multiplies bit by bit (SP 800-38D, section 6.3). CT: each bit is a mask.
func (h portableGHASH) Update(acc *[16]byte, in []byte) {
	hi, lo := binary.BigEndian.Uint64(acc[:]), binary.BigEndian.Uint64(acc[8:])
	for ; len(in) != 0; in = in[16:] {
		hi ^= binary.BigEndian.Uint64(in)
		lo ^= binary.BigEndian.Uint64(in[8:])
		vhi, vlo := h.hi, h.lo
		var zhi, zlo uint64
		for _, x := range [2]uint64{hi, lo} {
			for range 64 {
				bit := -(x >> 63)
				x <<= 1
				zhi ^= vhi & bit
				zlo ^= vlo & bit
				out := -(vlo & 1)
				vlo = vlo>>1 | vhi<<63
				vhi = vhi>>1 ^ out&(0xe1<<56)
			}
		}
		hi, lo = zhi, zlo
	}
	binary.BigEndian.PutUint64(acc[:], hi)
	binary.BigEndian.PutUint64(acc[8:], lo)
}
