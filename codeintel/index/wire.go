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

func (e *encoder) bool(v bool) {
	if v {
		e.uint(1)
		return
	}
	e.uint(0)
}

func (e *encoder) string(s string) {
	e.int(len(s))
	e.bytes = append(e.bytes, s...)
}

// sealed returns the bytes with a checksum behind them.
func (e *encoder) sealed() []byte {
	return binary.LittleEndian.AppendUint32(e.bytes, crc32.Checksum(e.bytes, castagnoli))
}

// unseal takes the checksum off that sealed has added.
func unseal(sealed []byte) ([]byte, error) {
	end := len(sealed) - crc32.Size
	if end < 0 || binary.LittleEndian.Uint32(sealed[end:]) != crc32.Checksum(sealed[:end], castagnoli) {
		return nil, errDamaged
	}
	return sealed[:end], nil
}

// decoder reads what an encoder wrote. Behind the first value that is not there it reads zeros, and bad is set. The
// strings it returns share memory with rest.
type decoder struct {
	rest string
	bad  bool
}

func (d *decoder) uint() uint64 {
	v, n := uvarint(d.rest)
	if n == 0 {
		d.bad, d.rest = true, ""
		return 0
	}
	d.rest = d.rest[n:]
	return v
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

func (d *decoder) bool() bool { return d.uint() != 0 }

// int reads a number that is no offset or length of anything in memory unless it fits into 31 bits.
func (d *decoder) int() int {
	v := d.uint()
	if v > 1<<31-1 {
		d.bad = true
		return 0
	}
	return int(v)
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

func (d *decoder) string() string { return d.take(d.length()) }

func (d *decoder) take(n int) string {
	if n > len(d.rest) {
		d.bad, d.rest = true, ""
		return ""
	}
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}
