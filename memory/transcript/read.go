package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Note is something that a reader has left out.
type Note struct {
	Line   int // from 1
	Reason string
}

// Read gives the records of a conversation in the order they were begun, and a note for each line that is no
// record: a torn last line, a line that is damaged, a record that lacks lines.
func Read(folder, id string) ([]Record, []Note, error) {
	if err := CheckID(id); err != nil {
		return nil, nil, err
	}
	file, err := os.Open(filepath.Join(folder, id+extension))
	if err != nil {
		return nil, nil, fmt.Errorf("read conversation %s: %w", id, err)
	}
	defer func() { _ = file.Close() }()
	records, notes, err := Parse(file)
	if err != nil {
		return nil, nil, fmt.Errorf("read conversation %s: %w", id, err)
	}
	return records, notes, nil
}

// Parse is Read over what a file holds.
func Parse(r io.Reader) ([]Record, []Note, error) {
	p := parser{open: map[string]*pending{}}
	lines := bufio.NewReader(r)
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		p.n++
		switch {
		case err != nil && len(text) > 0:
			p.note(p.n, "the last line is torn: whoever wrote it is writing, or was killed")
		case len(bytes.TrimSpace(text)) > 0:
			p.line(text)
		}
		if err != nil {
			return p.done()
		}
	}
}

// parser reads lines in order.
type parser struct {
	n       int
	records []placed
	notes   []Note
	open    map[string]*pending // records that lack lines yet
}

// placed is a record and the line it began at.
type placed struct {
	line   int
	record Record
}

// pending is a record of which some lines were read: the next is the one after them.
type pending struct {
	line, next, of int
	text           []byte
}

func (p *parser) note(line int, reason string) { p.notes = append(p.notes, Note{line, reason}) }

func (p *parser) line(text []byte) {
	record, piece, err := decode(text)
	switch {
	case err != nil:
		p.note(p.n, fmt.Sprintf("the line is left out: %v", err))
	case record != nil:
		p.records = append(p.records, placed{p.n, *record})
	default:
		p.part(piece)
	}
}

// part adds a piece to its record, which is read when it is whole. Pieces of one writer stand in order.
func (p *parser) part(piece *part) {
	o := p.open[piece.ID]
	if o == nil && piece.N != 1 {
		p.note(p.n, fmt.Sprintf("the line is left out: it is part %d of %d, and those before it are missing", piece.N, piece.Of))
		return
	}
	if o == nil {
		o = &pending{line: p.n, next: 1, of: piece.Of}
		p.open[piece.ID] = o
	}
	if piece.N != o.next || piece.Of != o.of {
		p.note(p.n, fmt.Sprintf("the line is left out: it is part %d of %d where part %d of %d was to come", piece.N, piece.Of, o.next, o.of))
		return
	}
	o.text = append(o.text, piece.Text...)
	o.next++
	if o.next <= o.of {
		return
	}
	delete(p.open, piece.ID)
	record, nested, err := decode(o.text)
	if err != nil || nested != nil {
		p.note(o.line, "the record is left out: its lines are whole, and it is not")
		return
	}
	p.records = append(p.records, placed{o.line, *record})
}

// done gives everything in the order of lines.
func (p *parser) done() ([]Record, []Note, error) {
	for _, o := range p.open {
		p.note(o.line, fmt.Sprintf("the record is left out: it has %d of its %d lines", o.next-1, o.of))
	}
	slices.SortStableFunc(p.notes, func(a, b Note) int { return a.Line - b.Line })
	slices.SortStableFunc(p.records, func(a, b placed) int { return a.line - b.line })
	var records []Record
	for _, r := range p.records {
		records = append(records, r.record)
	}
	return records, p.notes, nil
}
