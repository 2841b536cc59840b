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

// What of a tree is shown whole.
const (
	maxFileBytes  = 64 << 10 // of a file that is chosen by its words
	maxWholeBytes = 32 << 10 // of all files of a small tree together: asking what is missing would cost more
	maxWholeFiles = maxListed
)

// Need is what a model should see of a tree, chosen by an index of the folder.
type Need struct {
	Tree    Tree
	Task    string
	Focus   string   // what the user pointed at; may be empty
	Changed []string // what the run itself has changed, as far as it is there
	Most    int      // tokens, of all together
	Tests   bool     // it is for whoever writes tests
	Uses    string   // code that uses what is to be changed; may be empty
}

// Packed is what an index chose. Its texts are those of the tree.
type Packed struct {
	Files []step.File
	Map   string
	Found bool   // what the task is about was found
	Why   string // for people: why nothing was chosen; empty where something was
}

// context gives what a model should see of a tree for a task: all of it where it is small; else what the index of the folder
// chooses; else, where there is no index or it is not ready, the files that have most of the task's words.
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
		k.Notice(fmt.Sprintf("what the model is shown was chosen by words alone: %s", shown.Simple))
	}
	return shown, err
}

// pack has the index choose.
func (k Kit) pack(ctx context.Context, t Tree, c step.ContextCall) (Packed, error) {
	if k.Pack == nil {
		return Packed{Why: "this folder has no index"}, nil
	}
	packed, err := k.Pack(ctx, Need{Tree: t, Task: c.Task, Focus: c.Focus, Changed: changedIn(c.State.Changes), Most: c.Most, Tests: c.Tests, Uses: c.Uses})
	if err != nil {
		return packed, fmt.Errorf("choose what the model is shown: %w", err)
	}
	return packed, nil
}

// changedIn are the files that changes leave behind them, sorted.
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

// entire gives every file of a tree that a model could read and may want to edit, those that matter most first, if the tree is so small
// that all of them are shown.
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
			continue // gone meanwhile, or nothing a model could read
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

// isText reports whether a model could read something.
func isText(content []byte) bool { return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0 }

// bytesPerToken is what prompt.Tokens takes a token for.
const bytesPerToken = 4

// simple gives the files that have most to do with a task by their words, as many as there is room for.
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
