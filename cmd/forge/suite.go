package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"forge/api"
	"forge/engine"
	"forge/engine/ask"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/proposal"
	"forge/internal/inert"
)

// startSuite runs all tests of a proposal that only a part has seen: before it is shown, where the flag of a run that is taken up wants that, else while the
// user decides about it. Nothing is run where nobody waits for an answer.
func (s session) startSuite(ctx context.Context, result engine.Result) error {
	switch suite := result.Suite; {
	case suite == nil:
	case s.flags.wholeSuite:
		return s.waitForSuite(ctx, suite, result.Proposal)
	case suite.Wanted && s.person && !s.flags.yes && !s.flags.json:
		s.suite = suite
		suite.Start(nil)
	}
	return nil
}

// waitForSuite waits for all tests of a proposal. One that tests fail with is not verified.
func (s session) waitForSuite(ctx context.Context, suite *engine.Suite, p *proposal.Proposal) error {
	stop := context.AfterFunc(ctx, suite.Cancel)
	defer stop()
	if s.flags.json {
		suite.Start(func(e event.Event) { _ = writeJSON(s.out, api.EventOf(e)) })
	} else {
		fmt.Fprintln(s.err, "[forge] whole suite: running all tests with the change")
		suite.Start(nil)
	}
	result := suite.Result()
	if result.Verdict == gate.Fail {
		p.Unverified, s.fails = result.Text, true
	} else {
		s.saySuite(suite)
	}
	return ctx.Err()
}

// endSuite stops the tests that are run while the user decides, and says how far they came.
func (s session) endSuite() {
	if suite := s.suite; suite != nil {
		s.suite = nil
		suite.Cancel()
		s.saySuite(suite)
	}
}

// saySuite says how a suite ended.
func (s session) saySuite(suite *engine.Suite) {
	fmt.Fprintf(s.err, "[forge] %s\n", inert.Text(suite.Result().Text))
}

// suiteStands is how a suite stands, in one line that is short enough for most terminals.
func suiteStands(suite *engine.Suite) string {
	select {
	case <-suite.Done():
		return inert.OneLine(suite.Result().Text, suiteWidth)
	default:
	}
	if count := suite.Count(); count.Ended > 0 {
		return "whole suite: " + count.String() + " so far"
	}
	return "whole suite: running"
}

const (
	suiteWidth = 76
	// suiteEvery is the shortest time between two looks at the count.
	suiteEvery = 200 * time.Millisecond
)

// followSuite shows how the suite stands while a question is open, in the line above the one in which the user types. Where tests fail the question is asked
// again below that: whoever has not answered must know. stop ends it.
func (d *dialogue) followSuite(q ask.Question) (stop func()) {
	suite := d.suite
	if suite == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for d.seeSuite(ctx, suite) {
		}
		if ctx.Err() == nil && suite.Result().Verdict == gate.Fail && !d.fails {
			d.fails = true
			d.interject(q, suite.Result())
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// seeSuite waits until a suite stands otherwise, and shows it. more is whether it goes on.
func (d *dialogue) seeSuite(ctx context.Context, suite *engine.Suite) (more bool) {
	select {
	case <-ctx.Done():
		return false
	case <-suite.Done():
		d.putAbove(suiteStands(suite))
		return false
	case <-suite.Moved():
		d.putAbove(suiteStands(suite))
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(suiteEvery):
		return true
	}
}

// putAbove writes a line in the place of the one above the cursor, and leaves the cursor where it is. A terminal that cannot do that shows the older line.
func (d *dialogue) putAbove(line string) {
	if term := d.variable("TERM"); term == "" || term == "dumb" {
		return
	}
	fmt.Fprintf(d.err, "\x1b7\x1b[1A\r\x1b[2K  %s\x1b8", line)
}

// variable is a variable of the environment.
func (t terminal) variable(name string) (value string) {
	for _, entry := range t.environ {
		if v, is := strings.CutPrefix(entry, name+"="); is {
			value = v
		}
	}
	return value
}

// interject says which tests fail, and shows an open question again. What was typed and not sent is dropped: it answers what was known before.
func (d *dialogue) interject(q ask.Question, result engine.SuiteResult) {
	if file, is := d.in.(*os.File); is && isTerminal(file) {
		dropInput(file)
	}
	fmt.Fprintf(d.err, "\n\n[forge] %s\n", inert.Text(result.Text))
	for _, r := range result.Reports {
		for _, f := range r.Findings[:min(len(r.Findings), suiteFindings)] {
			fmt.Fprintf(d.err, "        %s\n", inert.OneLine(f.String(), 200))
		}
	}
	d.show(q)
}

// suiteFindings is how many findings of a suite are shown.
const suiteFindings = 5
