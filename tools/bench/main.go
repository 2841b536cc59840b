// Command bench measures Forge's language server beside gopls, in one run and in turn, so that whatever
// else the machine does hits both alike. Only the ratios, and the goals in milliseconds and MiB on an idle
// machine, mean anything; docs/benchmarks.md says what each row is.
//
//	make bench ARGS='[-starts N] [-edits N] [-runs N] [-only NAME,NAME]'
//
// It runs in the root of the repository.
//
// A goal that is missed is printed as MISSED and does not fail the command; a measurement that could not
// be made does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is what every measurement needs.
type bench struct {
	forge, gopls program
	workspace    workspace
	starts       int // of each server, to measure initialize
	edits        int
	runs         int
	only         string // the measurements to make, with commas; empty: all
}

// measurement makes some rows. It returns the rows it has even when it fails.
type measurement struct {
	name string
	make func(ctx context.Context, b *bench) ([]row, error)
}

// measurements are all, in the order in which they are made.
var measurements = []measurement{
	{"initialize", measureInitialize}, {"actions", measureCodeAction}, {"memory", measureMemory}, {"edits", measureDidChange},
	{"acknowledge", measureRun}, {"journal", measureJournal}, {"run", measureOverhead}, {"apply", measureApply}, {"shadow", measureShadow},
	{"recall", measureRecall}, {"index", measureTree}, {"calls", measureCalls},
}

func run(ctx context.Context, args []string, out io.Writer) error {
	b := &bench{}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&b.starts, "starts", 30, "how often each server is started to measure initialize")
	flags.IntVar(&b.edits, "edits", 5000, "how many changes are sent to measure didChange")
	flags.IntVar(&b.runs, "runs", 30, "how many runs are started to measure forge.run")
	flags.StringVar(&b.only, "only", "", "measure only these, with commas: "+names())
	if err := flags.Parse(args); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "forge-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	if err := b.prepare(ctx, temporary); err != nil {
		return err
	}
	printMachine(ctx, out, b)
	return b.measure(ctx, out)
}

// names are those of the measurements.
func names() string {
	var all []string
	for _, m := range measurements {
		all = append(all, m.name)
	}
	return strings.Join(all, ", ")
}

// prepare builds both servers and writes the workspace.
func (b *bench) prepare(ctx context.Context, temporary string) error {
	forge, err := build(ctx, ".", "./cmd/forge", "forge")
	if err != nil {
		return err
	}
	gopls, err := build(ctx, filepath.Join("tools", "gopls"), "golang.org/x/tools/gopls", "gopls")
	if err != nil {
		return err
	}
	env := append(os.Environ(), "FORGE_HOME="+filepath.Join(temporary, "home"))
	b.forge = program{name: "forge", argv: []string{forge, "lsp"}, env: env}
	b.gopls = program{name: "gopls", argv: []string{gopls}, env: env}
	root := filepath.Join(temporary, "workspace")
	if err := os.Mkdir(root, 0o700); err != nil {
		return err
	}
	b.workspace, err = newWorkspace(root)
	return err
}

// measure prints each measurement as soon as it is made. One that fails does not keep the others away.
func (b *bench) measure(ctx context.Context, out io.Writer) error {
	var failed error
	printHead(out)
	for _, m := range measurements {
		if b.only != "" && !slices.Contains(strings.Split(b.only, ","), m.name) {
			continue
		}
		rows, err := m.make(ctx, b)
		for _, r := range rows {
			r.render(out)
		}
		if err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// alternate measures both servers so many times, in turn; each begins every other turn.
func (b *bench) alternate(times int, f func(p program) error) error {
	for i := range times {
		order := []program{b.forge, b.gopls}
		if i%2 == 1 {
			order[0], order[1] = order[1], order[0]
		}
		for _, p := range order {
			if err := f(p); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	return nil
}

// of is the sample of one server.
func (p *pair) of(which program) *sample {
	if which.name == "gopls" {
		return &p.gopls
	}
	return &p.forge
}
