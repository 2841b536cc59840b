package golang

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// listLimit is how long go list may take.
const listLimit = 1 * time.Minute

// patterns gives what "everything" is for the go command: each module of a workspace, else the tree.
func (t tools) patterns(ctx context.Context, tree gate.Tree) []string {
	if _, err := os.Stat(filepath.Join(tree.Dir(), "go.work")); err != nil {
		return []string{"./..."}
	}
	r := tool.RootOf(tree)
	var all []string
	for _, dir := range t.list(ctx, tree, "-m", "-f", "{{.Dir}}") {
		if rel, ok := r.Rel(dir); ok {
			all = append(all, "./"+strings.TrimPrefix(rel+"/...", "./"))
		}
	}
	if len(all) == 0 {
		return []string{"./..."}
	}
	return all
}

// told is a package as go list -json tells of it; go help list has the fields.
type told struct {
	ImportPath, Dir, Name                       string
	TestGoFiles, XTestGoFiles                   []string
	Imports, TestImports, XTestImports          []string
	EmbedFiles, TestEmbedFiles, XTestEmbedFiles []string
	Module                                      *struct{ Path, Dir string }
}

const toldFields = "ImportPath,Dir,Name,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,EmbedFiles,TestEmbedFiles,XTestEmbedFiles,Module"

// packages gives the packages that the patterns match, broken ones too, and the state of the tree; it is empty where nobody asks for it.
func (t tools) packages(ctx context.Context, tree gate.Tree, patterns []string) (all []listed, state string) {
	if t.known == nil {
		return t.listPackages(ctx, tree, patterns), ""
	}
	state = t.known.stateOf(tree.Dir()) + "\n" + strings.Join(patterns, "\n")
	if all, is := t.known.of(tree.Dir(), state); is {
		return all, state
	}
	all = t.listPackages(ctx, tree, patterns)
	if len(all) > 0 { // else the go command says what is wrong
		t.known.keep(tree.Dir(), state, all)
	}
	return all, state
}

func (t tools) listPackages(ctx context.Context, tree gate.Tree, patterns []string) (all []listed) {
	said := strings.Join(t.list(ctx, tree, append([]string{"-e", "-buildvcs=false", "-json=" + toldFields}, patterns...)...), "\n")
	decoder := json.NewDecoder(strings.NewReader(said))
	for {
		var p told
		if decoder.Decode(&p) != nil {
			return all
		}
		all = append(all, p.listed())
	}
}

func (p told) listed() listed {
	l := listed{
		path: p.ImportPath, dir: p.Dir, files: slices.Concat(p.TestGoFiles, p.XTestGoFiles), imports: p.Imports,
		testsUse: slices.Concat(p.TestImports, p.XTestImports), embeds: slices.Concat(p.EmbedFiles, p.TestEmbedFiles, p.XTestEmbedFiles),
	}
	switch {
	case len(p.XTestGoFiles) > 0:
		l.tests = p.Name + "_test"
	case len(p.TestGoFiles) > 0:
		l.tests = p.Name
	}
	if p.Module != nil {
		l.module, l.moduleDir = p.Module.Path, p.Module.Dir
	}
	return l
}

// list runs go list. A failure is an empty list: the gate's own command says what is wrong.
func (t tools) list(ctx context.Context, tree gate.Tree, args ...string) []string {
	result, err := t.Runner.Run(ctx, sandbox.Command{
		InPlace: true, Argv: append([]string{"go", "list"}, args...), Dir: tree.Dir(), Env: t.Env, Timeout: listLimit,
	})
	if err != nil || result.TimedOut {
		return nil
	}
	var all []string
	for line := range strings.Lines(string(result.Stdout)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			all = append(all, line)
		}
	}
	return all
}
