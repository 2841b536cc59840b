package activity

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

// Limits for files that are shown whole.
const (
	maxFileBytes  = 64 << 10 // per file that is chosen by its words
	maxWholeBytes = 32 << 10 // for all files of a small tree together: requests for missing parts would cost more
	maxWholeFiles = maxListed
)

// Need asks for what a model should see of a tree, chosen by an index of the folder.
type Need struct {
	Tree    Tree
	Task    string
	Focus   string   // a path from the user; may be empty
	Files   []string // the files that a plan lets the task change or create: they are preferred
	Changed []string // files changed by the run itself, as far as they exist
	Most    int      // limit in tokens, of all together
	Tests   bool     // for a model that writes tests
	Uses    string   // code that uses the code to change; may be empty
}

// Packed is the choice of an index. Its texts are those of the tree.
type Packed struct {
	Files []step.File
	Map   string
	Found bool   // the subject of the task was found
	Why   string // for users: why nothing was chosen; empty otherwise
}

// context returns what a model should see of a tree for a task: all of a small tree; otherwise the choice of the folder's
// index; without a ready index, the files with the most words of the task.
func (k Kit) context(ctx context.Context, c step.ContextCall) (shown step.Context, err error) {
	c.Most = cmp.Or(c.Most, step.DefaultContext)
	err = k.Trees.In(ctx, c.State, func(t Tree) error {
		paths, err := t.List(ctx)
		if err != nil {
			return err
		}
		shown.Listing = listing(paths)
		if shown.Files, shown.Whole = entire(t, paths, c); shown.Whole {
			return nil
		}
		packed, err := k.pack(ctx, t, c)
		if err != nil {
			return err
		}
		shown.Files, shown.Map, shown.Found, shown.Simple = packed.Files, packed.Map, packed.Found, packed.Why
		if packed.Why != "" {
			shown.Files = simple(t, paths, c)
		}
		return nil
	})
	if err == nil && shown.Simple != "" && k.Notice != nil {
		k.Notice(fmt.Sprintf("the files for the model were chosen by words alone: %s", shown.Simple))
	}
	return shown, err
}

// pack asks the index to choose.
func (k Kit) pack(ctx context.Context, t Tree, c step.ContextCall) (Packed, error) {
	if k.Pack == nil {
		return Packed{Why: "this folder has no index"}, nil
	}
	packed, err := k.Pack(ctx, Need{Tree: t, Task: c.Task, Focus: c.Focus, Files: c.Files, Changed: changedIn(c.State.Changes), Most: c.Most, Tests: c.Tests, Uses: c.Uses})
	if err != nil {
		return packed, fmt.Errorf("choose files for the model: %w", err)
	}
	return packed, nil
}

