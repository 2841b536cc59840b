package activity

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"forge/engine/step"
	"forge/patch"
	"forge/patch/match"
)

// format formats files of a tree and returns the changes in them. Changes of a formatter to other files are dropped with its tree.
func (k Kit) format(ctx context.Context, c step.PathsCall) (changes patch.ChangeSet, err error) {
	if k.Format == nil {
		return changes, nil
	}
	old, err := k.textsOf(ctx, step.State{Base: c.State.Base}, c.Paths)
	if err != nil {
		return changes, err
	}
	err = k.Trees.littered(ctx, c.State, func(t Tree) error {
		before, err := texts(t, c.Paths)
		if err != nil {
			return err
		}
		if err := k.Format(ctx, t, before.paths); err != nil {
			return err
		}
		changes = before.compare(t, old)
		return nil
	})
	if err != nil {
		return changes, err
	}
	return k.onlyTouched(ctx, step.State{Base: c.State.Base}, changes, old)
}

// contents are the texts of files.
type contents struct {
	paths []string // sorted
	texts []string
}

// texts reads files; missing ones are omitted.
func texts(t Tree, paths []string) (c contents, err error) {
	paths = slices.Clone(paths)
	slices.Sort(paths)
	for _, p := range slices.Compact(paths) {
		text, err := t.ReadFile(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return c, err
		}
		c.paths, c.texts = append(c.paths, p), append(c.texts, string(text))
	}
	return c, nil
}

// textsOf reads files of a state of the tree; missing ones are omitted.
func (k Kit) textsOf(ctx context.Context, s step.State, paths []string) (c contents, err error) {
	err = k.Trees.In(ctx, s, func(t Tree) (err error) {
		c, err = texts(t, paths)
		return err
	})
	return c, err
}

// text returns the text of a file, or "" for a missing one.
func (c contents) text(path string) string {
	if at, is := slices.BinarySearch(c.paths, path); is {
		return c.texts[at]
	}
	return ""
}

// compare returns the files whose text changed. A file that is missing or unreadable now counts as unchanged: formatters
// delete no files. The line ends, byte order mark and final newline of an existing file stay as the user has them.
func (c contents) compare(t Tree, old contents) (changes patch.ChangeSet) {
	for i, p := range c.paths {
		after, err := t.ReadFile(p)
		if err != nil {
			continue
		}
		change := patch.FileChange{Path: p, Before: c.texts[i], After: string(after)}
		if _, persons := slices.BinarySearch(old.paths, p); persons {
			change = match.Replace(p, c.texts[i], true, string(after))
		}
		if change.After != change.Before {
			changes.Files = append(changes.Files, change)
		}
	}
	return changes
}

// onlyTouched reverts formatting of lines that the run has not changed, in existing files that were not formatted before: the user
// did not ask to reformat old lines. In a file that was formatted before, all of it stays: new differences, such as the alignment
// of neighbours, come from the change.
func (k Kit) onlyTouched(ctx context.Context, base step.State, formatted patch.ChangeSet, old contents) (patch.ChangeSet, error) {
	narrowed, doubtful := formatted, []string{}
	narrowed.Files = slices.Clone(formatted.Files)
	for i, f := range narrowed.Files {
		if _, was := slices.BinarySearch(old.paths, f.Path); !was {
			continue
		}
		if text := touched(old.text(f.Path), f.Before, f.After); text != f.After {
			narrowed.Files[i].After = text
			doubtful = append(doubtful, f.Path)
		}
	}
	if len(doubtful) == 0 {
		return formatted, nil
	}
	unformatted := map[string]bool{}
	err := k.Trees.littered(ctx, base, func(t Tree) error {
		before, err := texts(t, doubtful)
		if err != nil {
			return err
		}
		if err := k.Format(ctx, t, before.paths); err != nil {
			return err
		}
		for _, f := range before.compare(t, before).Files {
			unformatted[f.Path] = true
		}
		return nil
	})
	if err != nil {
		return formatted, err
	}
	kept := patch.ChangeSet{}
	for i, f := range formatted.Files {
		if unformatted[f.Path] {
			f = narrowed.Files[i]
		}
		if f.After != f.Before {
			kept.Files = append(kept.Files, f)
		}
	}
	return kept, nil
}

// meet reports whether two edits of a text share a line; an edit that only adds or removes lines meets its neighbours.
func meet(a, b patch.Edit) bool {
	if a.Start == a.End || b.Start == b.End {
		return a.Start <= b.End && b.Start <= a.End
	}
	return a.Start < b.End && b.Start < a.End
}

// byLine splits edits that only change blanks within lines into one per line.
func byLine(text string, edits []patch.Edit) (lines []patch.Edit) {
	for _, e := range edits {
		old, now := strings.SplitAfter(text[e.Start:e.End], "\n"), strings.SplitAfter(e.New, "\n")
		if !onlyBlanks(old, now) {
			lines = append(lines, e)
			continue
		}
		at := e.Start
		for i := range old {
			if old[i] != now[i] {
				lines = append(lines, patch.Edit{Start: at, End: at + len(old[i]), New: now[i]})
			}
			at += len(old[i])
		}
	}
	return lines
}

func onlyBlanks(old, now []string) bool {
	if len(old) != len(now) {
		return false
	}
	for i := range old {
		if indent(old[i]) != indent(now[i]) || strings.Join(strings.Fields(old[i]), "") != strings.Join(strings.Fields(now[i]), "") {
			return false
		}
	}
	return true
}

func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// shifts reports whether an edit begins with another indentation: it is part of a block that moves as a whole, and must not be
// applied alone.
func shifts(text string, e patch.Edit) bool {
	return e.Start < e.End && e.New != "" && indent(text[e.Start:e.End]) != indent(e.New)
}

// touched returns a formatted text, but only where it differs from an old one.
func touched(old, text, formatted string) string {
	changed := patch.Diff(text, old)
	edits := slices.DeleteFunc(byLine(text, patch.Diff(text, formatted)), func(e patch.Edit) bool {
		return shifts(text, e) || !slices.ContainsFunc(changed, func(c patch.Edit) bool { return meet(e, c) })
	})
	result, err := patch.Apply(text, edits)
	if err != nil {
		return formatted // edits of a difference are in order
	}
	return result
}
