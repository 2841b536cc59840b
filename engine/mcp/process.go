package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"forge/engine/sandbox"
	"forge/internal/inert"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// closing is how long a server may take to end after its input has ended. Then its process tree is killed.
	closing = 5 * time.Second
	// lifetime is how long a server may run: longer than any run.
	lifetime = 24 * time.Hour
)

// process is a server that runs, in a private folder. Its goroutine ends with stop.
type process struct {
	dir    string
	input  *io.PipeWriter
	output *inbox
	end    context.CancelFunc
	asks   *roots
	ended  chan struct{}

	result sandbox.Result // valid once ended is closed
	err    error          // likewise
}

func start(ctx context.Context, r sandbox.Runner, argv []string, asks *roots) (*process, error) {
	dir, err := os.MkdirTemp("", "forge-mcp-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the server: %w", err)
	}
	ctx, kill := context.WithCancel(ctx)
	reader, input := io.Pipe()
	p := &process{dir: dir, input: input, output: newInbox(MaxBytes, kill), end: kill, asks: asks, ended: make(chan struct{})}
	receive := func(part []byte) {
		asks.notice(part)
		p.output.receive(part)
	}
	command := sandbox.Command{Argv: argv, Dir: dir, Timeout: lifetime, Stdin: reader, MaxOutput: 64 << 10, OnOutput: receive}
	go func() {
		defer close(p.ended)
		p.result, p.err = r.Run(ctx, command)
		_ = p.output.Close()
		_ = reader.Close() // a pending Write of the client returns
	}()
	return p, nil
}

func (p *process) refill(limit int) { p.output.refill(limit) }
func (p *process) failure() error   { return nil }
func (p *process) kill()            { p.end() }

// transport passes messages on. The inbox reports a server that writes too much; the SDK's own limit, which would compete with it, is higher.
func (p *process) transport() sdk.Transport {
	return &sdk.IOTransport{Reader: p.output, Writer: watching{p.input, p.asks}, MaxLineLength: 2 * MaxBytes}
}

// stop ends the server and waits for its process. The error is the failure of the process itself; nil if it ended as it should.
func (p *process) stop() error {
	_ = p.input.Close()
	_ = p.output.Close()
	timer := time.AfterFunc(closing, p.kill)
	defer timer.Stop()
	<-p.ended
	p.kill()
	_ = os.RemoveAll(p.dir) // a temporary folder
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
	if stderr := inert.OneLine(string(p.result.Stderr), 300); stderr != "" {
		text += ": " + stderr
	}
	return errors.New(text)
}
