package index

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"time"
)

// LoadPatiently makes this process wait for others when it loads an index, on however slow a machine.
func LoadPatiently() { loadWait = 2 * time.Minute }

// Dump writes the view as text. Equal views give equal texts, however their segments are cut.
func (x *Index) Dump(to io.Writer) error {
	s := x.current.Load()
	w := bufio.NewWriter(to)
	for _, d := range s.documents {
		fmt.Fprintf(w, "%q %s %s %d bytes %d lines %d words\n", d.Path, d.Language, d.Hash, d.Size, d.Lines, d.Words)
		if d.Outline != nil {
			fmt.Fprintf(w, "\t%q\n", encodeOutline(*d.Outline))
		}
	}
	for _, word := range s.words() {
		fmt.Fprintf(w, "%s %v\n", word, s.Postings(word))
	}
	return w.Flush()
}

// words returns all words of the documents of the view, sorted.
func (s *snapshot) words() []string {
	var words []string
	for _, in := range s.segments {
		for i := range in.wordEnds {
			words = append(words, in.word(i))
		}
	}
	slices.Sort(words)
	return slices.DeleteFunc(slices.Compact(words), func(word string) bool { return len(s.Postings(word)) == 0 })
}

// Segments returns how many segments the view has.
func (x *Index) Segments() int { return len(x.current.Load().segments) }
