package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// didChangeStarts is how often the throughput of each server is measured.
const didChangeStarts = 3

// The place where typing is imitated: the name of a function, which grows by a letter with each edit.
const (
	typedName   = "Typed"
	typedLine   = 4 // from 0
	typedColumn = len("func " + typedName)
)

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

// timeTyping ends with an error unless the answer shows the name that all the edits make in their order: a
// server that loses one is quick.
func (s *server) timeTyping(ctx context.Context, w workspace, edits int) (time.Duration, error) {
	began := time.Now()
	for i := range edits {
		err := s.notify("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": w.uri(openFile), "version": i + 2},
			"contentChanges": []any{typed(i)},
		})
		if err != nil {
			return 0, err
		}
	}
	answer, err := s.call(ctx, "textDocument/documentSymbol", map[string]any{"textDocument": w.document()})
	took := time.Since(began)
	name := `"` + nameAfter(edits) + `"`
	if err == nil && !bytes.Contains(answer, []byte(name)) {
		err = fmt.Errorf("after %d edits the document has no symbol %.80s…: the server has lost or swapped some", edits, name)
	}
	return took, err
}

// typed is the edit number i, from 0: one letter more, always at the same place. Each goes before the one
// typed last, so that the name shows the order, too.
func typed(i int) map[string]any {
	return edit(span(typedLine, typedColumn, typedLine, typedColumn), letter(i))
}

// nameAfter is what the function of the first file is called after so many edits.
func nameAfter(edits int) string {
	var name strings.Builder
	name.WriteString(typedName)
	for i := range edits {
		name.WriteString(letter(edits - 1 - i))
	}
	return name.String() + "0"
}

// letter differs from its neighbours.
func letter(i int) string { return string(rune('a' + i%26)) }

func edit(where map[string]any, text string) map[string]any {
	return map[string]any{"range": where, "text": text}
}
