package search

import (
	"math"
	"time"

	"forge/codeintel"
)

const (
	sweeping    = 30                   // a commit of more files than this is ignored
	year        = 365 * 24 * time.Hour // the unit of the age of commits
	mostMessage = 1500                 // bytes of a message that are read
	lengthSlope = 0.75                 // how much a long message lowers the score of a commit, from 0 to 1
)

// past is what is derived of the commits alone: an inverted index of their messages.
type past struct {
	changes  []change             // newest first
	mentions map[string][]mention // by word of a message
	scopes   map[string][]int32   // by word of a scope: places in changes
	average  float64              // length of a message
}

// change is a commit.
type change struct {
	paths  []string
	length float64 // of its message: the weights of its words
	years  float64 // before the newest commit
	size   float64 // what it counts for each file: the less, the more it changed
}

// mention says that a message has a word.
type mention struct {
	change int32
	weight float32
}

func newPast(commits []codeintel.Commit) *past {
	p := &past{mentions: map[string][]mention{}, scopes: map[string][]int32{}}
	var newest time.Time
	for _, c := range commits {
		if c.Time.After(newest) {
			newest = c.Time
		}
	}
	for _, c := range commits {
		if len(c.Paths) > 0 && len(c.Paths) <= sweeping {
			p.add(c, newest)
		}
	}
	p.average /= max(1, float64(len(p.changes)))
	return p
}

func (p *past) add(c codeintel.Commit, newest time.Time) {
	at, length := int32(len(p.changes)), 0.0
	r := parseRequest(c.Message[:min(len(c.Message), mostMessage)])
	for _, t := range r.terms {
		p.mentions[t.word] = append(p.mentions[t.word], mention{at, float32(t.weight)})
		length += t.weight
	}
	for _, word := range r.scope {
		p.scopes[word] = append(p.scopes[word], at)
	}
	p.average += length
	p.changes = append(p.changes, change{
		paths: c.Paths, length: length, years: float64(newest.Sub(c.Time)) / float64(year),
		size: 1 / math.Sqrt(float64(len(c.Paths))),
	})
}

// faded is what is left of a change after its age: half of it in a number of years.
func (c *change) faded(halfLife float64) float64 { return c.size * math.Exp2(-c.years/halfLife) }
