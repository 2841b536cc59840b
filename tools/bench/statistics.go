package main

import (
	"math"
	"slices"
	"time"
)

// sample is what was measured of one server, in the order it was measured.
type sample []float64

// add notes a duration, in milliseconds.
func (s *sample) add(d time.Duration) { *s = append(*s, float64(d)/float64(time.Millisecond)) }

// percentile returns the smallest measured value that p percent of the sample do not exceed ("nearest
// rank"), so that every figure printed was measured. It is NaN for an empty sample.
func (s sample) percentile(p float64) float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// pair is a sample of each server.
type pair struct{ forge, gopls sample }
