package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// allowance describes matches of a rule that are not secrets.
type allowance struct {
	All       bool     `json:"all,omitempty"`    // every part must match; otherwise one of them
	Target    string   `json:"target,omitempty"` // subject of the regexes: match or line; otherwise the secret
	Paths     []string `json:"paths,omitempty"`
	Regexes   []string `json:"regexes,omitempty"`
	StopWords []string `json:"stopwords,omitempty"` // in lower case

	compile sync.Once
	paths   *regexp.Regexp
	regexes *regexp.Regexp
}

func (a *allowance) compiled() *allowance {
	a.compile.Do(func() {
		a.paths, a.regexes = compiledOr(a.Paths), compiledOr(a.Regexes)
	})
	return a
}

// allowsPath reports whether a file is exempt from a rule, regardless of its content.
func allowsPath(all []*allowance, path string) bool {
	for _, a := range all {
		if path != "" && len(a.Paths) > 0 && a.compiled().paths.MatchString(path) && (!a.All || len(a.Regexes)+len(a.StopWords) == 0) {
			return true
		}
	}
	return false
}

// candidate is a match of a rule.
type candidate struct {
	secret, match, line, path string
}

func (c candidate) allowedBy(all []*allowance) bool {
	return slices.ContainsFunc(all, c.allowed)
}

func (c candidate) allowed(a *allowance) bool {
	a.compiled()
	target := c.secret
	switch a.Target {
	case "match":
		target = c.match
	case "line":
		target = c.line
	}
	regex := a.regexes != nil && a.regexes.MatchString(target)
	if !a.All {
		return regex || c.stopped(a)
	}
	return (a.regexes == nil || regex) && (len(a.StopWords) == 0 || c.stopped(a)) &&
		(a.paths == nil || c.path != "" && a.paths.MatchString(c.path))
}

// stopped reports whether the secret contains a word that secrets do not contain. Random letters may contain a short word by
// chance: one key in a hundred does.
func (c candidate) stopped(a *allowance) bool {
	if isDisorder(c.secret) {
		return false
	}
	secret := strings.ToLower(c.secret)
	return slices.ContainsFunc(a.StopWords, func(word string) bool { return strings.Contains(secret, word) })
}
