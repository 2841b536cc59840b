package engine

import (
	"context"
	"slices"
	"strings"

	"forge/engine/activity"
	"forge/engine/gate"
	"forge/engine/gate/golang"
	"forge/engine/gate/javascript"
	"forge/engine/gate/python"
	"forge/engine/pipeline"
	"forge/engine/sandbox"
	"forge/engine/step"
)

// languages are those that Forge knows.
func languages(r sandbox.Runner) []gate.Language {
	return []gate.Language{
		golang.Language(r),
		javascript.Language(r),
		python.Language(r),
	}
}

// units finds the projects in a tree and the gates that check them. In a tree of no known language there are none, and a run in
// it ends before it costs anything.
func (e *Engine) units(ctx context.Context, tree activity.Tree) ([]step.Unit, error) {
	paths, err := tree.List(ctx)
	if err != nil {
		return nil, err
	}
	units := []step.Unit{}
	for _, l := range e.languages {
		for _, dir := range l.Roots(paths, tree.ReadFile) {
			units = append(units, step.Unit{Language: l.Name, Dir: dir, Gates: l.Select(ctx, gate.InDir(tree, dir))})
		}
	}
	return units, nil
}

// gate finds a gate by the name that projectOf gave it; nil where there is none.
func (e *Engine) gate(full string) gate.Gate {
	dir, name := gate.SplitName(full)
	for _, l := range e.languages {
		for _, g := range l.Gates {
			if g.Name() == name {
				return gate.In(dir, g)
			}
		}
	}
	return nil
}

// projectOf tells how units are checked: what is cheap comes first.
func (e *Engine) projectOf(units []step.Unit) pipeline.Project {
	var p pipeline.Project
	for _, u := range units {
		l, known := e.language(u.Language)
		if !known {
			continue
		}
		for _, name := range u.Gates {
			p.Gates = append(p.Gates, gate.NameIn(u.Dir, name))
		}
		if slices.Contains(u.Gates, l.Suite) {
			p.Suites = append(p.Suites, suite(l, u.Dir))
		}
	}
	slices.SortStableFunc(p.Gates, func(a, b string) int { return int(gate.StageOf(e.gate(a))) - int(gate.StageOf(e.gate(b))) })
	return p
}

func (e *Engine) language(name string) (gate.Language, bool) {
	at := slices.IndexFunc(e.languages, func(l gate.Language) bool { return l.Name == name })
	if at < 0 {
		return gate.Language{}, false
	}
	return e.languages[at], true
}

// suite is the tests of a project in a folder.
func suite(l gate.Language, dir string) pipeline.Suite {
	return pipeline.Suite{
		Gate: gate.NameIn(dir, l.Suite), Red: l.Red,
		IsTest: func(path string) bool {
			if dir == "" {
				return l.IsTest(path)
			}
			inside, is := strings.CutPrefix(path, dir+"/")
			return is && l.IsTest(inside)
		},
	}
}
