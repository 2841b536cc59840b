package testrun

import (
	"fmt"

	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

var (
	noTests = lazyregexp.New(`(?m)^(No tests? files? found|No tests found, exiting|Error: No test files found)`)
	// unmatched is what Mocha says of a pattern without files, before it says what is wrong with those of another one.
	unmatched = lazyregexp.New(`(?m)^Warning: Cannot find any files matching pattern [^\n]*\n`)
	// configured is what runners say when it is the project's settings that they cannot read.
	configured = lazyregexp.New(`(?i)failed to load config|Startup Error|Validation Error|error reading.*config|config file`)
)

// Judge decides what it means that a runner ended as it did. unexplained says that one in which nothing failed and that fails has failed outside
// of tests.
func (s *Results) Judge(program string, unexplained bool, result sandbox.Result, r tool.Root) {
	stderr := unmatched.ReplaceAllString(string(result.Stderr), "")
	switch {
	case s.Ended && result.ExitCode != 0 && unexplained && len(s.Beside) == 0 && s.Count(failed, Unfinished) == 0 && s.Count(passed) > 0:
		s.Beside = append(s.Beside, Place{}.Finding(RuleTest, program+
			" failed although no test did: something went wrong outside of tests, such as a promise that was rejected while nobody waited for it"))
	case s.Ended || len(s.Beside) > 0:
	case result.ExitCode == 0 && !result.Truncated:
		s.Beside = append(s.Beside, Place{}.Finding(RuleTest,
			fmt.Sprintf("%s ended with code 0 before it had said what became of the tests: something ends the process, such as process.exit", program)))
	case noTests.MatchString(stderr):
		s.Ended = true
	default:
		s.crashed(stderr, r)
	}
}

// crashed reads why a runner could not even begin, if that is a place in the tree; else the gate is an Error.
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
