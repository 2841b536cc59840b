package gate

import (
	"context"
	"path"
	"strings"
)

// Scope says what of a tree is checked. Its zero value is all of it.
//
// Invariant: a scope only leaves checks out that what has changed cannot concern, as far as the tools of a language know. A gate that
// cannot tell checks everything.
type Scope struct {
	// Changed are the files that were written, made or deleted, relative to the tree's root, slash-separated. Those outside of the tree,
	// of which a gate in a folder is told, begin with "../". Without any, everything is checked.
	Changed []string
	Reach   Reach
	// Only are names of tests, as findings have them: a suite runs no other ones, or, where it cannot tell them apart, what has them in it.
	// What has changed does not count then.
	Only []string `json:",omitempty"`
	// Files says, with Only, that the whole files (packages) of these tests are run.
	Files bool `json:",omitempty"`
	// Named are names of tests as they stand in the files that have changed, which are files of tests then, with ReachNear: of those near a suite that
	// can tell them apart runs no other ones.
	Named []string `json:",omitempty"`
}

// Reach is how far from what has changed is checked.
type Reach int

// The reaches, the widest first.
const (
	ReachAll  Reach = iota // the whole project
	ReachWide              // what has changed, and what imports it, also through others
	ReachNear              // what has changed, and its own tests
)

// All reports whether everything is checked.
func (s Scope) All() bool { return len(s.Only) == 0 && (s.Reach == ReachAll || len(s.Changed) == 0) }

// Scoped is a gate that can check a part of a tree. RunIn with a scope of everything is Run. With a narrower one Executed counts what is
// in it: reports of different scopes are not compared.
type Scoped interface {
	RunIn(ctx context.Context, tree Tree, scope Scope) Report
}

// RunIn runs a gate on what is in a scope; on everything where the gate cannot tell.
func RunIn(ctx context.Context, g Gate, tree Tree, scope Scope) Report {
	if s, is := g.(Scoped); is && !scope.All() {
		return s.RunIn(ctx, tree, scope)
	}
	return g.Run(ctx, tree)
}

// Selective is a gate that can tell, without starting anything, that files do not concern it: whatever they hold, it says the same.
type Selective interface {
	Concerned(tree Tree, changed []string) bool
}

// Concerned reports whether a change of files may change what a gate says. changed are as in Scope; without any it is true.
func Concerned(g Gate, tree Tree, changed []string) bool {
	s, is := g.(Selective)
	return !is || len(changed) == 0 || s.Concerned(tree, changed)
}

// Unconcerned is the report of a gate that has nothing to say of a change.
func Unconcerned(name string) Report {
	return Report{Gate: name, Verdict: NotRun, Empty: true, Unconcerned: true, Summary: "not concerned by what has changed"}
}

// below gives paths as they are named from a folder.
func below(dir string, paths []string) []string {
	all := make([]string, len(paths))
	for i, p := range paths {
		all[i] = relative(dir, p)
	}
	return all
}

// relative is a path as it is named from a folder; both are relative to the same root.
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
