package codeintel

import (
	"fmt"
	"slices"
	"strings"
)

// RenamedFile is a file after a rename.
type RenamedFile struct {
	Path, After string
	Spans       []Span // of the old name in the text before
	Members     int    // those after a dot, and those that name keys: perhaps of something else
}

// Apply renames by what parsers know: names that are equal and not hidden by local ones. The error names the names that would be
// confused afterwards.
func (t RenameTarget) Apply(files []RenameFile, r RenameRequest) ([]RenamedFile, error) {
	var edited []RenamedFile
	for _, f := range files {
		if family(f.Language) != family(t.Language) || f.Path != t.Path && !t.reaches(f.Path, r.Scope) {
			continue
		}
		meant := t.meant(f, r)
		if len(meant) == 0 {
			continue
		}
		if err := t.collides(f, r, meant); err != nil {
			return nil, err
		}
		e := RenamedFile{Path: f.Path}
		for _, o := range meant {
			e.Spans = append(e.Spans, o.Span)
			if o.Member {
				e.Members++
			}
		}
		e.After = t.put(f, r, meant)
		edited = append(edited, e)
	}
	return edited, nil
}

// Places returns where the name may mean the target, by path. If other symbols have the name too, that is wherever no local name hides them.
func (t RenameTarget) Places(files []RenameFile, r RenameRequest) map[string][]Span {
	found := map[string][]Span{}
	for _, f := range files {
		if family(f.Language) != family(t.Language) || f.Path != t.Path && !t.reaches(f.Path, r.Scope) {
			continue
		}
		for _, o := range t.meant(f, r) {
			found[f.Path] = append(found[f.Path], o.Span)
		}
	}
	return found
}

// reaches reports whether a rename extends to another file.
func (t RenameTarget) reaches(path string, scope RenameScope) bool {
	if t.only {
		return t.local == 0 && scope != RenameAlone && module(path) == module(t.Path)
	}
	return t.local == 0
}

// meant are the occurrences in a file that are renamed. Scope "file" without a line is all of the file.
func (t RenameTarget) meant(f RenameFile, r RenameRequest) (meant []Occurrence) {
	for _, o := range f.Old {
		if o.Local == t.local && (t.local == 0 || !o.Member) && (!t.member || t.local > 0 || f.asMember(o)) || r.Scope == RenameAlone && r.Line == 0 {
			meant = append(meant, o)
		}
	}
	return meant
}

// asMember reports whether an occurrence may name a member: without a dot only in the body of a type that has the member, and not if the file
// imports something of that name.
func (f RenameFile) asMember(o Occurrence) bool {
	return o.Member || o.Holder != Span{} &&
		slices.ContainsFunc(f.Old, func(d Occurrence) bool { return d.Defines && d.Holder == o.Holder }) &&
		!slices.ContainsFunc(f.Old, func(other Occurrence) bool { return other.Imports && other.Local == 0 })
}

// put writes the new name. A short key of a local name keeps its key: {name} becomes {name: to}.
func (t RenameTarget) put(f RenameFile, r RenameRequest, meant []Occurrence) string {
	var b strings.Builder
	from := 0
	for _, o := range meant {
		b.WriteString(f.Text[from:o.Span.Start])
		if o.Short && t.local > 0 {
			b.WriteString(r.Name + ": ")
		}
		b.WriteString(r.To)
		from = o.Span.End
	}
	b.WriteString(f.Text[from:])
	return b.String()
}

// collides returns an error that names the place where the new name is already in use.
func (t RenameTarget) collides(f RenameFile, r RenameRequest, meant []Occurrence) error {
	for _, o := range f.New {
		switch {
		case t.local == 0 && o.Local == 0 && o.Defines, t.local > 0 && !o.Member && inside(o.Span, meant[0].Scope):
			return fmt.Errorf("%s already exists at %s: renaming %s would merge two names", r.To, place(f, o), r.Name)
		case o.Local > 0 && o.Defines:
			for _, m := range meant {
				if !m.Member && inside(m.Span, o.Scope) {
					return fmt.Errorf("%s is a local name at %s, which would hide the renamed %s at line %d", r.To, place(f, o), r.Name, LineAt(f.Text, m.Span.Start))
				}
			}
		}
	}
	return nil
}

// Clash returns where the new name is already in use, if a language server replaces the old one at places, by path. Of members it compares
// those of one type.
func (t RenameTarget) Clash(files []RenameFile, r RenameRequest, places map[string][]Span) error {
	for _, f := range files {
		meant := slices.DeleteFunc(slices.Clone(f.Old), func(o Occurrence) bool { return !slices.Contains(places[f.Path], o.Span) })
		if len(meant) == 0 {
			continue
		}
		f.New = slices.DeleteFunc(slices.Clone(f.New), func(o Occurrence) bool { return o.Local == 0 && !slices.ContainsFunc(meant, o.rivals) })
		if err := t.collides(f, r, meant); err != nil {
			return err
		}
	}
	return nil
}

// rivals reports whether a definition and an occurrence, with one name, would be one thing to the parser.
func (o Occurrence) rivals(other Occurrence) bool {
	if o.Member || other.Member {
		return o.Member && other.Member && other.Defines && o.Holder == other.Holder
	}
	return true
}

func inside(s, around Span) bool { return s.Start >= around.Start && s.End <= around.End }
