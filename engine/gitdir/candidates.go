package gitdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/workspace"
	"forge/patch"
)

// Candidates lists every file that is neither ignored nor installed, and every file that the user's repository tracks, sorted;
// some may no longer exist. It omits files of nested repositories: a git that finds one in an index would run inside it, with
// its settings. It names folders that cannot be read. The caller has the lock.
func (f *Files) Candidates(ctx context.Context) (names []string, closed []Skipped, err error) {
	user := findUserGit(f.dir.Root)
	if err := f.writeExcludes(user); err != nil {
		return nil, nil, err
	}
	// Without an index: git would list its files even if they are ignored by now.
	names, closed, err = f.Untracked(ctx, f.dir.Root, "")
	if err != nil {
		return nil, nil, err
	}
	tracked, err := f.tracked(ctx, user)
	if err != nil {
		return nil, nil, err
	}
	found := append(f.withoutInstalled(names), tracked...)
	slices.Sort(found)
	nests := NewNests(f.dir.Root)
	return slices.DeleteFunc(slices.Compact(found), func(name string) bool {
		return strings.HasSuffix(name, "/") || nests.Inside(name)
	}), closed, nil
}

// closedFolders parses git's warnings about folders that it could not open.
func closedFolders(said string) []Skipped {
	var closed []Skipped
	for line := range strings.Lines(said) {
		rest, ok := strings.CutPrefix(line, "warning: could not open directory '")
		name, _, quoted := strings.Cut(rest, "': ")
		if ok && quoted {
			closed = append(closed, Skipped{strings.TrimSuffix(name, "/"), "the folder cannot be read: check its permissions"})
		}
	}
	return closed
}

// CheckKept returns, as a *patch.PathError, why git cannot store a file of this name. It rejects less
// than patch.CheckPath: a folder may contain names that no edit may create, and compilers must see all
// of it.
func CheckKept(name string) error {
	if fs.ValidPath(name) && name != "." && !strings.ContainsRune(name, 0) && !patch.InGit(name) {
		return nil
	}
	return patch.CheckPath(name)
}

// Nests caches which folders are, or are in, nested repositories or behind symbolic links.
type Nests struct {
	root  string
	known map[string]bool
}

// NewNests returns the cache for a folder.
func NewNests(root string) *Nests { return &Nests{root, map[string]bool{".": false}} }

// Inside reports whether a file is in one of them.
func (n *Nests) Inside(name string) bool { return n.foreign(path.Dir(name)) }

func (n *Nests) foreign(dir string) bool {
	answer, ok := n.known[dir]
	if ok {
		return answer
	}
	answer = n.foreign(path.Dir(dir)) || n.startsNest(dir)
	n.known[dir] = answer
	return answer
}

func (n *Nests) startsNest(dir string) bool {
	here := filepath.Join(n.root, filepath.FromSlash(dir))
	if info, err := os.Lstat(here); err == nil && !info.IsDir() {
		return true
	}
	_, err := os.Lstat(filepath.Join(here, ".git"))
	return err == nil
}

// Installed packages are not written by the user, and are never in a snapshot, whether git ignores them or not: packages of
// Node.js, and virtual environments of Python. Tracked files stay, because a user added them on purpose.

// ModulesFolder is the folder of installed Node.js packages.
const ModulesFolder = "node_modules"

// marksOfEnvironments are files that only a virtual environment of Python (PEP 405), or of conda, contains.
var marksOfEnvironments = []string{"pyvenv.cfg", "conda-meta/history"}

// isEnvironment reports whether a folder, by its absolute path, is a virtual environment, or a link to one.
func isEnvironment(dir string) bool {
	return slices.ContainsFunc(marksOfEnvironments, func(mark string) bool {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(mark)))
		return err == nil && info.Mode().IsRegular()
	})
}

