//go:build cgo

package treesitter

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
)

// predicate is a condition on the text of a capture, as a query has it: #eq?, #any-of?, #match? and the same with
// "not-" in front. The library's own evaluation compiles regular expressions again for each match.
type predicate struct {
	capture uint32
	holds   func(text string) bool
	negated bool
}

// newPredicates reads the predicates of a pattern; their second argument is text, never another capture.
func newPredicates(query *sitter.Query, pattern uint32) ([]predicate, error) {
	var all []predicate
	for _, steps := range query.PredicatesForPattern(pattern) {
		name := query.StringValueForId(steps[0].ValueId)
		var values []string
		for _, step := range steps[2 : len(steps)-1] {
			if step.Type != sitter.QueryPredicateStepTypeString {
				return nil, fmt.Errorf("#%s compares two captures", name)
			}
			values = append(values, query.StringValueForId(step.ValueId))
		}
		p := predicate{capture: steps[1].ValueId}
		name, p.negated = strings.CutPrefix(name, "not-")
		switch name {
		case "eq?", "any-of?":
			p.holds = func(text string) bool { return slices.Contains(values, text) }
		case "match?":
			pattern, err := regexp.Compile(values[0])
			if err != nil {
				return nil, err
			}
			p.holds = pattern.MatchString
		default:
			return nil, fmt.Errorf("unknown predicate #%s", name)
		}
		all = append(all, p)
	}
	return all, nil
}

// allowed reports whether a match fulfils the predicates of its pattern.
func (p *program) allowed(m *sitter.QueryMatch, source string) bool {
	for _, predicate := range p.predicates[m.PatternIndex] {
		for _, c := range m.Captures {
			if c.Index == predicate.capture && predicate.holds(source[c.Node.StartByte():c.Node.EndByte()]) == predicate.negated {
				return false
			}
		}
	}
	return true
}
