package world

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"time"

	"forge/codeintel"
	"forge/engine/sandbox"
	"forge/engine/tool"
	"forge/patch"
)

// Tree is a scratch tree.
type Tree interface {
	patch.Files
	// Dir returns the absolute path of the tree's root.
	Dir() string
}

// Servers are the installed language servers for one tree. They resolve names, which parsers cannot. A server works in a scratch tree, without a
// network; the table servers lists the supported languages. If no server is installed, or it cannot load the code, Rename reports that, and parsers
// are used instead.
type Servers struct {
	Runner sandbox.Runner
	Tree   Tree
	Limit  time.Duration // of a server; 0 means 150 s
}

var _ tool.Servers = Servers{}

// servers contains the rename functions by language.
var servers = map[codeintel.Language]func(context.Context, Servers, tool.Renaming) (tool.Renamed, error){
	codeintel.LanguageGo:         gopls,
	codeintel.LanguageTypeScript: tsserver,
	codeintel.LanguageTSX:        tsserver,
	codeintel.LanguageJavaScript: tsserver,
	codeintel.LanguagePython:     python,
	codeintel.LanguageRust:       rust,
}

// Rename asks the language's server. The error means that ctx has ended.
func (s Servers) Rename(ctx context.Context, r tool.Renaming) (tool.Renamed, error) {
	if ask := servers[r.Language]; ask != nil {
		return ask(ctx, s, r)
	}
	return tool.Renamed{}, nil
}

// start runs a server in a folder of the tree.
func (s Servers) start(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	c.Dir = filepath.Join(s.Tree.Dir(), filepath.FromSlash(c.Dir))
	c.MaxWrite = maxWrite
	return s.Runner.Run(ctx, c)
}

// loading is the time limit of a server: it reads a whole module and its imports.
const loading = 150 * time.Second

// limit returns the time limit of a server.
func (s Servers) limit() time.Duration { return cmp.Or(s.Limit, loading) }

// maxWrite limits by how much the tree may grow.
const maxWrite = 64 << 20

// above returns the innermost folder, from that of a file to the top of the tree, that contains one of some files; otherwise the
// top.
func (s Servers) above(file string, names ...string) string {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		for _, name := range names {
			if _, err := s.Tree.ReadFile(path.Join(dir, name)); err == nil || dir == "." {
				return dir
			}
		}
	}
}

// rel converts a path from a server to one relative to the tree; false if it is outside.
func (s Servers) rel(dir, name string) (string, bool) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.Tree.Dir(), filepath.FromSlash(dir), name)
	}
	for _, root := range roots(s.Tree.Dir()) {
		if rel, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// roots returns the spellings of a tree's folder.
func roots(dir string) []string {
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		return []string{dir, real}
	}
	return []string{dir}
}
