package api

import (
	"fmt"
	"strings"
)

// Document is a prompt as people read it: what it is made of, with the tokens of each section, then what is sent, byte for byte.
func (p PromptResult) Document() string {
	var text strings.Builder
	to := ""
	if p.Model != "" {
		to = " to " + p.Model
	}
	fmt.Fprintf(&text, "%s%s, hash %s: %d of %d tokens, and at most %d for the answer\n\n tokens  kind         section\n", p.Node, to, p.Hash, p.Tokens, p.Budget, p.MaxTokens)
	for _, s := range p.Sections {
		fmt.Fprintf(&text, "%7d  %-12s %s  %s\n", s.Tokens, s.Kind, s.Name, strings.Join(s.notes(), ", "))
	}
	for i, m := range p.Messages {
		mark := ""
		if m.Stable {
			mark = ", and up to its end the same in further attempts"
		}
		fmt.Fprintf(&text, "\n──── message %d, from the %s%s ────\n%s\n", i+1, m.Role, mark, m.Text)
	}
	return text.String()
}

func (s PromptSection) notes() (notes []string) {
	if s.Cut {
		notes = append(notes, "cut to fit")
	}
	if s.Stable {
		notes = append(notes, "stable")
	}
	if s.Data {
		notes = append(notes, "data")
	}
	if s.Source != "" && s.Source != s.Name {
		notes = append(notes, "from "+s.Source)
	}
	return notes
}
