package gitdir

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"forge/engine/workspace"
)

// userGit are the two files of the user's own repository that are read, as data: git never runs with
// it as its directory. Empty means that there is none.
type userGit struct {
	index   string // what is tracked
	exclude string // info/exclude: what is ignored in this clone only
}

// findUserGit looks for the repository whose top folder is the workspace.
func findUserGit(root string) userGit {
	dir, common, ok := gitDirs(root)
	if !ok {
		return userGit{}
	}
	return userGit{index: filepath.Join(dir, "index"), exclude: filepath.Join(common, "info", "exclude")}
}

// gitDirs returns the git directory of a repository's top folder, and the one it shares objects and branches with,
// which is another in a linked worktree. There and in a submodule .git is a file that names the directory.
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

// maxPointer bounds, in bytes, a file that names a folder.
const maxPointer = 64 << 10

func below(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// readPlain reads a file of the user's; git's own index of a very large repository has some hundred megabytes.
func readPlain(name string) ([]byte, error) { return workspace.ReadPlainFile(name, 512<<20) }

// trackedCache keeps which files the user's repository tracked when its index was read last.
type trackedCache struct {
	mu    sync.Mutex // guards all below
	index Stamp
	files []string // never changed in place
}

func (c *trackedCache) find(index Stamp) ([]string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.files, index != (Stamp{}) && c.index == index
}

func (c *trackedCache) keep(index Stamp, files []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.index, c.files = index, files
}

// tracked lists the files that the user's repository tracks. They belong to the snapshot even where a
// .gitignore names them. It works on a copy, so that the original cannot change or be locked; an index
// this git cannot read (split, of a newer version) gives nothing.
func (f *Files) tracked(ctx context.Context, user userGit) ([]string, error) {
	taken := time.Now()
	info, err := os.Stat(user.index)
	if err != nil {
		return nil, nil //nolint:nilerr // no repository, or one without an index yet
	}
	if files, ok := f.user.find(StampOf(info)); ok {
		return files, nil
	}
	content, err := readPlain(user.index)
	if err != nil {
		return nil, nil //nolint:nilerr // gone meanwhile, or no file
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
	if read := StampOf(info); err == nil && read.IsOver(taken) {
		f.user.keep(read, files)
	}
	return files, err
}

// writeExcludes returns the private repository the user's own rules: info/exclude, and what the
// .gitignore files above the workspace say when it is a folder inside a repository.
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
		rules = append(rules, "/"+filepath.ToSlash(state)+"/") // Forge's own state is no part of the workspace
	}
	return ReplaceFile(filepath.Join(f.dir.Git, "info", "exclude"), []byte(strings.Join(rules, "\n")+"\n"))
}

// foldersAbove returns the folders above root that belong to the repository it is in, outermost first.
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

// repositoryTop returns the nearest folder, from dir upwards, that has a .git.
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

// rulesBelow translates the rules of a .gitignore for a folder at prefix below it. A rule without a
// slash holds at any depth; one with a slash counts from the .gitignore, and is kept if its first
// folders are those of prefix, literally. See gitignore(5).
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
