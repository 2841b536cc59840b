package activity

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
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
	packed, err := k.Pack(ctx, Need{Tree: t, Task: c.Task, Focus: c.Focus, Changed: changedIn(c.State.Changes), Most: c.Most, Tests: c.Tests, Uses: c.Uses})
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
	room := min(maxWholeBytes, c.Most*bytesPerToken)
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
	words := words(c.Task)
	slices.SortStableFunc(files, func(a, b step.File) int { return cmp.Compare(score(b, c.Focus, words), score(a, c.Focus, words)) })
	return files, true
}

// isText reports whether a model can read a content.
func isText(content []byte) bool { return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0 }

// bytesPerToken is the estimate of prompt.Tokens.
const bytesPerToken = 4

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
