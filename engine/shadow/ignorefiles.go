package shadow

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

	"forge/internal/plain"
)

// maxIgnoreFile is the size in bytes above which git is not given a file of rules: it would read all of it, each time.
const maxIgnoreFile = 1 << 20

// The files that git opens by itself in each folder that it looks into.
const (
	ignoreFile     = ".gitignore"
	attributesFile = ".gitattributes"
)

// untracked lists the files of a work tree that are in no index and that no rule names, and the folders and files of rules
// that could not be read. Git opens each .gitignore itself, and would wait for a pipe for ever: where there is one that
// is no regular file of a sane size, git opens none of them, and is given the rules of the others.
func (r *Repo) untracked(ctx context.Context, c command) (names []string, closed []Skipped, err error) {
	top := c.tree
	if top == "" {
		top = r.root
	}
	found, err := lookForRules(ctx, top)
	if err != nil {
		return nil, nil, err
	}
	c.args = []string{"ls-files", "-z", "--others", "--exclude-standard"}
	if len(found.odd) > 0 {
		file, err := r.gathered(top, found.rules)
		if err != nil {
			return nil, nil, err
		}
		c.args = []string{"ls-files", "-z", "--others", "--exclude-from=" + file}
	}
	out, said, err := r.runSaying(ctx, c)
	return records(out), append(found.odd, closedFolders(said)...), err
}

// checkIgnore lists which of some names the rules name. The names need not be there.
func (r *Repo) checkIgnore(ctx context.Context, names []string) ([]string, error) {
	c := command{
		args: []string{"check-ignore", "-z", "--stdin", "--no-index"}, stdin: joined(names), index: r.indexFile("index.none"),
	}
	found, err := lookForRules(ctx, r.root)
	if err != nil {
		return nil, err
	}
	if len(found.odd) > 0 { // in a folder without any .gitignore, with the rules of those that may be read
		file, err := r.gathered(r.root, found.rules)
		if err != nil {
			return nil, err
		}
		c.tree = filepath.Join(r.home, "empty")
		if err := os.MkdirAll(c.tree, 0o700); err != nil {
			return nil, err
		}
		c.args = append([]string{"-c", "core.excludesFile=" + file}, c.args...)
	}
	return r.list(ctx, c)
}

// rulesFound are the files of rules of a work tree.
type rulesFound struct {
	rules []string  // files that git may read, of folders further up first
	odd   []Skipped // those that it may not, and why
}

// lookForRules walks over a work tree as git does: not into other repositories, and not through links.
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

// entriesOf gives the folders in a folder, and its .gitignore if there is one. What cannot be read, and another
// repository, has nothing: git says the first, and does not look into the second.
func entriesOf(dir string, top bool) (below []string, ignore fs.DirEntry) {
	opened, err := os.Open(dir) //nolint:gosec // only names are read
	if err != nil {
		return nil, nil
	}
	defer opened.Close()             //nolint:errcheck // nothing was written
	entries, _ := opened.ReadDir(-1) // as many as there are
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

// note takes down a .gitignore, for git or as one that it is not given.
func (f *rulesFound) note(top, name string) {
	info, err := os.Stat(filepath.Join(top, filepath.FromSlash(name)))
	switch {
	case err != nil: // gone, or a link to nothing: git opens neither
	case !info.Mode().IsRegular():
		f.odd = append(f.odd, Skipped{name, fmt.Sprintf("its rules are left out: %v", plain.ErrNotRegular)})
	case info.Size() > maxIgnoreFile:
		f.odd = append(f.odd, Skipped{name, fmt.Sprintf("its rules are left out: %v", &plain.SizeError{Max: maxIgnoreFile})})
	default:
		f.rules = append(f.rules, name)
	}
}

// gathered writes the rules of a work tree into one file, those of info/exclude first, and gives its name.
func (r *Repo) gathered(top string, files []string) (string, error) {
	own, err := plain.ReadFile(filepath.Join(r.git, "info", "exclude"), 64<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	rules := []string{string(own)}
	for _, name := range files {
		if text, err := plain.ReadFile(filepath.Join(top, filepath.FromSlash(name)), maxIgnoreFile); err == nil {
			rules = append(rules, rulesOf(string(text), path.Dir(name))...)
		}
	}
	file := filepath.Join(r.git, "info", "gathered")
	return file, replaceFile(file, []byte(strings.Join(rules, "\n")+"\n"))
}

// rulesOf translates the rules of the .gitignore in a folder for one at the top. See gitignore(5).
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

// literal writes a name as a pattern that means it.
var literal = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// dropOdd removes from a scratch tree the files of rules that code of the tree put there as something else: nothing keeps
// them, and git would open them.
func dropOdd(top string) error {
	var errs []error
	err := filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error {
		base := filepath.Base(name)
		if err != nil || e.IsDir() || base != ignoreFile && base != attributesFile {
			return nil //nolint:nilerr // a folder that cannot be read is not read by git either
		}
		if info, err := e.Info(); err == nil && (!isLeaf(info) || info.Size() > MaxFileSize) {
			errs = append(errs, os.Remove(name))
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}