// Environments returns the names of the virtual environments of Python in a subfolder.
func (d *Dir) Environments(dir string) (names []string) {
	entries, err := os.ReadDir(d.At(dir))
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() && isEnvironment(filepath.Join(d.At(dir), entry.Name())) {
			names = append(names, path.Join(dir, entry.Name()))
		}
	}
	return names
}

// installedRules are rules of gitignore(5) that exclude the largest installed folders from git's walk.
func (f *Files) installedRules() []string {
	rules := []string{ModulesFolder}
	for _, name := range f.dir.Environments(".") {
		rules = append(rules, "/"+strings.ReplaceAll(literal.Replace(name), " ", `\ `))
	}
	return rules
}

// usualEnvironments are common names of links to environments.
var usualEnvironments = []string{".venv", "venv", "env", ".env", ".conda"}

// withoutInstalled drops installed files from a list of paths.
func (f *Files) withoutInstalled(names []string) []string {
	environments := map[string]bool{}
	for _, name := range names {
		for _, mark := range marksOfEnvironments {
			if dir, is := strings.CutSuffix(name, "/"+mark); is {
				environments[dir] = true
			}
		}
		if slices.Contains(usualEnvironments, path.Base(name)) && isEnvironment(f.dir.At(name)) {
			environments[name] = true
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		if environments[name] || path.Base(name) == ModulesFolder {
			return true
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if environments[dir] || path.Base(dir) == ModulesFolder {
				return true
			}
		}
		return false
	})
}

// maxIgnoreFile is the largest size in bytes of an ignore file that git gets: git would read all of it, each time.
const maxIgnoreFile = 1 << 20

// ignoreFile is the file that git opens by itself in each folder.
const ignoreFile = ".gitignore"

// Untracked lists the files of a work tree that are in no index and match no ignore rule, and the folders and ignore files
// that could not be read. Git opens each .gitignore itself, and would wait for a pipe forever: if one is not a regular
// file of a reasonable size, git opens none of them, and receives the rules of the others.
func (f *Files) Untracked(ctx context.Context, tree, index string) (names []string, closed []Skipped, err error) {
	found, err := lookForRules(ctx, tree)
	if err != nil {
		return nil, nil, err
	}
	args := []string{"ls-files", "-z", "--others", "--exclude-standard"}
	if len(found.odd) > 0 {
		file, err := f.gathered(tree, found.rules)
		if err != nil {
			return nil, nil, err
		}
		args[len(args)-1] = "--exclude-from=" + file
	}
	out, messages, err := f.dir.run(ctx, Command{Args: args, Tree: tree, Index: index})
	return records(out), append(found.odd, closedFolders(messages)...), err
}

// Ignored returns the names that match ignore rules; the files need not exist. A "./" before a name keeps git from reading a name
// with a leading colon as a pattern.
func (f *Files) Ignored(ctx context.Context, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var paths []string
	for _, name := range names {
		paths = append(paths, "./"+name)
	}
	found, err := f.checkIgnore(ctx, paths)
	if failed, ok := errors.AsType[*Error](err); ok && failed.exit == 1 {
		return nil, nil // git's exit code for none
	}
	for i := range found {
		found[i] = strings.TrimPrefix(found[i], "./")
	}
	return found, err
}

func (f *Files) checkIgnore(ctx context.Context, names []string) ([]string, error) {
	c := Command{Args: []string{"check-ignore", "-z", "--stdin", "--no-index"}, Stdin: Joined(names)}
	found, err := lookForRules(ctx, f.dir.Root)
	if err != nil {
		return nil, err
	}
	if len(found.odd) > 0 { // in a folder without a .gitignore, with the rules of the readable ones
		file, err := f.gathered(f.dir.Root, found.rules)
		if err != nil {
			return nil, err
		}
		c.Tree = filepath.Join(f.dir.Home, "empty")
		if err := os.MkdirAll(c.Tree, 0o700); err != nil {
			return nil, err
		}
		c.Args = append([]string{"-c", "core.excludesFile=" + file}, c.Args...)
	}
	return f.dir.list(ctx, c)
}

