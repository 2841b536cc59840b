package llmtest

import (
	"errors"
	"fmt"
	"strings"

	"forge/engine/llm"
)

func describe(r llm.Request) string {
	return fmt.Sprintf("node %q, attempt %d, schema %q", r.Node, r.Attempt, r.SchemaName)
}

// surprise is the error for a request that fits no entry with times left: it names these, and what each of them waits for. The caller holds mu.
func (s *Script) surprise(r llm.Request) error {
	var expected []string
	for i, entry := range s.entries {
		if s.left[i] != 0 {
			expected = append(expected, s.label(i)+": "+entry.Match.String())
		}
	}
	if expected == nil {
		expected = []string{"nothing more"}
	}
	return fmt.Errorf("the script does not expect this request: %s; it expects %s", describe(r), strings.Join(expected, "; "))
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
	problems = append(problems, s.problems...)
	return errors.Join(problems...)
}
