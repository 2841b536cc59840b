package terminal

import (
	"context"
	"fmt"
	"os"
	"time"

	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/internal/inert"
)

// suiteStatus describes the state of a suite in one short line.
func suiteStatus(tests *checks.Suite) string {
	select {
	case <-tests.Done():
		return inert.OneLine(tests.Result().Text, suiteWidth)
	default:
	}
	if count := tests.Count(); count.Ended > 0 {
		return "whole suite: " + count.String() + " so far"
	}
	return "whole suite: running"
}

const (
	suiteWidth = 76
	// suiteEvery is the shortest time between two updates of the count.
	suiteEvery = 200 * time.Millisecond
)

// followSuite shows the state of the suite while a question is open, in the line above the user's input. If tests fail it prints the
// question again below that, so that a user who has not answered sees the failure. stop ends it.
func (d *Dialogue) followSuite(q event.Question) (stop func()) {
	tests := d.Suite
	if tests == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for d.seeSuite(ctx, tests) {
		}
		if ctx.Err() == nil && tests.Result().Verdict == gate.Fail && !d.Fails {
			d.Fails = true
			d.interject(q, tests.Result())
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// seeSuite waits for the next state of a suite and shows it. more is false after its end.
func (d *Dialogue) seeSuite(ctx context.Context, tests *checks.Suite) (more bool) {
	select {
	case <-ctx.Done():
		return false
	case <-tests.Done():
		d.putAbove(suiteStatus(tests))
		return false
	case <-tests.Moved():
		d.putAbove(suiteStatus(tests))
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(suiteEvery):
		return true
	}
}

// putAbove writes a line above the cursor without moving the cursor. A terminal that does not support this shows the older line.
func (d *Dialogue) putAbove(line string) {
	if term := d.Env("TERM"); term == "" || term == "dumb" {
		return
	}
	Draw(d.Err, "\x1b7\x1b[1A\r\x1b[2K  %s\x1b8", line)
}

// interject reports failing tests and shows an open question again. It drops unsent input, which answers what was known before.
func (d *Dialogue) interject(q event.Question, result checks.SuiteResult) {
	if file, is := d.In.(*os.File); is && isTerminal(file) {
		dropInput(file)
	}
	fmt.Fprintf(d.Err, "\n\n[forge] %s\n", inert.Text(result.Text))
	for _, r := range result.Reports {
		for _, f := range r.Findings[:min(len(r.Findings), suiteFindings)] {
			fmt.Fprintf(d.Err, "        %s\n", inert.OneLine(f.String(), 200))
		}
	}
	d.show(q)
}

// suiteFindings bounds the findings of a suite that are shown.
const suiteFindings = 5
