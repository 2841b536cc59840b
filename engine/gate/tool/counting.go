package tool

import (
	"bytes"
	"context"
)

type countingKey struct{}

// Counting makes suites that run with the context report how many of their tests have ended so far, and how many of these passed.
// The language's Tools.Ended must support it; only the counts of the final report matter. say must not block.
func Counting(ctx context.Context, say func(ended, passed int)) context.Context {
	return context.WithValue(ctx, countingKey{}, say)
}

// maxLine is the longest line, in bytes, that can report the end of a test; longer ones are output of tests.
const maxLine = 64 << 10

// hears returns the reader of a tool's output, or nil if its tests are not counted.
func (t Tools) hears(ctx context.Context) func(part []byte) {
	say, is := ctx.Value(countingKey{}).(func(ended, passed int))
	if !is || t.Ended == nil {
		return nil
	}
	c := &counter{ended: t.Ended, say: say}
	return c.hear
}

// counter counts the output lines by which tests end.
type counter struct {
	ended func(line []byte) (ended, passed int)
	say   func(ended, passed int)

	line          []byte // the last, incomplete one
	tests, passed int
}

func (c *counter) hear(part []byte) {
	was := c.tests
	for len(part) > 0 {
		end := bytes.IndexByte(part, '\n')
		if end < 0 {
			c.line = append(c.line, part[:min(len(part), max(0, maxLine-len(c.line)))]...)
			break
		}
		ended, passed := c.ended(append(c.line, part[:end]...))
		c.tests, c.passed = c.tests+ended, c.passed+passed
		c.line, part = c.line[:0], part[end+1:]
	}
	if c.tests > was {
		c.say(c.tests, c.passed)
	}
}
