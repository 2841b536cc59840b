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
	"sync"
	"time"

	"forge/engine/sandbox"
	"forge/engine/workspace"
)

// lookers is the number of goroutines that examine files; the operating system does most of the work.
const lookers = 4

// Files are the files that belong to a folder. Installed files do not, even if git does not ignore them.
type Files struct {
	dir  *Dir
	user Last[Stamp, []string] // the tracked files, by the stamp of the index
}

// NewFiles returns the files of the folder of a git directory.
func NewFiles(dir *Dir) *Files { return &Files{dir: dir} }

// Skipped is an omitted file.
type Skipped struct {
	Path   string
	Reason string // for users
}

// List returns the regular files that belong to the folder, sorted: those that are not ignored, and those that
// the user's repository tracks. It omits nested repositories and submodules. Size does not matter here. Without
// git, it returns the result of Walk.
func (f *Files) List(ctx context.Context) ([]string, error) {
	root := f.dir.Root
	if err := workspace.CheckRoot(root); err != nil {
		return nil, err
	}
	found, err := f.lockedCandidates(ctx)
	if _, missing := errors.AsType[*sandbox.NotStartedError](err); missing {
		return Walk(ctx, root, filepath.Dir(filepath.Dir(f.dir.Home)))
	}
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", root, err)
	}
	return f.regular(found), nil
}

// regular returns the names of regular files that git can store. It examines files concurrently. No name leads through a
// symbolic link: Candidates has omitted those.
func (f *Files) regular(names []string) []string {
	is := make([]bool, len(names))
	var looking sync.WaitGroup
	for first := range lookers {
		looking.Go(func() {
			for i := first; i < len(names); i += lookers {
				info, err := os.Lstat(f.dir.At(names[i]))
				is[i] = err == nil && info.Mode().IsRegular() && CheckKept(names[i]) == nil
			}
		})
	}
	looking.Wait()
	kept := names[:0]
	for i, name := range names {
		if is[i] {
			kept = append(kept, name)
		}
	}
	return kept
}

func (f *Files) lockedCandidates(ctx context.Context) ([]string, error) {
	unlock, err := f.dir.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	names, _, err := f.Candidates(ctx)
	return names, err
}

// unwanted are the folders that a walk omits: output, downloads and private data of tools.
var unwanted = map[string]bool{
	".git": true, ".hg": true, ".svn": true, ".jj": true, ".cache": true, ".gradle": true, ".idea": true, ".mypy_cache": true,
	".next": true, ".nox": true, ".nuxt": true, ".pytest_cache": true, ".ruff_cache": true, ".terraform": true, ".tox": true,
	".venv": true, ".vs": true, "__pycache__": true, "bower_components": true, "node_modules": true, "venv": true,
}

