package look

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"forge/api/service"
	"forge/cmd/forge/terminal"
)

// folderIndex is what the commands that look for something need of an atlas.
type folderIndex interface {
	service.Index
	Wait(ctx context.Context) error // until all of the folder is known
}

// withAtlas calls use with what is known of a folder, once every file of it has been read.
func withAtlas(ctx context.Context, t terminal.Terminal, root string, use func(a folderIndex) error) error {
	e, err := terminal.OpenEngine(t)
	if err != nil {
		return err
	}
	defer e.Close()
	a, err := e.Atlas(ctx, root)
	if err != nil {
		return searchFailed(ctx, err)
	}
	if err := awaitComplete(ctx, a, progressOf(t)); err != nil {
		return searchFailed(ctx, err)
	}
	return use(a)
}

// searchFailed is how the program ends when a folder cannot be searched.
func searchFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return terminal.ExitWith(terminal.ExitCancelled, "cancelled")
	}
	return terminal.ExitWith(terminal.ExitFailed, err.Error())
}

// tellEvery is the time between two lines of progress.
const tellEvery = 100 * time.Millisecond

// awaitComplete waits until all of the folder is known, and shows the user how far it is.
func awaitComplete(ctx context.Context, a folderIndex, show *progress) error {
	if show.out == nil {
		return a.Wait(ctx)
	}
	defer show.clear()
	done := make(chan error, 1)
	go func() { done <- a.Wait(ctx) }() // which is waited for below
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
			now := a.Status()
			show.tell(now.Indexed, now.Total)
		}
	}
}

// progress shows on one line of a terminal how far an index is; without a terminal it shows nothing.
type progress struct {
	out  io.Writer
	told bool // there is a line to be taken away
}

// progressOf is that of a terminal with a user.
func progressOf(t terminal.Terminal) *progress {
	if !t.Person {
		return &progress{}
	}
	return &progress{out: t.Err}
}

func (p *progress) tell(read, of int) {
	p.told = true
	fmt.Fprintf(p.out, "\r\x1b[K[forge] reading the folder: %d of %d files", read, of)
}

func (p *progress) clear() {
	if p.told {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
