package gate

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Missing is a program that a gate needs and that cannot be started, or a package that it needs in part. The zero value means that nothing is missing.
type Missing struct {
	Program string // "ruff", "Go 1.26"
	// Install is the command that installs it ("python -m pip install ruff"), or the address of a page that explains how.
	Install string
	Dir     string // the folder of the tree in which to run that command; empty or "." is the root
	// Partly means that it is a package that some files import: the gate runs without it, and checks what does not need it.
	Partly bool `json:",omitempty"`
}

// Is reports whether a program is missing.
func (m Missing) Is() bool { return m.Program != "" }

// String returns what is missing and how to install it, in one sentence.
func (m Missing) String() string {
	if !m.Is() {
		return ""
	}
	return sentence([]string{m.Program}, m)
}

// NotRun fills in the report of a gate that did not run because of it.
func (m Missing) NotRun(report *Report) {
	report.Verdict, report.Empty, report.Missing, report.Install = NotRun, false, m.Program, m.Install
	report.Summary = cut(m.String())
}

// Preflighted is a gate that can report quickly, without executing anything of the tree, which program it lacks. It searches for
// the program that Run would start, and starts it at most to ask for its version.
type Preflighted interface {
	Preflight(ctx context.Context, tree Tree) Missing
}

// Preflight returns what a gate lacks. A gate that starts no program lacks none.
func Preflight(ctx context.Context, g Gate, tree Tree) Missing {
	if p, is := g.(Preflighted); is {
		return p.Preflight(ctx, tree)
	}
	return Missing{}
}

// Sentences returns what is missing, one sentence for each command that installs something: "eslint and tsc are not installed;
// `npm install` installs them".
func Sentences(all []Missing) (told []string) {
	for i, m := range all {
		same := func(o Missing) bool { return o.Install == m.Install && path.Clean(o.Dir) == path.Clean(m.Dir) }
		if !m.Is() || slices.IndexFunc(all, func(o Missing) bool { return o.Is() && same(o) }) < i {
			continue
		}
		var programs []string
		for _, o := range all[i:] {
			if o.Is() && same(o) && !slices.Contains(programs, o.Program) {
				programs = append(programs, o.Program)
			}
		}
		told = append(told, sentence(programs, m))
	}
	return told
}

func sentence(programs []string, m Missing) string {
	is, them := "is", "it"
	if len(programs) > 1 {
		is, them = "are", "them"
	}
	last := len(programs) - 1
	names := programs[last]
	if last > 0 {
		names = strings.Join(programs[:last], ", ") + " and " + names
	}
	switch {
	case m.Install == "":
		return fmt.Sprintf("%s %s not installed", names, is)
	case strings.Contains(m.Install, "://"):
		return fmt.Sprintf("%s %s not installed; see %s", names, is, m.Install)
	case m.Dir != "" && m.Dir != ".":
		return fmt.Sprintf("%s %s not installed; `%s` in %s installs %s", names, is, m.Install, m.Dir, them)
	}
	return fmt.Sprintf("%s %s not installed; `%s` installs %s", names, is, m.Install, them)
}

// within returns the same for a folder of the tree.
func (m Missing) within(dir string) Missing {
	if m.Is() && !strings.Contains(m.Install, "://") {
		m.Dir = path.Join(dir, m.Dir)
	}
	return m
}
