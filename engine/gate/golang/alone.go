package golang

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate"
)

// alone is the selection of some tests by their names, or of their packages. It is not ok where a test is of no package of the tree.
func (t tools) alone(ctx context.Context, tree gate.Tree, scope gate.Scope) (s selection, ok bool) {
	all, _ := t.packages(ctx, tree, t.patterns(ctx, tree))
	s.among, s.alone = len(all), true
	chosen := map[string]bool{}
	for _, test := range scope.Only {
		pkg, name := splitTest(all, test)
		if pkg == "" {
			return selection{}, false
		}
		chosen[pkg] = true
		if top, _, _ := strings.Cut(name, "/"); !slices.Contains(s.names, top) {
			s.names = append(s.names, top)
		}
	}
	for _, p := range all {
		if chosen[p.path] {
			s.packages, s.args = append(s.packages, p), append(s.args, p.path)
		}
	}
	if scope.Files {
		s.names = nil
	}
	return s, true
}

// splitTest takes the name of a test apart: the path of the package with the longest one that it can be of, and the test's own name.
func splitTest(all []listed, test string) (pkg, name string) {
	for _, p := range all {
		if rest, is := strings.CutPrefix(test, p.path+"."); is && len(p.path) > len(pkg) {
			pkg, name = p.path, rest
		}
	}
	return pkg, name
}

// arguments are the options of go test that run what is selected only, and the witnesses of packages. Where tests are run again a result of before,
// which the go command remembers, is none.
func (s selection) arguments(witnesses map[string]string) (args []string) {
	if s.alone {
		args = append(args, "-count=1")
	}
	if len(s.names) == 0 {
		return args
	}
	var names []string
	for _, name := range s.names {
		names = append(names, regexp.QuoteMeta(name))
	}
	for _, p := range s.packages {
		if name := witnesses[p.path]; name != "" {
			names = append(names, name)
		}
	}
	return append(args, "-run=^("+strings.Join(names, "|")+")$")
}
