// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package rijn

import (
	"crypto/cipher"
	"fmt"
	"strings"

	"rijn.example/rijn-go/internal/core"
)

// RowsError names the rows that are not authentic.
type RowsError struct{ Rows []int }

func (e *RowsError) Error() string {
	const most = 10
	var b strings.Builder
	fmt.Fprintf(&b, "rijn: %d rows are not authentic:", len(e.Rows))
	for _, row := range e.Rows[:min(len(e.Rows), most)] {
		fmt.Fprintf(&b, " %d", row)
	}
	if len(e.Rows) > most {
		b.WriteString(" ...")
	}
	return b.String()
}

// SealRows seals many messages of equal length, which stand one after the other
// in texts, as their nonces do in nonces. It appends to dst, for each, the
// ciphertext and the tag behind it. additionalData is empty, or so many times
// that of a row. No two nonces under one key may be equal.
//
// With an AEAD of GCM of this package rows of up to a kilobyte take a fraction
// of the time of calls for one message; any other AEAD does them one by one.
// It panics where Seal does, and if a length is no multiple of the number of
// rows. dst must share no byte with texts.
func SealRows(aead cipher.AEAD, dst, nonces, texts, additionalData []byte) []byte {
	r := newRows(aead, nonces, texts, additionalData, 0)
	tag := aead.Overhead()
	ret, out := core.Append(dst, r.n*(r.len+tag))
	r.checkOverlap(out, texts, additionalData)
	if gcm := r.kernel(aead); gcm != nil {
		core.CryptRows(gcm, true, &core.Rows{N: r.n, Len: r.len, AADLen: r.data, Out: out, In: texts, AAD: additionalData, Nonces: nonces,
			Tags: out[r.len:], OutStep: r.len + tag, InStep: r.len, AADStep: r.data, TagsStep: r.len + tag}, nil)
		return ret
	}
	for i := range r.n {
		at := i * (r.len + tag)
		aead.Seal(out[at:at:at+r.len+tag], r.nonce(nonces, i), texts[i*r.len:(i+1)*r.len], additionalData[i*r.data:(i+1)*r.data])
	}
	return ret
}

// OpenRows is the inverse of SealRows. It appends the texts to dst. A row that
// is not authentic is zeros, and the error is a [*RowsError] that names it; the
// other rows are good.
func OpenRows(aead cipher.AEAD, dst, nonces, rows, additionalData []byte) ([]byte, error) {
	tag := aead.Overhead()
	r := newRows(aead, nonces, rows, additionalData, tag)
	ret, out := core.Append(dst, r.n*r.len)
	r.checkOverlap(out, rows, additionalData)
	forged := make([]byte, r.n)
	failed := 0
	if gcm := r.kernel(aead); gcm != nil {
		failed = core.CryptRows(gcm, false, &core.Rows{N: r.n, Len: r.len, AADLen: r.data, Out: out, In: rows, AAD: additionalData, Nonces: nonces,
			Tags: rows[r.len:], OutStep: r.len, InStep: r.len + tag, AADStep: r.data, TagsStep: r.len + tag}, forged)
	} else {
		for i := range r.n {
			text := out[i*r.len : (i+1)*r.len : (i+1)*r.len]
			in := rows[i*(r.len+tag) : (i+1)*(r.len+tag)]
			if _, err := aead.Open(text[:0], r.nonce(nonces, i), in, additionalData[i*r.data:(i+1)*r.data]); err != nil {
				clear(text)
				forged[i] = 1
				failed++
			}
		}
	}
	if failed == 0 {
		return ret, nil
	}
	e := &RowsError{make([]int, 0, failed)}
	for i, f := range forged {
		if f != 0 {
			e.Rows = append(e.Rows, i)
		}
	}
	return ret, e
}

// rowsShape is how many rows there are, and how long each part of one is.
type rowsShape struct{ n, len, data, nonceSize int }

func newRows(aead cipher.AEAD, nonces, texts, data []byte, tag int) rowsShape {
	size := aead.NonceSize()
	if size == 0 {
		panic("rijn: rows need an AEAD that is given its nonces")
	}
	r := rowsShape{n: len(nonces) / size, nonceSize: size}
	if len(nonces)%size != 0 {
		panic("rijn: no whole number of nonces")
	}
	if r.n == 0 {
		if len(texts)+len(data) != 0 {
			panic("rijn: rows without nonces")
		}
		return r
	}
	if len(texts)%r.n != 0 || len(data)%r.n != 0 || len(texts)/r.n < tag {
		panic("rijn: rows of unequal length")
	}
	r.len, r.data = len(texts)/r.n-tag, len(data)/r.n
	return r
}

