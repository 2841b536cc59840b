package codeintel

import (
	"fmt"
	"slices"
	"strings"
)

// RenameFile is a text of code, and where two names are in it.
type RenameFile struct {
	Path, Text string
	Language   Language
	Old, New   []Occurrence // of the old name, and of the new one
}

// RenameRequest asks to rename a symbol.
type RenameRequest struct {
	Name, To string
	Path     string // a file that contains the name; may be empty
	Line     int    // where in that file, from 1; 0 is anywhere
	Scope    RenameScope
	Terms    Terms // of the caller
}

// RenameScope is how far a rename reaches.
type RenameScope string

// The scopes.
const (
	Meant       RenameScope = ""     // one declaration and what refers to it
	RenameAll   RenameScope = "all"  // all declarations of the name, in files of the language
	RenameAlone RenameScope = "file" // only the file that the request names
)

// RenameScopes are the names of those that a request may give.
func RenameScopes() []string { return []string{string(RenameAlone), string(RenameAll)} }

// RenameTarget is the declaration that a rename request means.
type RenameTarget struct {
	Path     string // a file with an occurrence of what is meant
	At       int    // the byte where that begins
	Language Language
	Open     string // why only a language server can decide which places are meant; empty if the parsers can
	local    int    // of a local name: its number in the file
	only     bool   // nothing outside of the file is meant
	member   bool   // a member is meant, in a language in which names of members follow a dot
}

// Local reports whether a local name is meant.
func (t RenameTarget) Local() bool { return t.local > 0 }

// place names an occurrence for users and models.
func place(f RenameFile, o Occurrence) string {
	return fmt.Sprintf("%s:%d", f.Path, LineAt(f.Text, o.Span.Start))
}

// declared is a declaration of the name that is to go.
type declared struct {
	file RenameFile
	at   Occurrence
}

// ChooseRename finds the declaration that a request means. The error is why it is ambiguous or missing, and what to add to the request.
func ChooseRename(files []RenameFile, r RenameRequest) (RenameTarget, error) {
	if r.Path != "" {
		return chosen(files, r)
	}
	found := symbols(files, "")
	switch {
	case len(found) == 0:
		return RenameTarget{}, undeclared(files, r)
	case !oneLanguage(found):
		return RenameTarget{}, fmt.Errorf("%s is declared in several languages: %s. Give the %s of the one you mean", r.Name, list(found), r.Terms.Named().Path)
	}
	t := target(found[0], found)
	if len(found) > 1 && r.Scope != RenameAll {
		return t, several(found, r, "")
	}
	return t, nil
}

// chosen is Choose for a request that names a file.
func chosen(files []RenameFile, r RenameRequest) (RenameTarget, error) {
	at := slices.IndexFunc(files, func(f RenameFile) bool { return f.Path == r.Path })
	if at < 0 {
		return RenameTarget{}, fmt.Errorf("there is no name %s in the code of %s", r.Name, r.Path)
	}
	f := files[at]
	here := slices.DeleteFunc(slices.Clone(f.Old), func(o Occurrence) bool {
		return r.Line > 0 && LineAt(f.Text, o.Span.Start) != r.Line
	})
	if len(here) == 0 {
		return RenameTarget{}, fmt.Errorf("there is no name %s in line %d of %s; it is in %s", r.Name, r.Line, r.Path, lines(f))
	}
	here = clearest(here, r.Line > 0)
	if len(locals(here)) > 1 && r.Scope == Meant {
		return RenameTarget{}, fmt.Errorf("%s means several things in %s, local ones among them: %s. Give the %s of the one you mean, or %s for all of that file",
			r.Name, r.Path, lines(f), r.Terms.Named().Line, r.Terms.Named().ScopeFile)
	}
	first := here[0]
	all := symbols(files, f.Language)
	t := target(declared{f, first}, all)
	t.only = r.Scope == RenameAlone
	if r.Scope != Meant || first.Local > 0 {
		return t, nil
	}
	switch {
	case len(all) == 0:
		return t, undeclared(files, r)
	case len(all) > 1 && !first.Member && ownEverywhere(files, f.Language):
		t.only = true
	case len(all) > 1:
		t.Open = several(all, r, fmt.Sprintf(" No parser can distinguish them where they are used: a language server can. Without one, %s renames in %s alone", r.Terms.Named().ScopeFile, r.Path)).Error()
	}
	return t, nil
}

// clearest are the occurrences that a request is most likely about: declarations before uses, and where no line is given what is not
// local before what is.
func clearest(here []Occurrence, line bool) []Occurrence {
	for _, is := range []func(Occurrence) bool{
		func(o Occurrence) bool { return line || o.Local == 0 },
		func(o Occurrence) bool { return o.Defines },
	} {
		if some := slices.DeleteFunc(slices.Clone(here), func(o Occurrence) bool { return !is(o) }); len(some) > 0 {
			here = some
		}
	}
	return here
}

