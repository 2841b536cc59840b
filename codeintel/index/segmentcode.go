package index

import "encoding/hex"

// encode writes a segment, with a checksum.
func (s *segment) encode() ([]byte, error) {
	e := encoder{bytes: make([]byte, 0, len(s.words)+len(s.lists)+4*len(s.wordEnds)+128*len(s.documents))}
	e.int(int(s.firstPart - PartSymbols))
	e.int(len(s.documents))
	for i, d := range s.documents {
		hash, err := hex.DecodeString(d.hash)
		if err != nil {
			return nil, err
		}
		e.string(d.path)
		e.string(string(hash))
		e.int(d.size)
		e.int(d.lines)
		e.int(d.words)
		e.uint(uint64(s.slots[i+1] - s.slots[i]))
	}
	e.int(len(s.wordEnds))
	for i := range s.wordEnds {
		e.int(len(s.word(i)))
		e.int(len(s.list(i)))
	}
	e.string(s.words)
	e.string(s.lists)
	return e.sealed(), nil
}

// decodeSegment reads what encode wrote.
func decodeSegment(sealed []byte) (*segment, error) {
	bytes, err := unseal(sealed)
	if err != nil {
		return nil, err
	}
	d := decoder{rest: string(bytes)}
	s := &segment{firstPart: int32(d.int()) + PartSymbols}
	s.decodeDocuments(&d)
	s.decodeWords(&d)
	if d.bad || d.rest != "" {
		return nil, errDamaged
	}
	return s, nil
}

func (s *segment) decodeDocuments(d *decoder) {
	n := d.length()
	s.documents, s.slots = make([]indexed, n), make([]uint32, n+1)
	for i := range n {
		s.documents[i] = indexed{
			path: d.string(), hash: hex.EncodeToString([]byte(d.string())), size: d.int(), lines: d.int(), words: d.int(),
		}
		s.slots[i+1] = s.slots[i] + uint32(d.int())
	}
}

func (s *segment) decodeWords(d *decoder) {
	n := d.length()
	s.wordEnds, s.listEnds = make([]uint32, n), make([]uint32, n)
	var word, list uint32
	for i := range n {
		word += uint32(d.int())
		list += uint32(d.int())
		s.wordEnds[i], s.listEnds[i] = word, list
	}
	s.words, s.lists = d.string(), d.string()
	// Words and lists are cut out of these texts without looking again.
	d.bad = d.bad || len(s.words) != int(word) || len(s.lists) != int(list) || !ascending(s.wordEnds) || !ascending(s.listEnds)
}

func ascending(ends []uint32) bool {
	var last uint32
	for _, end := range ends {
		if end < last {
			return false
		}
		last = end
	}
	return true
}
