package archtest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// RaceFile lists the packages that `make test` runs with the race detector, relative to the module's root.
const RaceFile = "scripts/race.txt"

// readRace returns the packages of RaceFile, the first word of a line each, with their lines; nil for a module that has
// no such file.
func readRace(fsys fs.FS) (map[string]int, error) {
	text, err := fs.ReadFile(fsys, RaceFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the list of packages for the race detector: %w", err)
	}
	listed, n := map[string]int{}, 0
	for line := range strings.Lines(string(text)) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if fields := strings.Fields(line); len(fields) > 0 {
			listed[fields[0]] = n
		}
	}
	return listed, nil
}

// checkRace compares the list in RaceFile with the packages that have concurrency of their own. What lies in test/ is
// test code: it drives a program that is a process of its own.
func checkRace(m *module, b *blocks) []Violation {
	if b.race == nil {
		return nil
	}
	absent := maps.Clone(b.race)
	var found []Violation
	for _, p := range m.packages {
		line, listed := b.race[p.dir]
		delete(absent, p.dir)
		why := p.concurrency()
		switch {
		case why != "" && !listed:
			found = append(found, Violation{p.dir, 0, "race", fmt.Sprintf("the package has %s and is not in %s: add it", why, RaceFile)})
		case why == "" && listed:
			found = append(found, Violation{RaceFile, line, "race", p.dir + " has no concurrency of its own: remove the line"})
		}
	}
	for dir, line := range absent {
		found = append(found, Violation{RaceFile, line, "race", "there is no package " + dir})
	}
	return found
}

// concurrency names the first thing in a package for which the race detector is worth its time; empty if there is none.
func (p *pkg) concurrency() (what string) {
	for _, f := range p.production() {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if what == "" {
				what = concurrent(n)
			}
			return what == ""
		})
	}
	return what
}

// shared are the names of a package that several goroutines use, or that start one. sync.Once and its like are not among
// them: what they guard is written once, by them.
var shared = map[string][]string{
	"sync":     {"Mutex", "RWMutex", "WaitGroup", "Map", "Cond", "Pool"},
	"context":  {"AfterFunc"},
	"time":     {"AfterFunc"},
	"errgroup": {"Group", "WithContext"},
}

func concurrent(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "a go statement"
	case *ast.ChanType, *ast.SendStmt, *ast.SelectStmt:
		return "a channel"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "a channel"
		}
	case *ast.SelectorExpr:
		if from, ok := n.X.(*ast.Ident); ok && (from.Name == "atomic" || slices.Contains(shared[from.Name], n.Sel.Name)) {
			return from.Name + "." + n.Sel.Name
		}
	}
	return ""
}