// target is a declaration that is meant; all are those of the folder that have the name.
func target(d declared, all []declared) RenameTarget {
	t := RenameTarget{Path: d.file.Path, At: d.at.Span.Start, Language: d.file.Language, local: d.at.Local}
	t.member = len(all) > 0 && (t.Language == LanguageGo || t.Language == LanguagePython) &&
		!slices.ContainsFunc(all, func(d declared) bool { return !d.at.Member })
	return t
}

// symbols are the declarations that are not local, each type's and each file's once. Declarations of C that are not members are one
// thing in all files.
func symbols(files []RenameFile, language Language) (found []declared) {
	seen := map[string]bool{}
	for _, f := range files {
		if language != "" && family(f.Language) != family(language) {
			continue
		}
		for _, o := range f.Old {
			if !o.Defines || o.Local > 0 {
				continue
			}
			key := module(f.Path) + " " + holder(f, o)
			if family(f.Language) == LanguageC && !o.Member {
				key = string(LanguageC)
			}
			if !seen[key] {
				found = append(found, declared{f, o})
			}
			seen[key] = true
		}
	}
	return found
}

// holder names the type whose member a definition is: by its place, and in Python by its name, because a stub has it elsewhere.
func holder(f RenameFile, o Occurrence) string {
	if f.Language != LanguagePython || o.Holder == (Span{}) {
		return fmt.Sprint(o.Holder)
	}
	name := f.Text[o.Holder.Start:o.Holder.End]
	if end := strings.IndexAny(name, "(:[\n"); end >= 0 {
		name = name[:end]
	}
	return strings.TrimSpace(name)
}

// module is the path that names the module of a file: what a stub of Python declares is declared by the file next to it.
func module(path string) string {
	if stub, is := strings.CutSuffix(path, ".pyi"); is {
		return stub + ".py"
	}
	return path
}

// ownEverywhere reports whether each file that has the name declares it itself, once: then each means its own.
func ownEverywhere(files []RenameFile, language Language) bool {
	if family(language) == LanguageGo || family(language) == LanguageC {
		return false // a package is more than a file
	}
	return !slices.ContainsFunc(files, func(f RenameFile) bool {
		if family(f.Language) != family(language) || !slices.ContainsFunc(f.Old, func(o Occurrence) bool { return o.Local == 0 }) {
			return false
		}
		own := symbols([]RenameFile{f}, language)
		return len(own) != 1 || own[0].at.Member
	})
}

// family is the same for languages that use each other's names.
func family(l Language) Language {
	switch l {
	case LanguageTSX, LanguageJavaScript:
		return LanguageTypeScript
	case LanguageCPP:
		return LanguageC
	case LanguageKotlin, LanguageScala:
		return LanguageJava
	}
	return l
}

func oneLanguage(found []declared) bool {
	return !slices.ContainsFunc(found, func(d declared) bool { return family(d.file.Language) != family(found[0].file.Language) })
}

// locals are the numbers of what occurrences mean.
func locals(here []Occurrence) (numbers []int) {
	for _, o := range here {
		if !slices.Contains(numbers, o.Local) {
			numbers = append(numbers, o.Local)
		}
	}
	return numbers
}

// maxNamed bounds the places that an error names.
const maxNamed = 12

func several(found []declared, r RenameRequest, more string) error {
	if more == "" {
		said := r.Terms.Named()
		more = fmt.Sprintf(" Give %s and %s of the one you mean, or %s to rename all of them", said.Path, said.Line, said.ScopeAll)
	}
	return fmt.Errorf("%s is declared in %d places: %s.%s", r.Name, len(found), list(found), more)
}

func list(found []declared) string {
	var names []string
	for i, d := range found {
		if i == maxNamed {
			names = append(names, fmt.Sprintf("and %d more", len(found)-i))
			break
		}
		names = append(names, place(d.file, d.at))
	}
	return strings.Join(names, ", ")
}

func lines(f RenameFile) string {
	var numbers []string
	for i, o := range f.Old {
		if i == maxNamed {
			numbers = append(numbers, "…")
			break
		}
		numbers = append(numbers, fmt.Sprint(LineAt(f.Text, o.Span.Start)))
	}
	return "lines " + strings.Join(slices.Compact(numbers), ", ")
}

// undeclared returns the error for a name that the folder does not declare.
func undeclared(files []RenameFile, r RenameRequest) error {
	uses, locals := 0, []string{}
	for _, f := range files {
		for _, o := range f.Old {
			switch {
			case o.Defines && o.Local > 0 && len(locals) < maxNamed:
				locals = append(locals, place(f, o))
			case o.Local == 0:
				uses++
			}
		}
	}
	said := r.Terms.Named()
	switch {
	case len(locals) > 0:
		return fmt.Errorf("%s is a local name (%s): give %s and %s of the one you mean", r.Name, strings.Join(locals, ", "), said.Path, said.Line)
	case uses > 0:
		return fmt.Errorf("%s is used %d times but not declared in this folder, so it cannot be renamed here. %s changes any text",
			r.Name, uses, said.Replace)
	}
	return fmt.Errorf("no code of this folder has the name %s. %s changes text of any kind", r.Name, said.Replace)
}

// SameFamily reports whether files of two languages use each other's names.
func SameFamily(a, b Language) bool { return family(a) == family(b) }
