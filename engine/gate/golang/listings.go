package golang

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// listings caches the packages of trees, by folder: listing those of a large module takes seconds, and each gate needs them.
type listings struct {
	tool.PerTree[[]listed]
	heads  tool.PerTree[string]   // digests of files, by path
	latest tool.PerTree[listedIn] // by the folder that trees copy: a tree with the same files reuses the listing
}

// listedIn are packages as they were listed in a tree.
type listedIn struct {
	dir string
	all []listed
}

// at returns the packages of another tree with the same files; none if one of them is elsewhere.
func (l listedIn) at(dir string) (all []listed) {
	for _, p := range l.all {
		for _, place := range []*string{&p.dir, &p.moduleDir} {
			rel, err := filepath.Rel(l.dir, *place)
			if err != nil || !filepath.IsLocal(rel) {
				return nil
			}
			*place = filepath.Join(dir, rel)
		}
		all = append(all, p)
	}
	return all
}

// stateOf returns a digest of everything that go list depends on, equal for all trees with the same files: the names of a tree's files, the heads
// and embed directives of Go files, and the files that configure modules. It omits folders that the go command ignores.
func (l *listings) stateOf(dir string) string {
	sum := sha256.New()
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // the go command says what is wrong
		}
		if name := entry.Name(); entry.IsDir() && path != dir && (strings.HasPrefix(name, ".") || name == "node_modules") {
			return fs.SkipDir
		}
		if info, err := entry.Info(); err == nil && !entry.IsDir() {
			_, _ = fmt.Fprintf(sum, "%s %v %s\n", strings.TrimPrefix(path, dir), info.Mode().Type(), l.said(path, info)) // a hash takes everything
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil))
}

// said returns a digest of the part of a file's text that go list depends on; empty for a file of which only the name counts.
func (l *listings) said(path string, info fs.FileInfo) string {
	if ext := filepath.Ext(path); ext != ".go" && !isModuleFile(filepath.ToSlash(path)) && filepath.Base(path) != "modules.txt" {
		return ""
	}
	stamp := fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
	if said, is := l.heads.Of(path, stamp); is {
		return said
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	if filepath.Ext(path) == ".go" {
		text = head(text)
	}
	digest := sha256.Sum256(text)
	said := hex.EncodeToString(digest[:])
	l.heads.Keep(path, stamp, said)
	return said
}

// head returns the text of a Go file up to the end of its imports, and its lines with embed directives. It returns all of a file whose imports
// cannot be parsed.
func head(text []byte) []byte {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.ImportsOnly)
	if err != nil {
		return text
	}
	end := file.Name.End()
	for _, decl := range file.Decls {
		end = max(end, decl.End())
	}
	says := bytes.Clone(text[:set.PositionFor(end, false).Offset])
	if !bytes.Contains(text, []byte("//go:embed")) {
		return says
	}
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte("//go:embed")) {
			says = append(says, line...)
		}
	}
	return says
}

// listLimit is how long go list may take.
const listLimit = 1 * time.Minute

// patterns returns the patterns that match all packages of a tree: one for each module of a workspace, otherwise "./...".
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

// listedPackage is a package as go list -json prints it; go help list describes the fields.
type listedPackage struct {
	ImportPath, Dir, Name                                string
	TestGoFiles, XTestGoFiles                            []string
	Imports, TestImports, XTestImports                   []string
	EmbedFiles                                           []string
	EmbedPatterns, TestEmbedPatterns, XTestEmbedPatterns []string
	Module                                               *struct{ Path, Dir string }
}

const listedFields = "ImportPath,Dir,Name,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,EmbedFiles,EmbedPatterns,TestEmbedPatterns,XTestEmbedPatterns,Module"

// packages returns the packages that the patterns match, broken ones too, and the state of the tree, which is empty if listings are not cached.
func (t tools) packages(ctx context.Context, tree gate.Tree, patterns []string) (all []listed, state string) {
	if t.known == nil {
		return t.listPackages(ctx, tree, patterns), ""
	}
	state = t.known.stateOf(tree.Dir()) + "\n" + strings.Join(patterns, "\n")
	if all, is := t.known.Of(tree.Dir(), state); is {
		return all, state
	}
	latest, _ := t.known.latest.Of(moduleOf(tree), state)
	if all = latest.at(tree.Dir()); len(all) == 0 {
		all = t.listPackages(ctx, tree, patterns)
	}
	if len(all) > 0 { // else the go command says what is wrong
		t.known.Keep(tree.Dir(), state, all)
		t.known.latest.Keep(moduleOf(tree), state, listedIn{tree.Dir(), all})
	}
	return all, state
}

func (t tools) listPackages(ctx context.Context, tree gate.Tree, patterns []string) (all []listed) {
	said := strings.Join(t.list(ctx, tree, append([]string{"-e", "-buildvcs=false", "-json=" + listedFields}, patterns...)...), "\n")
	decoder := json.NewDecoder(strings.NewReader(said))
	for {
		var p listedPackage
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			return nil // a part of the packages does not show what the others import
		}
		all = append(all, p.listed())
	}
}

func (p listedPackage) listed() listed {
	l := listed{
		path: p.ImportPath, dir: p.Dir, files: slices.Concat(p.TestGoFiles, p.XTestGoFiles), imports: p.Imports,
		testsUse: slices.Concat(p.TestImports, p.XTestImports), embeds: p.EmbedFiles,
		wanted: slices.Concat(p.EmbedPatterns, p.TestEmbedPatterns, p.XTestEmbedPatterns),
	}
	if len(l.files) > 0 && p.Name != "" {
		l.tests = p.Name + "_test"
	}
	if p.Module != nil {
		l.module, l.moduleDir = p.Module.Path, p.Module.Dir
	}
	return l
}

// list runs go list, and returns the lines that it prints, whatever its exit code. It returns none if the command cannot run, times out or prints more than
// can be read: the gate's own command reports the error, or checks everything.
func (t tools) list(ctx context.Context, tree gate.Tree, args ...string) []string {
	result, err := t.Runner.Run(ctx, sandbox.Command{
		InPlace: true, Argv: append([]string{"go", "list"}, args...), Dir: tree.Dir(), Env: t.Env, Timeout: listLimit, MaxOutput: tool.MaxOutput,
	})
	if err != nil || result.TimedOut || result.Truncated {
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

// moduleOf returns the user's folder of the module in a tree: it is equal for all trees of that folder.
func moduleOf(tree gate.Tree) string {
	within, err := filepath.Rel(gate.Top(tree), tree.Dir())
	if origin := gate.Origin(tree); origin != "" && err == nil {
		return filepath.Join(origin, within)
	}
	return tree.Dir()
}