func (r rowsShape) nonce(nonces []byte, i int) []byte {
	return nonces[i*r.nonceSize : (i+1)*r.nonceSize]
}

func (r rowsShape) checkOverlap(out, in, data []byte) {
	if core.AnyOverlap(out, in) {
		panic("rijn: output and rows overlap")
	}
	checkOverlap(out, in, data)
}

// kernel is the key, if Rijn's call for rows takes such.
func (r rowsShape) kernel(aead cipher.AEAD) *core.GCM {
	gcm, ok := aead.(*core.GCM)
	if !ok || r.n == 0 || r.nonceSize != nonceSize || max(r.len, r.data) > core.MaxRow {
		return nil
	}
	return gcm
}

// A Message is one of many for [SealBatch] or [OpenBatch]. The fields are the
// arguments of Seal and Open.
type Message struct {
	Dst, Nonce, Text, AdditionalData []byte
	Out                              []byte // Dst with what the call has appended
	Err                              error  // of Open
}

// SealBatch seals many messages under one key, of any lengths. It sets Out of
// each. What is written for one may share no byte with another.
func SealBatch(aead cipher.AEAD, messages []Message) {
	b := newBatch(aead, messages, true)
	for i := range messages {
		m := &messages[i]
		if b.gcm == nil || max(len(m.Text), len(m.AdditionalData)) > core.MaxRow {
			m.Out = aead.Seal(m.Dst, m.Nonce, m.Text, m.AdditionalData)
			continue
		}
		checkNonce(m.Nonce, b.nonceSize)
		ret, out := core.Append(m.Dst, len(m.Text)+b.tag)
		checkOverlap(out, m.Text, m.AdditionalData)
		m.Out = ret
		b.add(i, out, m.Text, m.AdditionalData, m.Nonce, out[len(m.Text):])
	}
	b.flush()
}

// OpenBatch opens many. It sets Out of each, or Err. It returns the first error.
func OpenBatch(aead cipher.AEAD, messages []Message) error {
	b := newBatch(aead, messages, false)
	for i := range messages {
		m := &messages[i]
		n := len(m.Text) - b.tag
		if b.gcm == nil || n < 0 || max(n, len(m.AdditionalData)) > core.MaxRow {
			m.Out, m.Err = aead.Open(m.Dst, m.Nonce, m.Text, m.AdditionalData)
			continue
		}
		checkNonce(m.Nonce, b.nonceSize)
		ret, out := core.Append(m.Dst, n)
		checkOverlap(out, m.Text, m.AdditionalData)
		m.Out, m.Err = ret, nil
		b.add(i, out, m.Text[:n], m.AdditionalData, m.Nonce, m.Text[n:])
	}
	b.flush()
	for i := range messages {
		if messages[i].Err != nil {
			return messages[i].Err
		}
	}
	return nil
}

func checkNonce(nonce []byte, size int) {
	if len(nonce) != size {
		panic("crypto/cipher: incorrect nonce length given to GCM")
	}
}

// batch gathers messages until they are enough for a call.
type batch struct {
	gcm            *core.GCM
	encrypt        bool
	tag, nonceSize int
	all            []Message
	waiting        [32]core.Message
	index          [32]int
	n, bytes       int
}

func newBatch(aead cipher.AEAD, all []Message, encrypt bool) *batch {
	gcm, _ := aead.(*core.GCM)
	return &batch{gcm: gcm, encrypt: encrypt, tag: aead.Overhead(), nonceSize: aead.NonceSize(), all: all}
}

func (b *batch) add(i int, out, in, data, nonce, tag []byte) {
	const most = 64 << 10
	b.waiting[b.n].Set(b.gcm, out, in, data, nonce, tag)
	b.index[b.n] = i
	b.n++
	if b.bytes += len(in) + len(data); b.n == len(b.waiting) || b.bytes >= most {
		b.flush()
	}
}

func (b *batch) flush() {
	if b.n == 0 {
		return
	}
	if core.Batch(b.encrypt, b.waiting[:b.n]) != 0 {
		for k := range b.n {
			if m := &b.all[b.index[k]]; !b.waiting[k].OK() {
				m.Out, m.Err = nil, core.ErrOpen
			}
		}
	}
	b.n, b.bytes = 0, 0
}
