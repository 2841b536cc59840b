package index

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"forge/codeintel"
)

// Text is a file with its content.
type Text struct {
	Path    string // relative to the root, slash-separated
	Content string
}

// Build indexes texts in memory. The outliner may be nil: then no document has an outline. Of two texts with one
// path the last counts.
func Build(ctx context.Context, texts []Text, outliner codeintel.Outliner) (View, error) {
	v := &built{texts: map[string]string{}, postings: map[string][]Posting{}, complete: true}
	for _, text := range texts {
		v.texts[text.Path] = text.Content
	}
	for name, content := range v.texts {
		document, err := newDocument(ctx, name, content, outliner)
		if err != nil {
			return nil, fmt.Errorf("index %s: %w", name, err)
		}
		v.documents = append(v.documents, document)
	}
	slices.SortFunc(v.documents, func(a, b Document) int { return cmp.Compare(a.Path, b.Path) })
	for id := range v.documents {
		v.addPostings(uint32(id))
	}
	return v, nil
}

func newDocument(ctx context.Context, name, content string, outliner codeintel.Outliner) (Document, error) {
	sum := sha256.Sum256([]byte(content))
	d := Document{
		Path: name, Language: codeintel.LanguageOf(name), Hash: hex.EncodeToString(sum[:]),
		Size: len(content), Lines: len(slices.Collect(strings.Lines(content))),
	}
	for range codeintel.Words(content) {
		d.Words++
	}
	if outliner == nil || d.Language == "" {
		return d, nil
	}
	outline, err := outliner.Outline(ctx, d.Language, content)
	if err != nil {
		return Document{}, err
	}
	outline.References = nil
	d.Outline = &outline
	return d, nil
}

// built is a view of texts that never change.
type built struct {
	documents []Document
	texts     map[string]string
	postings  map[string][]Posting
	complete  bool
}

func (v *built) addPostings(id uint32) {
	d := v.documents[id]
	if d.Outline != nil {
		v.addPart(id, PartSymbols, symbolNames(d.Outline.Symbols))
	}
	v.addPart(id, PartPath, d.Path)
	lines := slices.Collect(strings.Lines(v.texts[d.Path]))
	part := int32(0)
	for chunk := range slices.Chunk(lines, ChunkLines) {
		v.addPart(id, part, strings.Join(chunk, ""))
		part++
	}
}

// symbolNames joins the names of symbols and what is inside them.
func symbolNames(symbols []codeintel.Symbol) string {
	var b strings.Builder
	for _, s := range symbols {
		b.WriteString(s.Name + " " + symbolNames(s.Children))
	}
	return b.String()
}

func (v *built) addPart(id uint32, part int32, text string) {
	counts := map[string]uint32{}
	for word := range codeintel.Words(text) {
		counts[word]++
	}
	for word, count := range counts {
		v.postings[word] = append(v.postings[word], Posting{Document: id, Part: part, Count: count})
	}
}

func (v *built) Documents() []Document          { return v.documents }
func (v *built) Postings(word string) []Posting { return v.postings[word] }
func (v *built) Complete() bool                 { return v.complete }

func (v *built) ReadFile(path string) ([]byte, error) {
	text, ok := v.texts[path]
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}
