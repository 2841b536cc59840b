package work

import (
	"context"
	"fmt"

	"forge/api"
	"forge/cmd/forge/terminal"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/gate"
	"forge/engine/proposal"
	"forge/internal/inert"
)

// startSuite runs all tests of a proposal if the run has executed only a part: before it shows the proposal if the flag of a resumed run
// asks for that, otherwise while the user decides. It runs nothing if no user waits for the result.
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

// waitForSuite waits for all tests of a proposal. If a test fails, the proposal is not verified.
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

// endSuite stops the tests that run while the user decides, and reports their progress.
func (s Session) endSuite() {
	if suite := s.Suite; suite != nil {
		s.Suite = nil
		suite.Cancel()
		s.saySuite(suite)
	}
}

// saySuite reports the result of a suite.
func (s Session) saySuite(suite *execution.Suite) {
	fmt.Fprintf(s.Err, "[forge] %s\n", inert.Text(suite.Result().Text))
}
