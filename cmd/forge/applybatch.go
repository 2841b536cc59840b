package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// applyBatch answers every line of the input with one line of the output, in order, until the input ends.
// Whatever a line holds, the next one is answered.
func applyBatch(ctx context.Context, t terminal) error {
	_, err := heed(ctx, func() (struct{}, error) {
		return struct{}{}, newBatch(t.in, t.out).serve()
	})
	switch {
	case ctx.Err() != nil:
		return &exitError{exitCancelled, "cancelled"}
	case err != nil:
		return &exitError{exitFailed, err.Error()}
	}
	return nil
}

// maxLine bounds a line of the input, in bytes.
const maxLine = 64 << 20

var errLongLine = fmt.Errorf("the line is longer than %d MiB", maxLine>>20)

// batch is the two ends of forge apply --batch.
type batch struct {
	in   *bufio.Reader
	line []byte // the last line; its memory is used again
	out  *bufio.Writer
	json *json.Encoder
}

func newBatch(in io.Reader, out io.Writer) *batch {
	b := &batch{in: bufio.NewReaderSize(in, 64<<10), out: bufio.NewWriterSize(out, 64<<10)}
	b.json = json.NewEncoder(b.out)
	b.json.SetEscapeHTML(false)
	return b
}

func (b *batch) serve() error {
	for {
		err := b.read()
		if errors.Is(err, io.EOF) {
			return b.out.Flush()
		}
		var a batchAnswer
		switch {
		case errors.Is(err, errLongLine):
			a = refused(nil, refusalOf(&requestError{err.Error()}, nil))
		case err != nil:
			return fmt.Errorf("read the requests: %w", err)
		default:
			a = safely(answer, b.line)
		}
		if err := b.write(a); err != nil {
			return fmt.Errorf("write the answers: %w", err)
		}
	}
}

// read reads the next line without its end. A line that is too long is passed over whole, with errLongLine.
func (b *batch) read() error {
	b.line = b.line[:0]
	size := 0
	for {
		part, err := b.in.ReadSlice('\n')
		if size += len(part); size <= maxLine {
			b.line = append(b.line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || size == 0):
			return err
		case size > maxLine:
			return errLongLine
		}
		b.line = bytes.TrimRight(b.line, "\r\n")
		return nil
	}
}

// write writes an answer. It is sent at once unless a whole request is waiting already.
func (b *batch) write(a batchAnswer) error {
	if err := b.json.Encode(a); err != nil {
		return err
	}
	waiting, err := b.in.Peek(b.in.Buffered())
	if err == nil && bytes.IndexByte(waiting, '\n') >= 0 {
		return nil
	}
	return b.out.Flush()
}

// safely makes of a panic, which is a fault of Forge, the answer to the one line that met it.
func safely(answer func(line []byte) batchAnswer, line []byte) (a batchAnswer) {
	defer func() {
		if fault := recover(); fault != nil {
			a = refused(nil, &refusal{
				Kind: kindInternal, Message: fmt.Sprintf("this edit met a fault of forge, please report it: %v", fault), Closest: []numberLine{},
			})
			a.ID = idOf(line)
		}
	}()
	return answer(line)
}

// idOf is the id of a line, or null.
func idOf(line []byte) json.RawMessage {
	var r struct{ ID json.RawMessage }
	if json.Unmarshal(line, &r) != nil {
		return nil
	}
	return r.ID
}
