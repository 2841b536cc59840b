package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// didChangeStarts is how often the throughput of each server is measured.
const didChangeStarts = 3

// typedLine is how many letters are typed before the line is emptied again.
const typedLine = 60

// lastFunction is what the last edit adds. A server that shows it has taken every edit before it.
const lastFunction = "AllTyped"

// measureDidChange types into the open document as fast as the server takes it, and then asks for the
// document's symbols. Counted is everything up to that answer.
func measureDidChange(ctx context.Context, b *bench) ([]row, error) {
	var rate pair
	err := b.alternate(didChangeStarts, func(p program) error {
		took, err := didChangeOnce(ctx, p, b.workspace, b.edits)
		if err == nil {
			*rate.of(p) = append(*rate.of(p), float64(b.edits)/took.Seconds())
		}
		return err
	})
	return []row{{
		name: fmt.Sprintf("didChange, %d edits", b.edits), unit: "per s",
		forge: number(rate.forge.percentile(50)), gopls: number(rate.gopls.percentile(50)),
	}}, err
}

func didChangeOnce(ctx context.Context, p program, w workspace, edits int) (took time.Duration, err error) {
	s, err := start(ctx, p, w)
	if err != nil {
		return 0, err
	}
	err = s.open(ctx, w)
	if err == nil {
		err = settle(ctx, s.cmd.Process.Pid)
	}
	if err == nil {
		took, err = s.timeTyping(ctx, w, edits)
	}
	return took, errors.Join(err, s.stop(ctx))
}

func (s *server) timeTyping(ctx context.Context, w workspace, edits int) (time.Duration, error) {
	began := time.Now()
	for i := range edits {
		change := typed(i)
		if i == edits-1 {
			change = edit(span(commentLine+1, 0, commentLine+1, 0), "\nfunc "+lastFunction+"() {}\n")
		}
		err := s.notify("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": w.uri(openFile), "version": i + 2},
			"contentChanges": []any{change},
		})
		if err != nil {
			return 0, err
		}
	}
	answer, err := s.call(ctx, "textDocument/documentSymbol", map[string]any{"textDocument": w.document()})
	took := time.Since(began)
	if err == nil && !bytes.Contains(answer, []byte(lastFunction)) {
		err = fmt.Errorf("the answer after %d edits does not show the last one", edits)
	}
	return took, err
}

// typed is the edit number i: one letter more at the end of the comment, or the removal of all of them.
func typed(i int) map[string]any {
	column := len(commentLinePrefix) + i%typedLine
	if i%typedLine == typedLine-1 {
		return edit(span(commentLine, len(commentLinePrefix), commentLine, column), "")
	}
	return edit(span(commentLine, column, commentLine, column), string(rune('a'+i%26)))
}

func edit(where map[string]any, text string) map[string]any {
	return map[string]any{"range": where, "text": text}
}