// Walk lists the regular files below root, sorted, for folders without git. It omits stateDir (absolute; may be
// empty), private folders of tools, and other repositories.
func Walk(ctx context.Context, root, stateDir string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if stop := ctx.Err(); stop != nil {
			return stop
		}
		switch {
		case err != nil && name == root:
			return err
		case err != nil:
			return nil //nolint:nilerr // unreadable, or deleted since
		case entry.IsDir() && name != root && (name == stateDir || leftOut(name)):
			return fs.SkipDir
		case entry.Type().IsRegular():
			path, err := filepath.Rel(root, name)
			if path = filepath.ToSlash(path); err == nil && CheckKept(path) == nil {
				found = append(found, path)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", root, err)
	}
	slices.Sort(found)
	return found, nil
}

// leftOut reports whether a folder is omitted. CACHEDIR.TAG marks caches (bford.info/cachedir).
func leftOut(dir string) bool {
	if unwanted[filepath.Base(dir)] {
		return true
	}
	for _, mark := range []string{".git", "CACHEDIR.TAG", "pyvenv.cfg"} {
		if _, err := os.Lstat(filepath.Join(dir, mark)); err == nil {
			return true
		}
	}
	return false
}

// userGit are the two files of the user's repository that are read, as data: git never runs with it as
// its directory. Empty means that there is none.
type userGit struct {
	index   string // the tracked files
	exclude string // info/exclude: ignore rules of this clone only
}

// findUserGit finds the repository whose top folder is the workspace.
func findUserGit(root string) userGit {
	dir, common, ok := gitDirs(root)
	if !ok {
		return userGit{}
	}
	return userGit{index: filepath.Join(dir, "index"), exclude: filepath.Join(common, "info", "exclude")}
}

// gitDirs returns the git directory of a repository's top folder, and the common one with objects and branches,
// which differs in a linked worktree. There and in a submodule, .git is a file that names the directory.
func gitDirs(top string) (dir, common string, ok bool) {
	dir = filepath.Join(top, ".git")
	if text, err := workspace.ReadPlainFile(dir, maxPointer); err == nil {
		name, ok := strings.CutPrefix(string(text), "gitdir: ")
		if !ok {
			return "", "", false
		}
		dir = below(top, strings.TrimRight(name, "\r\n"))
	}
	common = dir
	if text, err := workspace.ReadPlainFile(filepath.Join(dir, "commondir"), maxPointer); err == nil {
		common = below(dir, strings.TrimRight(string(text), "\r\n"))
	}
	return dir, common, true
}

// maxPointer limits the size, in bytes, of a file that names a folder.
const maxPointer = 64 << 10

func below(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// readPlain reads a file of the user; the index of a very large repository has some hundred megabytes.
func readPlain(name string) ([]byte, error) { return workspace.ReadPlainFile(name, 512<<20) }

// tracked lists the files that the user's repository tracks. They belong to the snapshot even if a
// .gitignore names them. It works on a copy, so that the original is neither changed nor locked; for
// an unsupported index (split, or of a newer version) the list is empty.
func (f *Files) tracked(ctx context.Context, user userGit) ([]string, error) {
	taken := time.Now()
	info, err := os.Stat(user.index)
	if err != nil {
		return nil, nil //nolint:nilerr // no repository, or one without an index yet
	}
	if files, ok := f.user.Find(StampOf(info)); ok {
		return files, nil
	}
	content, err := readPlain(user.index)
	if err != nil {
		return nil, nil //nolint:nilerr // deleted since, or not a file
	}
	index := filepath.Join(f.dir.Git, "index.user")
	if err := os.WriteFile(index, content, 0o600); err != nil {
		return nil, err
	}
	entries, err := f.dir.list(ctx, Command{Args: []string{"ls-files", "-z", "--stage", "--sparse"}, Index: index})
	if _, failed := errors.AsType[*Error](err); failed {
		return nil, nil
	}
	var files []string
	for _, e := range entries {
		info, name, ok := strings.Cut(e, "\t")
		if ok && (strings.HasPrefix(info, "100") || strings.HasPrefix(info, "120")) {
			files = append(files, name)
		}
	}
	if read := StampOf(info); err == nil && read != (Stamp{}) && read.IsOver(taken) {
		f.user.Keep(read, files)
	}
	return files, err
}

// writeExcludes copies the user's own rules to the private repository: info/exclude, and the
// .gitignore files above a workspace inside a repository.
func (f *Files) writeExcludes(user userGit) error {
	rules := f.installedRules()
	for _, dir := range foldersAbove(f.dir.Root) {
		if text, err := workspace.ReadPlainFile(filepath.Join(dir, ignoreFile), maxIgnoreFile); err == nil {
			prefix, _ := filepath.Rel(dir, f.dir.Root)
			rules = append(rules, rulesBelow(string(text), filepath.ToSlash(prefix))...)
		}
	}
	own, _ := workspace.ReadPlainFile(user.exclude, maxIgnoreFile) // may be missing
	rules = append(rules, string(own))
	if state, err := filepath.Rel(f.dir.Root, filepath.Dir(f.dir.Home)); err == nil && filepath.IsLocal(state) {
		rules = append(rules, "/"+filepath.ToSlash(state)+"/") // Forge's own state is not part of the workspace
	}
	return ReplaceFile(filepath.Join(f.dir.Git, "info", "exclude"), []byte(strings.Join(rules, "\n")+"\n"))
}

// foldersAbove returns the folders above root in its repository, outermost first.
func foldersAbove(root string) []string {
	top, ok := repositoryTop(root)
	if !ok {
		return nil
	}
	var above []string
	for dir := root; dir != top; {
		dir = filepath.Dir(dir)
		above = append([]string{dir}, above...)
	}
	return above
}

// repositoryTop returns the nearest folder, from dir upwards, with a .git.
func repositoryTop(dir string) (top string, ok bool) {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// rulesBelow converts the rules of a .gitignore for a folder at prefix below it. A rule without a
// slash applies at any depth; one with a slash is relative to the .gitignore, and is kept if its first
// folders are literally those of prefix. See gitignore(5).
func rulesBelow(text, prefix string) []string {
	var rules []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		rule, negated := strings.CutPrefix(line, "!")
		if rule == "" || strings.HasPrefix(rule, "#") {
			continue
		}
		if anchored := strings.Contains(strings.TrimSuffix(rule, "/"), "/"); anchored && !strings.HasPrefix(rule, "**/") {
			rest, ok := strings.CutPrefix(path.Clean("/"+rule), "/"+prefix+"/")
			if !ok {
				continue
			}
			if strings.HasSuffix(rule, "/") {
				rest += "/"
			}
			rule = "/" + rest
		}
		if negated {
			rule = "!" + rule
		}
		rules = append(rules, rule)
	}
	return rules
}
