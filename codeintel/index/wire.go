package index

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// errDamaged is the error of bytes that are not what an encoder wrote.
var errDamaged = errors.New("the bytes are damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encoder appends values to bytes, which a decoder reads in the same order. Numbers are varints.
type encoder struct{ bytes []byte }

func (e *encoder) uint(v uint64) { e.bytes = binary.AppendUvarint(e.bytes, v) }

func (e *encoder) int(v int) { e.uint(uint64(v)) }

func (e *encoder) string(s string) {
	e.int(len(s))
	e.bytes = append(e.bytes, s...)
}

// sealed returns the bytes followed by a checksum.
func (e *encoder) sealed() []byte {
	return binary.LittleEndian.AppendUint32(e.bytes, crc32.Checksum(e.bytes, castagnoli))
}

// unseal returns a decoder of bytes that sealed has returned.
func unseal(sealed []byte) (*decoder, error) {
	end := len(sealed) - crc32.Size
	if end < 0 || binary.LittleEndian.Uint32(sealed[end:]) != crc32.Checksum(sealed[:end], castagnoli) {
		return nil, errDamaged
	}
	return &decoder{rest: string(sealed[:end])}, nil
}

// decoder reads what an encoder wrote. Behind the first value that is missing it reads zeros, and bad is set. The
// strings it returns share memory with rest.
type decoder struct {
	rest string
	bad  bool
}

// int reads a number. One that does not fit into 31 bits is no offset or length of anything in memory.
func (d *decoder) int() int {
	v, n := uvarint(d.rest)
	if n == 0 || v > 1<<31-1 {
		d.bad, d.rest = true, ""
		return 0
	}
	d.rest = d.rest[n:]
	return int(v)
}

// uvarint reads a number at the start of a text; n is 0 if there is none.
func uvarint(text string) (v uint64, n int) {
	for i := 0; i < len(text) && i < binary.MaxVarintLen64; i++ {
		b := text[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// length reads how many values follow, each of at least one byte: there is no more of them than bytes.
func (d *decoder) length() int {
	n := d.int()
	if n > len(d.rest) {
		d.bad, d.rest = true, ""
		return 0
	}
	return n
}

func (d *decoder) string() string {
	n := d.length()
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}

// err returns errDamaged unless everything was read, and nothing was missing.
func (d *decoder) err() error {
	if d.bad || d.rest != "" {
		return errDamaged
	}
	return nil
}
