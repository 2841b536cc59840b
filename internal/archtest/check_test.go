// Package archtest is the test of the house: it reads the blocks `deps` and `world` of docs/imports.md
// and compares them with what the code really imports, and it keeps the few rules of STYLE.md that a
// compiler does not know.
//
// The blocks are decisions, not a mirror of the code. When the test fails, the usual answer is to move
// code, not to add an edge. A new edge is a line in docs/adr.
//
// Rules, each with a fixture in testdata that breaks it:
//
//	deps        a package imports only what its line allows; lines name packages above them only;
//	            no line and no edge stands there unused
//	world       what is named there is imported by the named packages only; every module from outside is
//	            named; tests are free
//	fronts      tests may import more than their package, but no front from below
//	package-doc every package says what it is
//	doc         every exported name says what it means; Error, String and their like need not
//	issue       a to-do names its issue
//	length      a source file that people write has at most 600 lines
//	named-test  a test that ARCHITECTURE.md, docs/invariants.md or docs/comparison.md names exists
//	named-place ARCHITECTURE.md names each package of the program, and files and names that exist
//	startup     no package compiles regular expressions when a process starts
//	race        scripts/race.txt lists the packages that have concurrency of their own, and no others
package archtest

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
)

// ImportsFile is the document that holds the blocks, relative to the module's root.
const ImportsFile = "docs/imports.md"

// documents are those that may appeal to tests; a module need not have them.
var documents = []string{"ARCHITECTURE.md", "docs/invariants.md", "docs/comparison.md"}

// Violation is one place where the code and the rules differ.
type Violation struct {
	Path    string // slash-separated, relative to the module's root
	Line    int    // from 1; 0 where it is about the whole file or package
	Rule    string // one of the names in the package comment
	Message string // what is wrong and what to do
}

// String gives the violation in the form editors can jump to.
func (v Violation) String() string {
	if v.Line == 0 {
		return fmt.Sprintf("%s: %s [%s]", v.Path, v.Message, v.Rule)
	}
	return fmt.Sprintf("%s:%d: %s [%s]", v.Path, v.Line, v.Message, v.Rule)
}

// Check holds the module in fsys against its rules and returns what breaks them, ordered by place. The
// error is for a module that cannot be read: no go.mod, a syntax error, a malformed block.
func Check(fsys fs.FS) ([]Violation, error) {
	m, err := load(fsys)
	if err != nil {
		return nil, err
	}
	b, err := readBlocks(fsys)
	if err != nil {
		return nil, err
	}
	var found []Violation
	for _, rule := range []func(*module, *blocks) []Violation{
		checkDeps, checkWorld, checkFronts, checkPackageDocs, checkDocs, checkIssues, checkLength, checkNamedTests, checkPlaces, checkRace, checkStartup,
	} {
		found = append(found, rule(m, b)...)
	}
	slices.SortFunc(found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Message, b.Message))
	})
	return found, nil
}
