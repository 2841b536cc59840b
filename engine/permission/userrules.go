package permission

import (
	"path"
	"slices"
	"strings"
)

// Rule is a row of the user's own settings about calls of tools. Of the rules that match a call, deny beats ask, and ask beats allow.
type Rule struct {
	Tool   string `json:"tool"`            // the name of a tool, a pattern such as "web.*", or a Kind
	Match  string `json:"match,omitempty"` // the words of a command, or a path or an address with * and **; empty is any call
	Answer Answer `json:"answer"`
	Source string `json:"source"` // where it is written, for users
}

// Answer is what a rule demands.
type Answer string

// The answers.
const (
	AllowIt Answer = "allow" // no question, unless the command is critical and not exactly this one, or each call has to be asked about
	AskIt   Answer = "ask"   // a question about each call, which no flag answers
	DenyIt  Answer = "deny"  // in every mode and with every flag
)

// String returns the rule for users and for the model.
func (r Rule) String() string {
	return strings.TrimSpace(string(r.Answer)+" "+r.Tool+" "+r.Match) + " (" + r.Source + ")"
}

// ruledBy returns the first rule with an answer that matches an action.
func (p Policy) ruledBy(answer Answer, a Action) (Rule, bool) {
	i := slices.IndexFunc(p.Rules, func(r Rule) bool { return r.Answer == answer && r.concerns(a) && r.matches(a) })
	if i < 0 {
		return Rule{}, false
	}
	return p.Rules[i], true
}

// byUser denies, or asks about, what the user's rules name.
func (p Policy) byUser(a Action) Finding {
	if r, denied := p.ruledBy(DenyIt, a); denied {
		return Finding{Deny, CodeUserRule, "the user's settings say: " + r.String()}
	}
	if r, asked := p.ruledBy(AskIt, a); asked {
		return Finding{AskStrict, CodeUserRule, "your settings say: " + r.String()}
	}
	return allows
}

// concerns reports whether the rule is about the tool of an action.
func (r Rule) concerns(a Action) bool {
	named, _ := path.Match(r.Tool, a.Tool)
	return named || r.Tool == string(a.Kind)
}

// matches reports whether the rule is about this call. A rule that allows must match all of it; another one, any part of it.
func (r Rule) matches(a Action) bool {
	allow := r.Answer == AllowIt
	switch {
	case r.Match == "":
		return true
	case a.Kind == Command && allow:
		return wholly(words(r.Match), a.Argv)
	case a.Kind == Command:
		return slices.ContainsFunc(Judge(a.Argv).Commands, func(argv []string) bool { return begins(words(r.Match), argv) })
	case allow:
		return len(a.Resources) > 0 && !slices.ContainsFunc(a.Resources, func(one string) bool { return !glob(r.Match, one) })
	}
	return slices.ContainsFunc(a.Resources, func(one string) bool { return glob(r.Match, one) })
}

// exactly reports whether the rule names this very command: every word of it, without a pattern.
func (r Rule) exactly(a Action) bool {
	return r.Match != "" && !strings.ContainsAny(r.Match, "*?[") && slices.Equal(words(r.Match), a.Argv)
}

// words are the words of a pattern; what no shell could read as one command matches nothing.
func words(pattern string) []string {
	if all, err := shellWords(pattern); err == nil {
		return all
	}
	return []string{"\x00"}
}

// wholly reports whether a command is the pattern, word by word. ** at the end matches any further words.
func wholly(pattern, argv []string) bool {
	if n := len(pattern); n > 0 && pattern[n-1] == "**" {
		return len(argv) >= n-1 && wholly(pattern[:n-1], argv[:n-1])
	}
	return slices.EqualFunc(pattern, argv, glob)
}

// begins reports whether a command begins as the pattern does. The folder of its program, its options and their values do not count.
func begins(pattern, argv []string) bool {
	pattern = slices.DeleteFunc(slices.Clone(pattern), func(w string) bool { return w == "**" })
	for i, word := range argv {
		switch {
		case len(pattern) == 0:
			return true
		case glob(pattern[0], word), i == 0 && glob(pattern[0], path.Base(word)):
			pattern = pattern[1:]
		case i == 0, !strings.HasPrefix(word, "-") && !strings.HasPrefix(argv[i-1], "-"):
			return false
		}
	}
	return len(pattern) == 0
}

// glob reports whether a text is a pattern: * matches letters within a name, ** any letters.
func glob(pattern, text string) bool {
	before, after, ok := strings.Cut(pattern, "*")
	if !ok {
		return pattern == text
	}
	rest, found := strings.CutPrefix(text, before)
	after, deep := strings.CutPrefix(after, "*")
	for i := 0; found && i <= len(rest); i++ {
		if glob(after, rest[i:]) {
			return true
		}
		found = i == len(rest) || deep || rest[i] != '/'
	}
	return false
}
