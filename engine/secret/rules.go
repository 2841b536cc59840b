package secret

import (
	_ "embed"
	"encoding/json"
	"sync"

	"forge/internal/bug"
)

// rulesData are the rules of gitleaks (MIT License, Copyright (c) 2019 Zachary Rice) as data: a test writes them from
// the module, and fails where they differ. docs/adr/0028 has what importing the module would cost.
//
//go:embed rules.json
var rulesData []byte

// ruleset is what rules.json holds.
type ruleset struct {
	Allow []*allowance `json:"allow"` // of every rule
	Rules []*rule      `json:"rules"`
}

// rules reads the rules, once, when the first text is searched.
var rules = sync.OnceValue(func() *ruleset {
	var set ruleset
	if err := json.Unmarshal(rulesData, &set); err != nil {
		bug.Reportf("read the rules of secrets: %v", err)
	}
	return &set
})

// keywords finds the keywords of rules; a needle's name is its text.
var keywords = sync.OnceValue(func() *needles {
	var all []needle
	seen := map[string]bool{}
	for _, r := range rules().Rules {
		for _, k := range r.Keywords {
			if !seen[k] {
				seen[k] = true
				all = append(all, needle{text: k, name: k})
			}
		}
	}
	return newNeedles(all)
})

// match finds what looks like a secret in a text. path may be empty.
func (set *ruleset) match(path, text string) (found []span) {
	if allowsPath(set.Allow, path) {
		return nil
	}
	keys := keywords().places(lower(text))
	for _, r := range set.Rules {
		if places := r.places(keys); len(places) > 0 && !allowsPath(r.Allow, path) {
			found = append(found, r.match(set, path, text, windows(text, places, r.compiled().reach))...)
		}
	}
	return found
}
