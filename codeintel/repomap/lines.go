package repomap

import (
	"bytes"
	"math"
	"sort"

	"forge/codeintel"
	"forge/codeintel/index"
)

// lines says where in a file the words of a request stand. The zero value knows nothing.
type lines struct {
	starts []int // offsets of all lines but the first
	words  []wordLines
}

// wordLines is where one word stands.
type wordLines struct {
	weight float64         // of the word, less if it is in many places
	parts  []index.Posting // ordered
}

// linesOf reads a document; what cannot be read has no lines.
func (w symbolQuery) linesOf(number int32, read bool) lines {
	if !read || len(w.terms) == 0 {
		return lines{}
	}
	l := lines{starts: lineStarts(w.mapper.read(number))}
	if len(l.starts) == 0 {
		return l
	}
	for i := range w.terms {
		t := &w.terms[i]
		parts := within(t.postings, number)
		for len(parts) > 0 && parts[0].Part < 0 {
			parts = parts[1:]
		}
		if len(parts) > 0 {
			l.words = append(l.words, wordLines{t.weight / math.Sqrt(float64(len(parts))), parts})
		}
	}
	return l
}

func lineStarts(text []byte) []int {
	var starts []int
	for at := 0; ; {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return starts
		}
		at += n + 1
		starts = append(starts, at)
	}
}

// of is how much of a request is in the lines of spans: 1 if all of it is, and nowhere else.
func (l lines) of(spans []codeintel.Span) float64 {
	best := 0.0
	if len(l.words) == 0 {
		return best
	}
	for _, span := range spans {
		first, last := l.part(span.Start), l.part(span.End)
		sum := 0.0
		for _, word := range l.words {
			at := sort.Search(len(word.parts), func(i int) bool { return word.parts[i].Part >= first })
			if at < len(word.parts) && word.parts[at].Part <= last {
				sum += word.weight
			}
		}
		best = max(best, sum)
	}
	return best
}

// part is the chunk of lines that an offset lies in.
func (l lines) part(offset int) int32 {
	line := sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > offset })
	return int32(line / index.ChunkLines)
}
