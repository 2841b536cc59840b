package activity

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/engine/step"
)

// How much of a tree a model is shown.
const (
	maxListed     = 400       // paths
	maxShownBytes = 160 << 10 // of file contents together
	maxFileBytes  = 64 << 10
)

// files lists the files of a tree.
func (k Kit) files(ctx context.Context, s step.State) (list step.Listing, err error) {
	err = k.Trees.In(ctx, s, func(t Tree) error {
		paths, err := t.List(ctx)
		list = listing(paths)
		return err
	})
	return list, err
}

func listing(paths []string) step.Listing {
	return step.Listing{Paths: paths[:min(len(paths), maxListed)], Total: len(paths)}
}

// read gives the content of a file.
func (k Kit) read(ctx context.Context, c step.ReadCall) (text step.Text, err error) {
	err = k.Trees.In(ctx, c.State, func(t Tree) error {
		content, err := t.ReadFile(c.Path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		text = step.Text{Exists: true, Content: content}
		return err
	})
	return text, err
}

// context lists the files of a tree, and gives those that matter most for a task, as far as there is room.
func (k Kit) context(ctx context.Context, c step.ContextCall) (shown step.Context, err error) {
	err = k.Trees.In(ctx, c.State, func(t Tree) error {
		paths, err := t.List(ctx)
		if err != nil {
			return err
		}
		shown.Listing = listing(paths)
		room := maxShownBytes
		for _, f := range relevant(t, paths, c) {
			if room -= len(f.Text); room < 0 {
				break
			}
			shown.Files = append(shown.Files, f.File)
		}
		return nil
	})
	return shown, err
}

// ranked is a file with how much it has to do with the task.
type ranked struct {
	step.File
	score int
}

// relevant ranks the files of a tree for a task: what the person pointed at, its neighbours, then files whose
// path or text has words of the task. The order depends on nothing but tree and task.
func relevant(t Tree, paths []string, c step.ContextCall) []ranked {
	words := words(c.Task)
	var files []ranked
	for _, p := range paths {
		text, err := t.ReadFile(p)
		if err != nil || len(text) > maxFileBytes || !utf8.Valid(text) {
			continue // gone meanwhile, or nothing a model could read
		}
		f := step.File{Path: p, Text: string(text)}
		if score := score(f, c.Focus, words); score > 0 {
			files = append(files, ranked{f, score})
		}
	}
	slices.SortStableFunc(files, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	return files
}

func score(f step.File, focus string, words []string) int {
	score := 0
	switch {
	case f.Path == focus:
		return 1 << 20
	case focus != "" && path.Dir(f.Path) == path.Dir(focus):
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

// words are the distinct words of a task with at least three letters, in lower case.
func words(task string) []string {
	fields := strings.FieldsFunc(strings.ToLower(task), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_'
	})
	fields = slices.DeleteFunc(fields, func(w string) bool { return len(w) < 3 })
	slices.Sort(fields)
	return slices.Compact(fields)
}
