package integrity

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/internal/lazyregexp"
)

// Failing returns the names of the tests among findings.
func Failing(found []gate.Finding) (tests []string) {
	for _, f := range found {
		if f.Test != "" {
			tests = append(tests, f.Test)
		}
	}
	return tests
}

// Beyond returns the tests that are not among the known ones.
func Beyond(tests, known []string) []string {
	set := map[string]bool{}
	for _, test := range known {
		set[steady(test)] = true
	}
	return slices.DeleteFunc(slices.Clone(tests), func(test string) bool { return set[steady(test)] })
}

// random matches an address of memory and a UUID. Names of cases that print a value contain them.
var random = lazyregexp.New(`0x[0-9a-fA-F]{8,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)

// steady returns the name of a test without what is random in it.
func steady(test string) string { return random.ReplaceAllString(test, "#") }

func setOf(tests []string) map[string]bool {
	set := make(map[string]bool, len(tests))
	for _, test := range tests {
		set[test] = true
	}
	return set
}

// Covers reports whether a test represents all tests of its file, such as "test/sum.js > sum.js" of tap, and another is one of
// these: they fail together.
func Covers(test, other string) bool {
	file, name, _ := strings.Cut(test, " > ")
	return name != "" && name == path.Base(file) && strings.HasPrefix(other, file+" > ")
}

var (
	withinTest  = lazyregexp.New(`::| > |[./]`)
	subtestOf   = lazyregexp.New(`\.(Test\w+)/`)
	distinctive = lazyregexp.New(`\w_\w|[a-z][A-Z]|\w \w`)
)

// Called returns the names that users may call a test: its own, and that of the test of which it is a case. It omits names that are
// words of the language, which are ambiguous.
func Called(test string) []string {
	parts := withinTest.Split(test, -1)
	names := parts[len(parts)-1:]
	if top := subtestOf.FindStringSubmatch(test); top != nil {
		names = append(names, top[1])
	}
	return slices.DeleteFunc(names, func(name string) bool { return !distinctive.MatchString(name) })
}

// Mentioned reports whether a text names a test, in users' words.
func Mentioned(test, text string) bool {
	return slices.ContainsFunc(Called(test), func(name string) bool {
		return regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(name) + `(\W|$)`).MatchString(text)
	})
}

// mayBeIn reports whether a test may be in a file, according to its name: two packages may have tests of the same name. A Go file
// at the top of a module may be of any package, because names do not show the end of the module's path.
func mayBeIn(test, file string) bool {
	switch path.Ext(file) {
	case ".go":
		at := goTest.FindStringIndex(test)
		dir := path.Dir(file)
		return at == nil || dir == "." || test[:at[0]] == dir || strings.HasSuffix(test[:at[0]], "/"+dir)
	case ".py":
		if at := caseOf.FindStringIndex(test); at != nil {
			test = test[:at[1]-1]
		}
		parts := withinTest.Split(test, -1)
		return len(parts) < 2 || slices.Contains(parts, strings.TrimSuffix(path.Base(file), ".py"))
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts":
		where, _, within := strings.Cut(test, " > ")
		return !within || path.Ext(where) == "" || path.Base(where) == path.Base(file)
	case ".rs":
		m := rustExample.FindStringSubmatch(test)
		return m == nil || strings.HasSuffix("/"+file, "/"+m[1]) || strings.HasSuffix("/"+m[1], "/"+file)
	}
	return true
}

// rustExample matches the name of an example in the documentation of Rust, which contains its file, relative to its package.
var rustExample = lazyregexp.New(`^[\w-]+::doc (\S+) - `)
