package tool

import (
	"bytes"
	"context"
)

type countingKey struct{}

// Counting has suites that are run with the context report how many of their tests have ended so far, and how many of these passed. Which languages do
// is up to their Tools.Ended; what the report of the gate counts in the end is what counts. say must not block.
func Counting(ctx context.Context, say func(ended, passed int)) context.Context {
	return context.WithValue(ctx, countingKey{}, say)
}

// maxLine is how long a line may be that says that a test has ended, in bytes; a longer one is taken for the output of a test.
const maxLine = 64 << 10

// hears gives what is to hear the output of a tool; nil where nobody counts its tests.
func (t Tools) hears(ctx context.Context) func(part []byte) {
	say, is := ctx.Value(countingKey{}).(func(ended, passed int))
	if !is || t.Ended == nil {
		return nil
	}
	c := &counter{ended: t.Ended, say: say}
	return c.hear
}

// counter counts the lines of an output by which tests end.
type counter struct {
	ended func(line []byte) (ended, passed int)
	say   func(ended, passed int)

	line          []byte // the last one, as far as it is there
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
