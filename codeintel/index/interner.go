package index

import (
	"bytes"
	"hash/maphash"
)

// interner numbers texts, from 0, in the order in which they come. It holds no pointers to them, so that the
// garbage collector has nothing to look at, and finds them faster than a map does.
type interner struct {
	table  []uint32 // by hash: the number of a text plus one, or 0. Its length is a power of two
	hashes []uint32 // by number
	ends   []uint32 // by number: where the text ends in texts
	texts  []byte   // all, one after the other
}

var seed = maphash.MakeSeed()

func newInterner() interner { return interner{table: make([]uint32, 1<<8)} }

func (t *interner) length() int { return len(t.ends) }

func (t *interner) text(number uint32) []byte {
	return t.texts[start(t.ends, int(number)):t.ends[number]]
}

// number returns the number of a text, and whether it is a new one.
func (t *interner) number(text []byte) (number uint32, isNew bool) {
	hash := uint32(maphash.Bytes(seed, text))
	mask := uint32(len(t.table) - 1)
	at := hash & mask
	for ; t.table[at] != 0; at = (at + 1) & mask {
		number := t.table[at] - 1
		if t.hashes[number] == hash && bytes.Equal(t.text(number), text) {
			return number, false
		}
	}
	number = uint32(len(t.ends))
	t.table[at] = number + 1
	t.hashes = append(t.hashes, hash)
	t.texts = append(t.texts, text...)
	t.ends = append(t.ends, uint32(len(t.texts)))
	if 2*len(t.ends) > len(t.table) {
		t.grow()
	}
	return number, true
}

func (t *interner) grow() {
	t.table = make([]uint32, 2*len(t.table))
	mask := uint32(len(t.table) - 1)
	for number, hash := range t.hashes {
		at := hash & mask
		for t.table[at] != 0 {
			at = (at + 1) & mask
		}
		t.table[at] = uint32(number) + 1
	}
}
