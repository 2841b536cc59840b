package work

import (
	"context"
	"fmt"
	"io"
	"strings"

	"forge/api"
	"forge/cmd/forge/terminal"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/gate"
	"forge/engine/proposal"
	"forge/internal/inert"
)

// printer shows a run's events to the user while they happen.
type printer struct {
	out    io.Writer
	teller *event.Teller
	said   string // the node that was stopped last, and why: the end of a run repeats neither
}

func newPrinter(out io.Writer) *printer { return &printer{out: out, teller: event.NewTeller()} }

// show shows an event. Questions and proposals are not among the lines: they stand on the screen by themselves.
func (p *printer) show(e event.Event) {
	for _, line := range p.teller.Tell(p.brief(e)) {
		if line.Phase != event.PhaseAsk && line.Phase != event.PhaseProposal {
			fmt.Fprintf(p.out, "[forge] %s\n", line.Text)
		}
	}
}

// brief leaves out of the end of a run the reason that its node gave in the lines above.
func (p *printer) brief(e event.Event) event.Event {
	switch d := e.Data.(type) {
	case event.NodeChanged:
		if d.Node.Reason != "" {
			p.said = d.Node.ID + ": " + d.Node.Reason
		}
	case event.RunEnded:
		if node, _, found := strings.Cut(d.Reason, ": "); found && d.Reason == p.said {
			d.Reason = node + ", as said above"
			e.Data = d
		}
	}
	return e
}

// startSuite runs all tests of a proposal of which the run has executed only a part: before it shows the proposal if the flag of a resumed
// run asks for that, else while the user decides. It runs nothing if no user waits for the result.
func (s Session) startSuite(ctx context.Context, result execution.Result) error {
	switch suite := result.Suite; {
	case suite == nil:
	case s.Flags.wholeSuite:
		return s.waitForSuite(ctx, suite, result.Proposal)
	case suite.Wanted && s.Person && !s.Flags.Yes && !s.Flags.json:
		s.Suite = suite
		suite.Start(nil)
	}
	return nil
}

// waitForSuite waits for all tests of a proposal. One that tests fail with is not verified.
func (s Session) waitForSuite(ctx context.Context, suite *execution.Suite, p *proposal.Proposal) error {
	stop := context.AfterFunc(ctx, suite.Cancel)
	defer stop()
	if s.Flags.json {
		suite.Start(func(e event.Event) { _ = terminal.WriteJSON(s.Out, api.EventOf(e)) })
	} else {
		fmt.Fprintln(s.Err, "[forge] whole suite: running all tests with the change")
		suite.Start(nil)
	}
	result := suite.Result()
	if result.Verdict == gate.Fail {
		p.Unverified, s.Fails = result.Text, true
	} else {
		s.saySuite(suite)
	}
	return ctx.Err()
}

// endSuite stops the tests that are run while the user decides, and says how far they came.
func (s Session) endSuite() {
	if suite := s.Suite; suite != nil {
		s.Suite = nil
		suite.Cancel()
		s.saySuite(suite)
	}
}

// saySuite says how a suite ended.
func (s Session) saySuite(suite *execution.Suite) {
	fmt.Fprintf(s.Err, "[forge] %s\n", inert.Text(suite.Result().Text))
}
