package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"forge/engine/sandbox"
	"forge/internal/inert"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// closing is how long a server may take to end after its input has ended. Then its process tree is killed.
const closing = 5 * time.Second

// process is a server that runs. Its goroutine ends with stop.
type process struct {
	input  *io.PipeWriter
	output *inbox
	kill   context.CancelFunc
	ended  chan struct{}

	result sandbox.Result // valid once ended is closed
	err    error          // likewise
}

func start(ctx context.Context, r sandbox.Runner, c sandbox.Command) *process {
	ctx, kill := context.WithCancel(ctx)
	stdin, input := io.Pipe()
	p := &process{input: input, output: newInbox(MaxBytes, kill), kill: kill, ended: make(chan struct{})}
	c.Stdin, c.MaxOutput, c.Heard = stdin, 64<<10, p.output.hear
	release := context.AfterFunc(ctx, func() { _ = stdin.CloseWithError(ctx.Err()) }) // Run waits for a pending Read
	go func() {
		defer close(p.ended)
		defer release()
		p.result, p.err = r.Run(ctx, c)
		_ = p.output.Close()
		_ = stdin.CloseWithError(io.ErrClosedPipe) // a pending Write of the client returns
	}()
	return p
}

func (p *process) transport() sdk.Transport {
	return &sdk.IOTransport{Reader: p.output, Writer: p.input, MaxLineLength: MaxBytes}
}

// stop ends the server and waits for its process. The error is what went wrong with the process itself, nil if nothing did.
func (p *process) stop() error {
	_ = p.input.Close()
	_ = p.output.Close()
	timer := time.AfterFunc(closing, p.kill)
	defer timer.Stop()
	<-p.ended
	p.kill()
	var missing *sandbox.NotStartedError
	switch {
	case errors.As(p.err, &missing):
		return missing
	case p.output.overflowed():
		return fmt.Errorf("the server wrote more than %d MiB", MaxBytes>>20)
	case p.err != nil || p.result.ExitCode == 0:
		return nil
	}
	text := fmt.Sprintf("the server ended with exit code %d", p.result.ExitCode)
	if said := inert.OneLine(string(p.result.Stderr), 300); said != "" {
		text += ": " + said
	}
	return errors.New(text)
}
