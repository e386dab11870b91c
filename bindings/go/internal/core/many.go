// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

package core

import "unsafe"

// Rows are messages of equal lengths at equal distances. Len and AADLen are
// bytes of a row; nothing of a row is longer than MaxRow.
type Rows struct {
	N, Len, AADLen    int
	Out, In, AAD      []byte // text of each row; AAD: of each, or one for all
	Nonces            []byte // 12 bytes of each
	Tags              []byte
	OutStep, InStep   int
	AADStep, TagsStep int
}

// MaxRow is how long text and associated data of a row may be.
const MaxRow = min(section, tableFrom-1)

// rowsStruct is rijn_gcm_rows of rijn.h.
type rowsStruct struct {
	size                                        uintptr
	key                                         unsafe.Pointer
	rows, len, aadLen                           int
	out, in, aad, nonces, tags                  unsafe.Pointer
	outStep, inStep, aadStep, nonceStep, tagsTo int
	forged                                      unsafe.Pointer
}

// CryptRows seals or opens rows, a section at a time. forged gets a 1 for each row
// that is not authentic; the result is how many there are.
func CryptRows(g *GCM, encrypt bool, r *Rows, forged []byte) int {
	raceRead(r.In)
	raceRead(r.AAD)
	raceWrite(r.Out)
	call := uintptr(callGcmDecryptRows)
	if encrypt {
		call = callGcmEncryptRows
	}
	most := section / (r.Len + r.AADLen + 64) // a row takes time, whatever it holds
	failed := 0
	from := func(b []byte, at int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b[at:])) }
	for done := 0; done < r.N; {
		n := min(r.N-done, max(most, 1))
		s := rowsStruct{size: unsafe.Sizeof(rowsStruct{}), key: g.key, rows: n, len: r.Len, aadLen: r.AADLen,
			tags: from(r.Tags, done*r.TagsStep), nonces: from(r.Nonces, done*standard),
			outStep: r.OutStep, inStep: r.InStep, aadStep: r.AADStep, nonceStep: standard, tagsTo: r.TagsStep}
		s.out, s.in = s.tags, s.tags
		if r.Len != 0 {
			s.out, s.in = from(r.Out, done*r.OutStep), from(r.In, done*r.InStep)
		}
		if r.AADLen != 0 {
			s.aad = from(r.AAD, done*r.AADStep)
		}
		if forged != nil {
			s.forged = from(forged, done)
		}
		type args struct {
			rows unsafe.Pointer
			_    [8]uintptr
		}
		a := args{rows: unsafe.Pointer(&s)}
		count := call8k(base+call, unsafe.Pointer(&a))
		if count < 0 {
			must(count)
		}
		failed += int(count)
		done += n
	}
	return failed
}

// Message is rijn_gcm_msg of rijn.h.
type Message struct {
	size     uintptr
	key      unsafe.Pointer
	out, in  unsafe.Pointer
	len      int
	aad      unsafe.Pointer
	aadLen   int
	nonce    unsafe.Pointer
	nonceLen int
	tag      unsafe.Pointer
	result   int32
}

// Set describes a message: out has room for the text, and text and associated
// data have a section at most, and together with the others of a batch too.
// The tag is written, or read.
func (m *Message) Set(g *GCM, out, in, aad, nonce, tag []byte) {
	raceRead(in)
	raceRead(aad)
	raceWrite(out)
	t := unsafe.Pointer(unsafe.SliceData(tag))
	*m = Message{size: unsafe.Sizeof(Message{}), key: g.key, out: place(out, t), in: place(in, t), len: len(in), aad: place(aad, nil),
		aadLen: len(aad), nonce: place(nonce, nil), nonceLen: len(nonce), tag: t}
}

// OK reports whether the message was sealed, or is authentic.
func (m *Message) OK() bool { return m.result == 0 }

// Batch does many messages in one call. It returns how many are not authentic.
func Batch(encrypt bool, m []Message) int {
	call := uintptr(callGcmDecryptBatch)
	if encrypt {
		call = callGcmEncryptBatch
	}
	type args struct {
		m unsafe.Pointer
		n int
		_ [7]uintptr
	}
	a := args{m: unsafe.Pointer(unsafe.SliceData(m)), n: len(m)}
	failed := call8k(base+call, unsafe.Pointer(&a))
	if failed < 0 {
		must(failed)
	}
	return int(failed)
}
