package work

import (
	"context"
	"errors"
	"fmt"
	"io"

	"forge/cmd/forge/terminal"
)

// applyBatch answers every line of the input with one line of the output, in order, until the input ends.
// The next line is answered whatever a line holds.
func applyBatch(ctx context.Context, t terminal.Terminal) error {
	_, err := terminal.Heed(ctx, func() (struct{}, error) {
		return struct{}{}, serveEdits(terminal.NewBatch(t.In, t.Out))
	})
	switch {
	case ctx.Err() != nil:
		return terminal.ExitWith(terminal.ExitCancelled, "cancelled")
	case err != nil:
		return terminal.ExitWith(terminal.ExitFailed, err.Error())
	}
	return nil
}

func serveEdits(b *terminal.Batch) error {
	for {
		err := b.Read()
		if errors.Is(err, io.EOF) {
			return b.Out.Flush()
		}
		var a batchAnswer
		switch {
		case errors.Is(err, terminal.ErrLongLine):
			a = refused(nil, refusalOf(&requestError{err.Error()}, nil))
		case err != nil:
			return fmt.Errorf("read the requests: %w", err)
		default:
			a = safely(answer, b.Line)
		}
		if err := b.Write(a); err != nil {
			return fmt.Errorf("write the answers: %w", err)
		}
	}
}

// safely makes of a panic, which is a fault of Forge, the answer to the one line that met it.
func safely(answer func(line []byte) batchAnswer, line []byte) (a batchAnswer) {
	defer func() {
		if fault := recover(); fault != nil {
			a = refused(nil, &refusal{
				Kind: terminal.KindInternal, Message: fmt.Sprintf("this edit met a fault of forge, please report it: %v", fault), Closest: []numberLine{},
			})
			a.ID = terminal.IDOf(line)
		}
	}()
	return answer(line)
}
