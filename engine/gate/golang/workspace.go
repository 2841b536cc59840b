package golang

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// roots are the folders of workspaces, and those of modules that no workspace lists.
func roots(paths []string, read func(string) ([]byte, error)) (found []string) {
	found, listed := workspacesAmong(paths, read)
	for _, p := range paths {
		dir := tool.FolderOf(p)
		if path.Base(p) == "go.mod" && !listed(dir) && !slices.Contains(strings.Split(dir, "/"), "testdata") && !isMark(paths, dir) {
			found = append(found, dir)
		}
	}
	slices.Sort(found)
	return found
}

// workspacesAmong returns the folders of workspaces, and whether one of them lists the module in a folder. Where a go.work does not list the module in its own
// folder, that module and those that it lists are checked one by one, since a folder is checked once. One that cannot be read lists all modules below it.
func workspacesAmong(paths []string, read func(string) ([]byte, error)) (found []string, listed func(dir string) bool) {
	modules := map[string][]string{}
	for _, p := range paths {
		if path.Base(p) != "go.work" {
			continue
		}
		var text []byte
		if read != nil {
			text, _ = read(p)
		}
		at, dirs := tool.FolderOf(p), uses(text)
		if len(dirs) == 0 || slices.Contains(dirs, ".") || !slices.Contains(paths, path.Join(at, "go.mod")) {
			found, modules[at] = append(found, at), dirs
		}
	}
	return found, func(dir string) bool {
		return slices.ContainsFunc(found, func(at string) bool {
			inside := at == "" || dir == at || strings.HasPrefix(dir, at+"/")
			return inside && (len(modules[at]) == 0 || slices.ContainsFunc(modules[at], func(use string) bool { return path.Join(at, use) == path.Clean(dir) }))
		})
	}
}

// isMark reports whether the go.mod of a folder only keeps it out of the module at the root: there is no file of Go below it.
func isMark(paths []string, dir string) bool {
	return dir != "" && slices.Contains(paths, "go.mod") && !slices.ContainsFunc(paths, func(p string) bool {
		return strings.HasPrefix(p, dir+"/") && strings.HasSuffix(p, ".go")
	})
}

var (
	comment = lazyregexp.New(`//.*`)
	use     = lazyregexp.New(`(?m)^[ \t]*use(?:\s*\(([^)]*)\)|[ \t]+([^(\n]+))`)
)

// uses returns the folders that the text of a go.work lists, relative to its own, slash-separated.
func uses(text []byte) (dirs []string) {
	for _, m := range use.FindAllStringSubmatch(comment.ReplaceAllString(string(text), ""), -1) {
		for line := range strings.Lines(m[1] + m[2]) {
			if dir := strings.Trim(strings.TrimSpace(line), "\"`"); dir != "" {
				dirs = append(dirs, path.Clean(filepath.ToSlash(dir)))
			}
		}
	}
	return dirs
}

// workspace is the go.work that the go command finds for a folder; empty if there is none.
type workspace struct {
	dir     string   // absolute
	modules []string // the folders that it lists, absolute
}

func workspaceOf(dir string) workspace {
	for at := dir; ; at = filepath.Dir(at) {
		if text, is := textOf(filepath.Join(at, "go.work")); is {
			w := workspace{dir: at}
			for _, dir := range uses(text) {
				if dir = filepath.FromSlash(dir); !filepath.IsAbs(dir) {
					dir = filepath.Join(at, dir)
				}
				w.modules = append(w.modules, dir)
			}
			return w
		}
		if at == filepath.Dir(at) {
			return workspace{}
		}
	}
}

// omits reports whether a folder is that of a module that the workspace does not list: the go command refuses to check it in the workspace.
func (w workspace) omits(dir string) bool {
	return len(w.modules) > 0 && !slices.Contains(w.modules, dir) && isModule(dir)
}

// textOf returns the text of a regular file: another one, such as a pipe, may have no end.
func textOf(file string) (text []byte, is bool) {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	text, err := os.ReadFile(file)
	return text, err == nil
}

func isModule(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// outside runs commands on a module that the workspace around it does not list without that workspace.
type outside struct{ sandbox.Runner }

func (o outside) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	if workspaceOf(c.Dir).omits(c.Dir) {
		c.Env = append(slices.Clip(c.Env), "GOWORK=off")
	}
	return o.Runner.Run(ctx, c)
}

// concerned reports whether files may change the results of compilers and tests of a module: files of its own, and of the modules that it is compiled
// with, unless it is in a folder that the go command leaves out of the module above, such as _examples: it is not built or tested with that.
func concerned(tree gate.Tree, files []string) bool {
	w := workspaceOf(tree.Dir())
	switch {
	case w.dir == tree.Dir() && len(w.modules) == 0:
		return true // the go command says what is wrong with go.work
	case w.omits(tree.Dir()):
		w = workspace{}
	}
	modules := w.compiledWith(tree.Dir())
	return slices.ContainsFunc(files, func(file string) bool {
		full := filepath.Join(tree.Dir(), filepath.FromSlash(file))
		module := moduleAmong(modules, full)
		if module == "" {
			return w.configuredBy(full)
		}
		rel, err := filepath.Rel(module, full)
		return err != nil || (filepath.IsLocal(file) || !isLeftOut(tree)) && isCompiled(module, filepath.ToSlash(rel))
	})
}

// compiledWith returns the folders of the modules that the module in a folder is compiled with, itself among them, absolute: those of the workspace, and what
// they and go.work put in the place of others.
func (w workspace) compiledWith(dir string) []string {
	modules := slices.Clone(w.modules)
	if dir != w.dir || isModule(dir) {
		modules = append(modules, dir)
	}
	all := slices.Concat(modules, replacing(filepath.Join(w.dir, "go.work")))
	for _, module := range modules {
		all = append(all, replacing(filepath.Join(module, "go.mod"))...)
	}
	return all
}

// configuredBy reports whether a file is one of the workspace's own.
func (w workspace) configuredBy(file string) bool {
	rel, err := filepath.Rel(w.dir, file)
	return w.dir != "" && err == nil && (rel == "go.work" || rel == "go.work.sum" || strings.HasPrefix(filepath.ToSlash(rel), "vendor/"))
}

var replacement = lazyregexp.New("=>\\s*[\"`]?(\\.[^\\s\"`]*)")

// replacing returns the folders that a go.mod or a go.work puts in the place of modules, absolute.
func replacing(file string) (dirs []string) {
	text, _ := textOf(file)
	for _, m := range replacement.FindAllStringSubmatch(comment.ReplaceAllString(string(text), ""), -1) {
		dirs = append(dirs, filepath.Join(filepath.Dir(file), filepath.FromSlash(m[1])))
	}
	return dirs
}

// moduleAmong returns the one of some modules that a file belongs to; empty if it belongs to another one, or to none.
func moduleAmong(modules []string, file string) string {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		switch {
		case slices.Contains(modules, dir):
			return dir
		case isModule(dir) || dir == filepath.Dir(dir):
			return ""
		}
	}
}

// isCompiled reports whether compilers or tests may read a file of a module: files of Go and of modules, those next to files of Go, data of tests,
// and what may be embedded.
func isCompiled(module, file string) bool {
	root, err := os.OpenRoot(module)
	if err != nil {
		return true
	}
	defer root.Close() //nolint:errcheck // nothing was written
	return path.Ext(file) == ".go" || isModuleFile(file) || strings.Contains("/"+file, "/testdata/") || isBesideCode(root, path.Dir(file))
}
