package secret

import (
	"regexp"
	"strings"
	"sync"
)

// allowance says what is no secret although a rule matches.
type allowance struct {
	All       bool     `json:"all,omitempty"`    // every part must match; else one of them
	Target    string   `json:"target,omitempty"` // what the regexes are for: match or line; else the secret
	Paths     []string `json:"paths,omitempty"`
	Regexes   []string `json:"regexes,omitempty"`
	StopWords []string `json:"stopwords,omitempty"` // in small letters

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

// allowsPath reports whether a file has nothing that could be a secret of a rule, whatever is in it.
func allowsPath(all []*allowance, path string) bool {
	for _, a := range all {
		if path != "" && len(a.Paths) > 0 && a.compiled().paths.MatchString(path) && (!a.All || len(a.Regexes)+len(a.StopWords) == 0) {
			return true
		}
	}
	return false
}

// candidate is what a rule has matched.
type candidate struct {
	secret, match, line, path string
}

func (c candidate) allowedBy(all []*allowance) bool {
	for _, a := range all {
		if c.allowed(a) {
			return true
		}
	}
	return false
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

// stopped reports whether the secret has one of the words that secrets do not have. In random letters a short word may stand by
// chance: one key in a hundred has one.
func (c candidate) stopped(a *allowance) bool {
	if isDisorder(c.secret) {
		return false
	}
	secret := strings.ToLower(c.secret)
	for _, word := range a.StopWords {
		if strings.Contains(secret, word) {
			return true
		}
	}
	return false
}
