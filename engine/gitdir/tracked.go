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

// trackedCache keeps the tracked files as of the last reading of the index.
type trackedCache struct {
	mu    sync.Mutex // guards the fields below
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

// tracked lists the files that the user's repository tracks. They belong to the snapshot even if a
// .gitignore names them. It works on a copy, so that the original is neither changed nor locked; for
// an unsupported index (split, or of a newer version) the list is empty.
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
	if read := StampOf(info); err == nil && read.IsOver(taken) {
		f.user.keep(read, files)
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
