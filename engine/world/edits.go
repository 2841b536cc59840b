package world

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"forge/codeintel"
	"forge/engine/tool"
)

// location is a place in a text: line and column from 1, in units of UTF-16.
type location struct {
	Line   int `json:"line"`
	Offset int `json:"offset"`
}

// change is a part of a text that a server replaces.
type change struct {
	start, end location
	text       string
}

// position is a place in a text of the Language Server Protocol: from 0, in units of UTF-16.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

func (p position) location() location { return location{Line: p.Line + 1, Offset: p.Character + 1} }

type textEdit struct {
	Range struct {
		Start position `json:"start"`
		End   position `json:"end"`
	} `json:"range"`
	NewText string `json:"newText"`
}

// workspaceEdit is the answer to textDocument/rename, in one of its two forms.
type workspaceEdit struct {
	Changes   map[string][]textEdit `json:"changes"`
	Documents []struct {
		Kind         string               `json:"kind"` // of an operation on files; else empty
		OldURI       string               `json:"oldUri"`
		TextDocument struct{ URI string } `json:"textDocument"`
		Edits        []textEdit           `json:"edits"`
	} `json:"documentChanges"`
}

// changes returns the changes of an edit, by path. refused says why Forge cannot make them.
func (s Servers) changes(r tool.Renaming, edit workspaceEdit) (all map[string][]change, refused string) {
	all = map[string][]change{}
	add := func(uri string, edits []textEdit) {
		name := pathOf(uri)
		if rel, inside := s.rel("", name); inside {
			name = rel
		}
		for _, e := range edits {
			all[name] = append(all[name], split(r.Texts[name], r.Name, r.To, change{e.Range.Start.location(), e.Range.End.location(), e.NewText})...)
		}
	}
	for uri, edits := range edit.Changes {
		add(uri, edits)
	}
	for _, d := range edit.Documents {
		if d.Kind != "" {
			return nil, fmt.Sprintf("it would %s %s too, which Forge does not do", d.Kind, path.Base(pathOf(d.OldURI)))
		}
		add(d.TextDocument.URI, d.Edits)
	}
	return all, ""
}

// split makes single changes of one that replaces much text around the name, as pylsp replaces whole files. Others stay as they are.
func split(text, name, to string, c change) []change {
	start, end := byteOf(text, c.start), byteOf(text, c.end)
	if start >= end || text[start:end] == name {
		return []change{c}
	}
	var parts []change
	from, rest := start, c.text
	for _, span := range codeintel.WordSpans(text[start:end], name) {
		at := codeintel.Span{Start: start + span.Start, End: start + span.End}
		after, same := strings.CutPrefix(rest, text[from:at.Start])
		if !same {
			return []change{c}
		}
		from, rest = at.End, after
		if spans := codeintel.WordSpans(rest, name); len(spans) > 0 && spans[0].Start == 0 {
			rest = rest[len(name):]
			continue
		}
		if rest, same = strings.CutPrefix(rest, to); !same {
			return []change{c}
		}
		parts = append(parts, change{placeOf(text, at.Start), placeOf(text, at.End), to})
	}
	if rest != text[from:end] {
		return []change{c}
	}
	return parts
}

// applied makes the changes of a server in the texts.
func (s Servers) applied(by string, r tool.Renaming, all map[string][]change) tool.Renamed {
	done := tool.Renamed{By: by, After: map[string]string{}, Places: map[string][]codeintel.Span{}}
	for name, changes := range all {
		text, known := r.Texts[name]
		if !known {
			return tool.Renamed{By: by, Refused: fmt.Sprintf("it would change %s, which is not a file of the folder that contains the name", path.Base(name))}
		}
		done.After[name], done.Places[name] = putAt(text, changes)
	}
	return done
}

// putAt makes the changes of a text. places are what was replaced, in the text before.
func putAt(text string, changes []change) (after string, places []codeintel.Span) {
	changes = slices.Clone(changes)
	slices.SortFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.start.Line, b.start.Line), cmp.Compare(a.start.Offset, b.start.Offset))
	})
	var b strings.Builder
	from := 0
	for _, c := range changes {
		start, end := byteOf(text, c.start), byteOf(text, c.end)
		if start < from || end < start {
			continue // a duplicate place
		}
		b.WriteString(text[from:start] + c.text)
		places = append(places, codeintel.Span{Start: start, End: end})
		from = end
	}
	b.WriteString(text[from:])
	return b.String(), places
}

// placeOf converts a byte offset of a text to the server's units.
func placeOf(text string, at int) location {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	return location{Line: codeintel.LineAt(text, at), Offset: 1 + len(utf16.Encode([]rune(text[start:at])))}
}

// byteOf converts a place of the server to a byte offset of the text.
func byteOf(text string, l location) int {
	at := 0
	for range l.Line - 1 {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return len(text)
		}
		at += next + 1
	}
	units := l.Offset - 1
	for i, r := range text[at:] {
		if units <= 0 {
			return at + i
		}
		units -= utf16.RuneLen(r)
	}
	return len(text)
}

// uri returns the address of a file of the tree.
func (s Servers) uri(rel string) string {
	name := filepath.ToSlash(filepath.Join(s.Tree.Dir(), filepath.FromSlash(rel)))
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // of Windows: C:/
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}

// pathOf returns the path of an address.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	name := filepath.FromSlash(u.Path)
	if drive := strings.TrimPrefix(u.Path, "/"); filepath.VolumeName(filepath.FromSlash(drive)) != "" {
		name = filepath.FromSlash(drive)
	}
	return name
}
