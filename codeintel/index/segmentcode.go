package index

// encode writes a segment, with a checksum.
func (s *segment) encode() []byte {
	e := encoder{bytes: make([]byte, 0, len(s.words)+len(s.lists)+4*len(s.wordEnds)+128*len(s.documents))}
	e.int(len(s.documents))
	for i, d := range s.documents {
		e.string(d.path)
		e.string(d.hash)
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
	return e.sealed()
}

// decodeSegment reads what encode wrote: a segment of files.
func decodeSegment(sealed []byte) (*segment, error) {
	d, err := unseal(sealed)
	if err != nil {
		return nil, err
	}
	n := d.length()
	s := &segment{firstPart: PartPath, documents: make([]indexed, n), slots: make([]uint32, n+1)}
	for i := range n {
		s.documents[i] = indexed{path: d.string(), hash: d.string(), size: d.int(), lines: d.int(), words: d.int()}
		s.slots[i+1] = s.slots[i] + uint32(d.int())
	}
	n = d.length()
	s.wordEnds, s.listEnds = make([]uint32, n), make([]uint32, n)
	var words, lists int
	for i := range n {
		words += d.int()
		lists += d.int()
		s.wordEnds[i], s.listEnds[i] = uint32(words), uint32(lists)
	}
	s.words, s.lists = d.string(), d.string()
	if len(s.words) != words || len(s.lists) != lists { // words and lists are cut out of these texts without looking again
		return nil, errDamaged
	}
	return s, d.err()
}
