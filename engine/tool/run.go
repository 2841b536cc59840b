package tool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// MaxOutput limits the answer of a tool, in bytes.
const MaxOutput = 12_000

// Run does what a tool is for. What is wrong with the arguments, and what a tool could not find out, is in the Result; the
// error says that ctx has ended, or that the World broke.
func (t Tool) Run(ctx context.Context, w World, args json.RawMessage) (Result, error) {
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	limited, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	r, err := t.run(limited, w, args)
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return failed("%s took longer than %v: ask for less", t.Name, t.Timeout), nil
	case err != nil:
		return Result{}, err
	}
	return capped(r), nil
}

// cutMark ends a text that was cut.
const cutMark = "\n[… cut here]"

// capped keeps a result within MaxOutput, cut at the end of a line where there is one.
func capped(r Result) Result {
	r.Text = strings.ToValidUTF8(r.Text, "\uFFFD")
	if r.Cut && len(r.Text) <= MaxOutput { // the tool has said so itself
		return r
	}
	if len(r.Text) > MaxOutput {
		r.Text, r.Cut = head(r.Text, MaxOutput-len(cutMark))+cutMark, true
	}
	return r
}

// head is the beginning of a text, at most so many bytes: whole lines, or whole characters where the first line is longer.
func head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if end := strings.LastIndexByte(text[:most+1], '\n'); end > 0 {
		return text[:end]
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