// changedIn returns the files that exist after changes, sorted.
func changedIn(sets []patch.ChangeSet) []string {
	there := map[string]bool{}
	for _, set := range sets {
		for _, f := range set.Files {
			delete(there, f.From)
			there[f.Path] = f.Kind != patch.Delete
		}
	}
	var paths []string
	for p, is := range there {
		if is {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

// entire returns every readable file of a tree that a model may want to edit, the most important first, if the tree is small enough
// to show all of them.
func entire(t Tree, paths []string, c step.ContextCall) ([]step.File, bool) {
	if len(paths) > maxWholeFiles {
		return nil, false
	}
	room := min(maxWholeBytes, c.Most*prompt.BytesPerToken)
	var files []step.File
	for _, p := range paths {
		if isUnedited(p, c.Task) {
			continue
		}
		text, err := t.ReadFile(p)
		if err != nil || !isText(text) {
			continue // deleted since, or not readable for a model
		}
		if room -= len(text); room < 0 {
			return nil, false
		}
		files = append(files, step.File{Path: p, Text: string(text)})
	}
	words := wordsIn(c.Task)
	slices.SortStableFunc(files, func(a, b step.File) int { return cmp.Compare(score(b, c, words), score(a, c, words)) })
	return files, true
}

// isText reports whether a model can read a content.
func isText(content []byte) bool { return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0 }

// simple returns the files that match a task best by their words, within the limits.
func simple(t Tree, paths []string, c step.ContextCall) (files []step.File) {
	room := c.Most
	for _, f := range relevant(t, paths, c) {
		if cost := prompt.Tokens(f.Text); cost <= room {
			room -= cost
			files = append(files, f.File)
		}
	}
	return files
}

// ranked is a file with its relevance to the task.
type ranked struct {
	step.File
	score int
}

// relevant ranks the files of a tree for a task: the focus, its neighbours, then files whose path or text
// has words of the task. The order depends only on the tree and the task.
func relevant(t Tree, paths []string, c step.ContextCall) []ranked {
	words := wordsIn(c.Task)
	var files []ranked
	for _, p := range paths {
		text, err := t.ReadFile(p)
		if err != nil || len(text) > maxFileBytes || !isText(text) {
			continue // deleted since, or not readable for a model
		}
		f := step.File{Path: p, Text: string(text)}
		if score := score(f, c, words); score > 0 {
			files = append(files, ranked{f, score})
		}
	}
	slices.SortStableFunc(files, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	return files
}

func score(f step.File, c step.ContextCall, words []string) int {
	score := 0
	switch {
	case f.Path == c.Focus:
		return 1 << 20
	case slices.Contains(c.Files, f.Path):
		return 1 << 19
	case c.Focus != "" && path.Dir(f.Path) == path.Dir(c.Focus):
		score = 1 << 10
	}
	if path.Base(f.Path) == "go.mod" {
		score += 8
	}
	lowerPath, lowerText := strings.ToLower(f.Path), strings.ToLower(f.Text)
	for _, w := range words {
		if strings.Contains(lowerPath, w) {
			score += 16
		}
		score += min(strings.Count(lowerText, w), 8)
	}
	return score
}

// wordsIn returns the distinct words of a task with at least three letters, in lower case.
func wordsIn(task string) []string {
	fields := strings.FieldsFunc(strings.ToLower(task), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_'
	})
	fields = slices.DeleteFunc(fields, func(w string) bool { return len(w) < 3 })
	slices.Sort(fields)
	return slices.Compact(fields)
}

// Limits of the list of files that a model sees.
const (
	maxListed  = 400 // paths of a small tree that are examined one by one
	fewFiles   = 60  // files of a tree that are named one by one
	maxFolders = 30
	maxTop     = 16 // files at the top that are named
)

// listing returns the files of a tree; for a large one, its folders with their numbers of files.
func listing(paths []string) step.Listing {
	list := step.Listing{Paths: paths[:min(len(paths), maxListed)], Total: len(paths)}
	if len(paths) > fewFiles {
		list.Folders = folders(paths)
	}
	return list
}

// folders returns a line for each folder, down to a depth at which there are not too many, and one for the files at the top.
func folders(paths []string) []string {
	best := counted(paths, 1)
	for depth := 2; depth <= 4; depth++ {
		deeper := counted(paths, depth)
		if len(deeper) > maxFolders {
			break
		}
		best = deeper
	}
	names := slices.Sorted(maps.Keys(best))
	if len(names) > maxFolders { // too many even at the first depth: keep those with most files
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(best[b], best[a]) })
		names = names[:maxFolders]
		slices.Sort(names)
	}
	var lines []string
	if top := atTop(paths); len(top) > 0 {
		lines = append(lines, strings.Join(top[:min(len(top), maxTop)], ", ")+more(len(top)-maxTop))
	}
	for _, name := range names {
		lines = append(lines, fmt.Sprintf("%s/ (%d)", name, best[name]))
	}
	return lines
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" … and %d more", n)
}

func atTop(paths []string) (top []string) {
	for _, p := range paths {
		if !strings.Contains(p, "/") {
			top = append(top, p)
		}
	}
	return top
}

// counted returns the number of files below each folder, down to a depth.
func counted(paths []string, depth int) map[string]int {
	counts := map[string]int{}
	for _, p := range paths {
		if folder := path.Dir(p); folder != "." {
			parts := strings.Split(folder, "/")
			counts[strings.Join(parts[:min(len(parts), depth)], "/")]++
		}
	}
	return counts
}

// lockFiles are the files that package managers write, in lower case: no user edits them.
var lockFiles = []string{
	"bun.lock", "cargo.lock", "composer.lock", "deno.lock", "gemfile.lock", "go.sum", "go.work.sum", "npm-shrinkwrap.json", "package-lock.json",
	"pdm.lock", "pipfile.lock", "pixi.lock", "pnpm-lock.yaml", "poetry.lock", "uv.lock", "yarn.lock",
}

// licences are the names of files with terms of use, without their extensions; names such as "license-mit" are not among them.
var licences = []string{"license", "licence", "copying", "unlicense", "notice"}

// isUnedited reports whether a file is hardly ever edited by hand: lock files and licences. A file that the task names is not.
func isUnedited(file, task string) bool {
	base := strings.ToLower(path.Base(file))
	ending := path.Ext(base)
	name := strings.TrimSuffix(base, ending)
	isText := slices.Contains([]string{"", ".txt", ".md", ".rst", ".adoc"}, ending) // code may be called that, too
	isLicence := isText && (slices.Contains(licences, name) || strings.HasPrefix(name, "license-"))
	return (isLicence || slices.Contains(lockFiles, base)) && !strings.Contains(task, path.Base(file))
}
