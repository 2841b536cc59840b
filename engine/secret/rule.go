package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// rule finds secrets of a kind. Its expressions are compiled when a text contains one of its keywords.
type rule struct {
	ID       string       `json:"id"`
	Regex    string       `json:"regex"`
	Path     string       `json:"path,omitempty"` // only in files whose path matches
	Group    int          `json:"group,omitempty"`
	Entropy  float64      `json:"entropy,omitempty"` // the minimum of the secret
	Keywords []string     `json:"keywords,omitempty"`
	Allow    []*allowance `json:"allow,omitempty"`

	compile sync.Once
	regex   *regexp.Regexp
	path    *regexp.Regexp
	reach   int // reach of the expression
}

func (r *rule) compiled() *rule {
	r.compile.Do(func() {
		r.regex = regexp.MustCompile(r.Regex)
		r.path = compiledOr([]string{r.Path})
		r.reach = reach(r.Regex)
	})
	return r
}

// isQuick reports whether the rule has a distinctive prefix: it is not for arbitrary values assigned to names, for many
// lines, or with a short keyword.
func (r *rule) isQuick() bool {
	const anyName, anyLines = `[\w.-]{0,50}?`, `[\s\S`
	return !strings.Contains(r.Regex, anyName) && !strings.Contains(r.Regex, anyLines) &&
		!slices.ContainsFunc(r.Keywords, func(k string) bool { return len(k) < 3 })
}

// places returns the places of the rule's keywords, in order.
func (r *rule) places(keys map[string][]int) (all []int) {
	for _, k := range r.Keywords {
		all = append(all, keys[k]...)
	}
	slices.Sort(all)
	return all
}

// match finds the secrets of the rule in parts of a text.
func (r *rule) match(set *ruleset, path, text string, parts []window) (found []span) {
	if r.path != nil && !r.path.MatchString(path) {
		return nil
	}
	for _, w := range parts {
		for _, at := range r.regex.FindAllStringIndex(text[w.start:w.end], -1) {
			if s, is := r.secret(set, path, text, w.start+at[0], w.start+at[1]); is {
				found = append(found, s)
			}
		}
	}
	return found
}

// secret returns the secret of a match, unless it is allowed.
func (r *rule) secret(set *ruleset, path, text string, start, end int) (span, bool) {
	match := strings.Trim(text[start:end], "\n")
	start += strings.Index(text[start:end], match)
	from, to := r.secretIn(match)
	c := candidate{secret: match[from:to], match: match, line: lineAround(text, start, start+len(match)), path: path}
	is := (r.Entropy == 0 || entropy(c.secret) > r.Entropy) && !c.allowedBy(set.Allow) && !c.allowedBy(r.Allow)
	return span{start: start + from, end: start + to, name: r.ID}, is
}

// secretIn returns the place of the secret in a match: the group that the rule names, otherwise the first nonempty one.
func (r *rule) secretIn(match string) (from, to int) {
	groups := r.regex.FindStringSubmatchIndex(match)
	if r.Group > 0 && 2*r.Group+1 < len(groups) && groups[2*r.Group] >= 0 {
		return groups[2*r.Group], groups[2*r.Group+1]
	}
	for i := 2; i+1 < len(groups) && r.Group == 0; i += 2 {
		if groups[i+1] > groups[i] {
			return groups[i], groups[i+1]
		}
	}
	return 0, len(match)
}

// lineAround returns a part of a text with the rest of its lines.
func lineAround(text string, start, end int) string {
	return text[lineStart(text, start):lineEnd(text, end)]
}

// compiledOr returns an expression for any of several; nil for none.
func compiledOr(expressions []string) *regexp.Regexp {
	var parts []string
	for _, e := range expressions {
		if e != "" {
			parts = append(parts, "(?:"+e+")")
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return regexp.MustCompile(strings.Join(parts, "|"))
}

// lazily returns an expression that is compiled on first use: most starts of Forge need none.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
