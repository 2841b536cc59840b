package work

import (
	"context"
	"fmt"

	"forge/api"
	"forge/cmd/forge/terminal"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/gate"
	"forge/engine/proposal"
	"forge/internal/inert"
)

// startSuite runs all tests of a proposal if the run has executed only a part: before it shows the proposal if the flag of a resumed run
// asks for that, otherwise while the user decides. It runs nothing if no user waits for the result.
func (s Session) startSuite(ctx context.Context, result execution.Result) error {
	switch tests := result.Suite; {
	case tests == nil:
	case s.Flags.wholeSuite:
		return s.waitForSuite(ctx, tests, result.Proposal)
	case tests.Wanted && s.Interactive && !s.Flags.Yes && !s.Flags.json:
		s.Suite = tests
		tests.Start(nil)
	}
	return nil
}

// waitForSuite waits for all tests of a proposal. If a test fails, the proposal is not verified.
func (s Session) waitForSuite(ctx context.Context, tests *checks.Suite, p *proposal.Proposal) error {
	stop := context.AfterFunc(ctx, tests.Cancel)
	defer stop()
	if s.Flags.json {
		tests.Start(func(e event.Event) { _ = terminal.WriteJSON(s.Out, api.EventOf(e)) })
	} else {
		fmt.Fprintln(s.Err, "[forge] whole suite: running all tests with the change")
		tests.Start(nil)
	}
	result := tests.Result()
	if result.Verdict == gate.Fail {
		p.Unverified, s.Fails = result.Text, true
	} else {
		s.saySuite(tests)
	}
	return ctx.Err()
}

// endSuite stops the tests that run while the user decides, and reports their progress.
func (s Session) endSuite() {
	if tests := s.Suite; tests != nil {
		s.Suite = nil
		tests.Cancel()
		s.saySuite(tests)
	}
}

// saySuite reports the result of a suite.
func (s Session) saySuite(tests *checks.Suite) {
	fmt.Fprintf(s.Err, "[forge] %s\n", inert.Text(tests.Result().Text))
}
