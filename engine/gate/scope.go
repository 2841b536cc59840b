package gate

import (
	"context"
	"path"
	"strings"
)

// Scope is the part of a tree to check. Its zero value is the whole tree.
//
// Invariant: a scope only omits checks that the changes cannot affect, as far as the tools of a language know. A gate that cannot
// decide checks everything.
type Scope struct {
	// Changed are the files that were written, created or deleted, relative to the tree's root, slash-separated. Paths outside of a
	// gate's folder begin with "../". If empty, everything is checked.
	Changed []string
	Reach   Reach
	// Only are names of tests, as in findings: a suite runs no others, or, if it cannot select them, the unit that contains them.
	// Changed is ignored then.
	Only []string `json:",omitempty"`
	// Files means, with Only, that the whole files (packages) of these tests run.
	Files bool `json:",omitempty"`
	// Named are names of tests as written in the changed files, which are test files then, with ReachNear: a suite that can select
	// tests runs no others near them.
	Named []string `json:",omitempty"`
	// List lets a suite list tests that it knows without executing anything, and that take long, such as examples of documentation
	// (Report.Listed). Who charges a change by such a report has it measured without List first, if one of these tests fails.
	List bool `json:",omitempty"`
	// Uncached means that results that a tool remembers of earlier runs do not count: the environment of the folder may have changed.
	Uncached bool `json:"Anew,omitempty"`
}

// Reach is how far from the changes checks go.
type Reach int

// The reaches, the widest first.
const (
	ReachAll  Reach = iota // the whole project
	ReachWide              // the changed code, and its direct and indirect importers
	ReachNear              // the changed code, and its own tests
)

// All reports whether everything is checked.
func (s Scope) All() bool { return len(s.Only) == 0 && (s.Reach == ReachAll || len(s.Changed) == 0) }

// Scoped is a gate that can check a part of a tree. RunIn with a scope of everything is Run. With a narrower one, Executed counts
// only that part: reports of different scopes are not compared.
type Scoped interface {
	RunIn(ctx context.Context, tree Tree, scope Scope) Report
}

// RunIn runs a gate on a scope, or on everything if the gate cannot select.
func RunIn(ctx context.Context, g Gate, tree Tree, scope Scope) Report {
	if s, is := g.(Scoped); is && (scope.List || scope.Uncached || !scope.All()) {
		return s.RunIn(ctx, tree, scope)
	}
	return g.Run(ctx, tree)
}

// Selective is a gate that can decide, without starting anything, that files cannot affect its report.
type Selective interface {
	Concerned(tree Tree, changed []string) bool
}

// Concerned reports whether a change of files may affect a gate's report. changed are as in Scope; if empty, the result is true.
func Concerned(g Gate, tree Tree, changed []string) bool {
	s, is := g.(Selective)
	return !is || len(changed) == 0 || s.Concerned(tree, changed)
}

// Unconcerned returns the report of a gate that a change does not concern.
func Unconcerned(name string) Report {
	return Report{Gate: name, Verdict: NotRun, Empty: true, Unconcerned: true, Summary: "not concerned by what has changed"}
}

// below returns paths relative to a folder.
func below(dir string, paths []string) []string {
	all := make([]string, len(paths))
	for i, p := range paths {
		all[i] = relative(dir, p)
	}
	return all
}

// relative returns a path relative to a folder; both are relative to the same root.
func relative(dir, p string) string {
	up := ""
	for at := dir; ; at = path.Dir(at) {
		if at == "." || at == "" {
			return up + p
		}
		if inside, is := strings.CutPrefix(p, at+"/"); is {
			return up + inside
		}
		up += "../"
	}
}

// RunIn runs the gate in its folder.
func (w within) RunIn(ctx context.Context, t Tree, scope Scope) Report {
	scope.Changed = below(w.dir, scope.Changed)
	return w.placed(RunIn(ctx, w.Gate, InDir(t, w.dir), scope))
}

// Concerned asks the gate in its folder.
func (w within) Concerned(t Tree, changed []string) bool {
	return Concerned(w.Gate, InDir(t, w.dir), below(w.dir, changed))
}
