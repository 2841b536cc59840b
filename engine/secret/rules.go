package secret

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"forge/internal/failpoint"
)

// rulesData are the rules of gitleaks (MIT License, see rules.LICENSE) as data: a test in tools/gitleaks writes them from
// the module, and fails if they differ. docs/adr/0028 explains the cost of importing the module.
//
//go:embed rules.json
var rulesData []byte

// ruleset is the content of rules.json.
type ruleset struct {
	Allow []*allowance `json:"allow"` // of every rule
	Rules []*rule      `json:"rules"`
}

// rules reads the rules, once, on first use.
var rules = sync.OnceValue(func() *ruleset {
	var set ruleset
	if err := json.Unmarshal(rulesData, &set); err != nil {
		failpoint.ReportBug("read the rules of secrets: %v", err)
	}
	return &set
})

// keywords finds the keywords of rules, and quickKeywords those of the quick ones.
var (
	keywords      = sync.OnceValue(func() *needles { return keywordsOf(func(*rule) bool { return true }) })
	quickKeywords = sync.OnceValue(func() *needles { return keywordsOf((*rule).isQuick) })
)

// keywordsOf returns the needles for keywords of some rules; a needle's name is its text.
func keywordsOf(is func(*rule) bool) *needles {
	var all []needle
	seen := map[string]bool{}
	for _, r := range rules().Rules {
		for _, k := range r.Keywords {
			if !is(r) {
				break
			}
			if !seen[k] {
				seen[k] = true
				all = append(all, needle{text: k, name: k})
			}
		}
	}
	return folding(all)
}

// cutKey finds a private key without its end: gitleaks, which reads whole files, has no rule for it.
var cutKey = &rule{
	ID: "private-key", Keywords: []string{"-----begin"},
	Regex: `(?i)-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{16,})+`,
}

// matchCut finds secrets that rules miss because a text was cut.
func (set *ruleset) matchCut(text string) []span {
	if !strings.Contains(text, "-----") {
		return nil
	}
	return cutKey.compiled().match(set, "", text, []window{{0, len(text)}})
}

// Match is a secret in a text: its gitleaks rule, and its place, in bytes.
type Match struct {
	Rule       string
	Start, End int
}

// Matches returns the matches of gitleaks' rules in a text, rule by rule; they may overlap. path may be empty. A Redactor finds
// more: known values, and private keys without their end.
func Matches(path, text string) []Match {
	var all []Match
	for _, s := range rules().match(path, text) {
		all = append(all, Match{s.name, s.start, s.end})
	}
	return all
}

// match finds apparent secrets in a text. path may be empty.
func (set *ruleset) match(path, text string) []span {
	return set.matchOf(path, text, keywords())
}

// quick is match with the fast rules: their expressions are tried at few places, and within single lines.
func (set *ruleset) quick(path, text string) []span { return set.matchOf(path, text, quickKeywords()) }

// matchOf is match with the rules of some keywords.
func (set *ruleset) matchOf(path, text string, keywords *needles) (found []span) {
	if allowsPath(set.Allow, path) {
		return nil
	}
	keys := keywords.places(text)
	for _, r := range set.Rules {
		if places := r.places(keys); len(places) > 0 && !allowsPath(r.Allow, path) {
			found = append(found, r.match(set, path, text, windows(text, places, r.compiled().reach))...)
		}
	}
	return found
}
