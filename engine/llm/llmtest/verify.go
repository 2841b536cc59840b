package llmtest

import (
	"errors"
	"fmt"
	"strings"

	"forge/engine/llm"
)

// UnexpectedError says that a request fits no entry of the script that has times left.
type UnexpectedError struct {
	Request llm.Request
	Left    []string // the entries with times left, and what each of them waits for
}

// Error tells the request from what was expected instead.
func (e *UnexpectedError) Error() string {
	expected := "nothing more"
	if len(e.Left) > 0 {
		expected = strings.Join(e.Left, "; ")
	}
	return fmt.Sprintf("the script does not expect this request: %s; it expects %s", describe(e.Request), expected)
}

func describe(r llm.Request) string {
	return fmt.Sprintf("node %q, attempt %d, schema %q", r.Node, r.Attempt, r.SchemaName)
}

// surprise makes the error for a request that was not expected. The caller holds mu.
func (s *Script) surprise(r llm.Request) *UnexpectedError {
	surprise := &UnexpectedError{Request: r}
	for i, entry := range s.entries {
		if s.left[i] != 0 {
			surprise.Left = append(surprise.Left, s.label(i)+": "+entry.Match.String())
		}
	}
	return surprise
}

// Unused names the entries that were used less often than their times say. An entry without a limit
// counts as used after one use.
func (s *Script) Unused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var unused []string
	for i, entry := range s.entries {
		if s.left[i] > 0 || s.used[i] == 0 {
			unused = append(unused, fmt.Sprintf("%s was used %d times of %d: %s",
				s.label(i), s.used[i], max(1, entry.limit()), entry.Match))
		}
	}
	return unused
}

// Verify returns nil if every entry was used, every request expected and no rule broken, else an error that lists
// the exceptions. Call it at the end of a test.
func (s *Script) Verify() error {
	var problems []error
	for _, unused := range s.Unused() {
		problems = append(problems, errors.New(unused))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, violation := range s.violations {
		problems = append(problems, violation)
	}
	for _, r := range s.unexpected {
		problems = append(problems, fmt.Errorf("not expected: %s", describe(r)))
	}
	return errors.Join(problems...)
}
