package codeintel

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Pattern is what is to be replaced, and by what.
type Pattern struct {
	pairs  []pair         // longest first; of a literal pattern
	expr   *regexp.Regexp // of any other
	expand string         // in the place of what expr matches
	word   bool           // whole words only
}

// PatternOptions are how the text of a pattern is meant.
type PatternOptions struct {
	Word     bool // whole words only
	Regexp   bool // a regular expression of RE2; "$1" in the replacement is its first group
	Variants bool // the other ways to write the same name, too: fooBar, FooBar, foo_bar, FOO_BAR, foo-bar
}

// NewPattern makes a pattern. The error, for users and models, is what is wrong with it.
func NewPattern(find, replace string, o PatternOptions) (Pattern, error) {
	p := Pattern{word: o.Word}
	switch {
	case find == "":
		return p, errors.New("find is empty: give the text to replace")
	case o.Regexp && o.Variants:
		return p, errors.New("regexp and variants exclude each other: a regular expression is not a name")
	case o.Regexp:
		expr, err := regexp.Compile("(?m:" + find + ")")
		if err != nil {
			return p, fmt.Errorf("find is not a regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		if expr.MatchString("") {
			return p, fmt.Errorf("the regular expression %s matches an empty text: it would change every place", find)
		}
		p.expr, p.expand = expr, replace
		return p, nil
	case o.Variants && (len(parts(find)) == 0 || len(parts(replace)) == 0):
		return p, errors.New("variants are those of names: find and replace need letters")
	case o.Variants:
		p.pairs = variants(find, replace)
	default:
		p.pairs = []pair{{find, replace}}
	}
	slices.SortStableFunc(p.pairs, func(a, b pair) int { return cmp.Compare(len(b.find), len(a.find)) })
	return p, nil
}

// In replaces what matches in a text, and counts it.
func (p Pattern) In(text string) (after string, n int) {
	if p.expr != nil {
		return p.byExpression(text)
	}
	var b strings.Builder
	from := 0
	for at := 0; at < len(text); {
		s, found := p.next(text, at)
		if found == nil {
			break
		}
		b.WriteString(text[from:s.Start])
		b.WriteString(found.replace)
		from, at = s.End, s.End
		n++
	}
	b.WriteString(text[from:])
	return b.String(), n
}

// next is the first place from a byte on where one of the texts occurs; of those at the same place it is the longest.
func (p Pattern) next(text string, at int) (best Span, found *pair) {
	for i := range p.pairs {
		candidate := &p.pairs[i]
		for from := at; ; {
			next := strings.Index(text[from:], candidate.find)
			if next < 0 {
				break
			}
			s := Span{Start: from + next, End: from + next + len(candidate.find)}
			if found != nil && s.Start >= best.Start {
				break
			}
			if !p.word || isWhole(text, s) {
				best, found = s, candidate
				break
			}
			from = s.Start + 1
		}
	}
	return best, found
}

func (p Pattern) byExpression(text string) (after string, n int) {
	var b strings.Builder
	from := 0
	for _, m := range p.expr.FindAllStringSubmatchIndex(text, -1) {
		if p.word && !isWhole(text, Span{Start: m[0], End: m[1]}) {
			continue
		}
		b.WriteString(text[from:m[0]])
		b.Write(p.expr.ExpandString(nil, p.expand, text, m))
		from = m[1]
		n++
	}
	b.WriteString(text[from:])
	return b.String(), n
}
