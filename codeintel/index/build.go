package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"forge/codeintel"
)

// Text is a file with its content.
type Text struct {
	Path    string // relative to the root, slash-separated
	Content string
}

// Build indexes texts in memory, as tests do that need no folder. The outliner may be nil: then no document has an outline. Of two texts with one
// path the last counts.
func Build(ctx context.Context, texts []Text, outliner codeintel.Outliner) (View, error) {
	files := make([]*file, 0, len(texts))
	for _, text := range lastOfEach(texts) {
		f := &file{Document: Document{Path: text.Path, Language: codeintel.LanguageOf(text.Path)}, cover: &text.Content}
		if err := f.outline(ctx, outliner, text.Content); err != nil {
			return nil, fmt.Errorf("index %s: %w", text.Path, err)
		}
		files = append(files, f)
	}
	addWords(files)
	addNames(files)
	view := newSnapshot(nil, files)
	view.complete = true
	return view, nil
}

// lastOfEach sorts texts by path, and keeps the last of those that have the same.
func lastOfEach(texts []Text) []Text {
	texts = slices.Clone(texts)
	slices.Reverse(texts)
	slices.SortStableFunc(texts, func(a, b Text) int { return cmp.Compare(a.Path, b.Path) })
	return slices.CompactFunc(texts, func(a, b Text) bool { return a.Path == b.Path })
}

func (f *file) outline(ctx context.Context, outliner codeintel.Outliner, text string) error {
	if outliner == nil || f.Language == "" {
		return nil
	}
	outline, err := outliner.Outline(ctx, f.Language, text)
	outline.References = nil
	f.Outline = &outline
	return err
}

func addWords(files []*file) {
	v := newInverter(PartPath)
	for _, f := range files {
		f.Hash = hashOf([]byte(*f.cover))
		v.addFile(f.Path, f.Hash, []byte(*f.cover))
	}
	words := v.finish()
	for i, f := range files {
		d := words.documents[i]
		f.words, f.Size, f.Lines, f.Words = place{words, uint32(i)}, d.size, d.lines, d.words
	}
}
