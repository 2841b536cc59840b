package golang

import (
	"context"
	"os"
	"path/filepath"
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

// packages gives the packages that the patterns match; broken ones too.
func (t tools) packages(ctx context.Context, tree gate.Tree, patterns []string) (all []listed) {
	const format = "{{.ImportPath}}\t{{.Dir}}\t{{if .XTestGoFiles}}{{.Name}}_test{{else if .TestGoFiles}}{{.Name}}{{end}}" +
		`{{"\t"}}{{join .TestGoFiles "/"}}/{{join .XTestGoFiles "/"}}`
	args := append([]string{"-e", "-buildvcs=false", "-f", format}, patterns...)
	for _, line := range t.list(ctx, tree, args...) {
		if fields := strings.Split(line, "\t"); len(fields) == 4 {
			files := strings.FieldsFunc(fields[3], func(r rune) bool { return r == '/' })
			all = append(all, listed{path: fields[0], dir: fields[1], tests: fields[2], files: files})
		}
	}
	return all
}

// list runs go list. A failure is an empty list: the gate's own command says what is wrong.
func (t tools) list(ctx context.Context, tree gate.Tree, args ...string) []string {
	result, err := t.Runner.Run(ctx, sandbox.Command{
		Argv: append([]string{"go", "list"}, args...), Dir: tree.Dir(), Env: t.Env, Timeout: listLimit,
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