// rulesFound are the ignore files of a work tree.
type rulesFound struct {
	rules []string  // files that git may read, from the top down
	odd   []Skipped // files that it may not, with the reason
}

// lookForRules walks a work tree as git does: not into other repositories, and not through links.
func lookForRules(ctx context.Context, top string) (rulesFound, error) {
	var found rulesFound
	var visit func(dir string) error
	visit = func(dir string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		below, here := entriesOf(filepath.Join(top, filepath.FromSlash(dir)), dir == ".")
		if here != nil {
			found.note(top, path.Join(dir, ignoreFile))
		}
		for _, name := range below {
			if err := visit(path.Join(dir, name)); err != nil {
				return err
			}
		}
		return nil
	}
	return found, visit(".")
}

// entriesOf returns the subfolders of a folder, and its .gitignore, if any. An unreadable folder has none, which
// git reports; neither has another repository, which git skips.
func entriesOf(dir string, top bool) (below []string, ignore fs.DirEntry) {
	opened, err := os.Open(dir) //nolint:gosec // only names are read
	if err != nil {
		return nil, nil
	}
	defer opened.Close()             //nolint:errcheck // only read
	entries, _ := opened.ReadDir(-1) // all that can be read
	for _, e := range entries {
		switch {
		case e.Name() == ".git":
			if !top {
				return nil, nil
			}
		case e.Name() == ignoreFile && !e.IsDir():
			ignore = e
		case e.IsDir():
			below = append(below, e.Name())
		}
	}
	slices.Sort(below)
	return below, ignore
}

// note records a .gitignore, as one that git may read or not.
func (f *rulesFound) note(top, name string) {
	info, err := os.Stat(filepath.Join(top, filepath.FromSlash(name)))
	switch {
	case err != nil: // deleted, or a broken link: git opens neither
	case !info.Mode().IsRegular():
		f.odd = append(f.odd, Skipped{name, fmt.Sprintf("its rules are left out: %v", workspace.ErrNotRegular)})
	case info.Size() > maxIgnoreFile:
		f.odd = append(f.odd, Skipped{name, fmt.Sprintf("its rules are left out: %v", &workspace.SizeError{Max: maxIgnoreFile})})
	default:
		f.rules = append(f.rules, name)
	}
}

// gathered writes the rules of a work tree into one file, those of info/exclude first, and returns its name.
func (f *Files) gathered(top string, files []string) (string, error) {
	own, err := workspace.ReadPlainFile(filepath.Join(f.dir.Git, "info", "exclude"), 64<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	rules := []string{string(own)}
	for _, name := range files {
		if text, err := workspace.ReadPlainFile(filepath.Join(top, filepath.FromSlash(name)), maxIgnoreFile); err == nil {
			rules = append(rules, rulesOf(string(text), path.Dir(name))...)
		}
	}
	file := filepath.Join(f.dir.Git, "info", "gathered")
	return file, ReplaceFile(file, []byte(strings.Join(rules, "\n")+"\n"))
}

// rulesOf converts the rules of the .gitignore in a folder to rules at the top. See gitignore(5).
func rulesOf(text, dir string) []string {
	var rules []string
	above := "/" + literal.Replace(dir) + "/"
	if dir == "." {
		above = "/"
	}
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		rule, negated := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "!")
		if strings.TrimSpace(rule) == "" || !negated && strings.HasPrefix(rule, "#") {
			continue
		}
		if !strings.Contains(strings.TrimSuffix(strings.TrimRight(rule, " "), "/"), "/") {
			rule = "**/" + rule
		}
		rule = above + strings.TrimPrefix(rule, "/")
		if negated {
			rule = "!" + rule
		}
		rules = append(rules, rule)
	}
	return rules
}

// literal escapes a name so that it is a pattern for itself.
var literal = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
