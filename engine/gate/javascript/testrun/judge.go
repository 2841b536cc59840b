package testrun

import (
	"fmt"

	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

var (
	noTests = lazyregexp.New(`(?m)^(No tests? files? found|No tests found, exiting|Error: No test files found)`)
	// unmatched matches Mocha's warning about a pattern without files, which precedes other errors.
	unmatched = lazyregexp.New(`(?m)^Warning: Cannot find any files matching pattern [^\n]*\n`)
	// configured matches messages about unreadable settings of the project.
	configured = lazyregexp.New(`(?i)failed to load config|Startup Error|Validation Error|error reading.*config|config file`)
)

// Judge decides what the end of a runner means. With unexplained, a failing run without a failed test has failed outside of tests.
func (s *Results) Judge(program string, unexplained bool, result sandbox.Result, r tool.Root) {
	stderr := unmatched.ReplaceAllString(string(result.Stderr), "")
	switch {
	case s.Ended && result.ExitCode != 0 && unexplained && len(s.Beside) == 0 && s.Count(failed, Unfinished) == 0 && s.Count(passed) > 0:
		s.Beside = append(s.Beside, Place{}.Finding(RuleTest, program+
			" failed although no test did: something went wrong outside of tests, such as an unhandled rejection of a promise"))
	case s.Ended || len(s.Beside) > 0:
	case result.ExitCode == 0 && !result.Truncated:
		s.Beside = append(s.Beside, Place{}.Finding(RuleTest,
			fmt.Sprintf("%s ended with code 0 before it reported the tests: something ends the process, such as process.exit", program)))
	case noTests.MatchString(stderr):
		s.Ended = true
	default:
		s.crashed(stderr, r)
	}
}

// crashed adds a finding for a runner that could not start, if the place is in the tree; otherwise the gate is an Error.
func (s *Results) crashed(stderr string, r tool.Root) {
	if where, ok := SyntaxOf(stderr, r); ok {
		s.Beside = append(s.Beside, where.Finding(RuleSyntax, Message(stderr, r)))
	} else if where, ok := FrameOf(stderr, r); ok {
		rule := RuleLoad
		if configured.MatchString(stderr) {
			rule = RuleConfig
		}
		s.Beside = append(s.Beside, where.Finding(rule, Message(stderr, r)))
	}
}
