package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/codeintel"
)

// renameTool is the tool that renames a symbol.
const renameTool = "rename"

// Servers rename by the servers of languages, which know what each name means. They start processes, in the tree of the World.
type Servers interface {
	Rename(ctx context.Context, r Renaming) (Renamed, error)
}

// Renaming is a symbol that is to have another name.
type Renaming struct {
	Language codeintel.Language
	Path     string // of a file that has it
	At       int    // the byte where it begins there
	Name, To string
	Local    bool              // it is a local name: what is keyed by it keeps its key
	Texts    map[string]string // of all files that have the name, as they are now
	// Places are where the name may mean the symbol, as far as parsers know, by path. If the folder has no other symbol of that name, they are renamed
	// where the server does not know what they mean.
	Places map[string][]codeintel.Span
	Single bool // the folder has no other symbol of that name
}

// Renamed is the answer of a server.
type Renamed struct {
	By      string            // the server, for users; empty if none did it
	Why     string            // why none did it; empty where there is none for the language
	Refused string            // why the symbol cannot have that name; then nothing is changed
	After   map[string]string // the new texts of the files that change
	// Places are where the name was replaced, in the texts before; nil if the server itself rejects a name that exists already.
	Places map[string][]codeintel.Span
	// Assumed and Left are places of the name that the server does not know the meaning of. The first were renamed too.
	Assumed, Left map[string][]codeintel.Span
}

type renameArgs struct {
	Symbol     string `json:"symbol" jsonschema:"the name, as written in code"`
	To         string `json:"to" jsonschema:"the new name"`
	Path       string `json:"path,omitempty" jsonschema:"a file that contains it, if the name alone is ambiguous"`
	Line       int    `json:"line,omitempty" jsonschema:"the line in that file"`
	Scope      string `json:"scope,omitempty" jsonschema:"file: only in path; all: every symbol of that name"`
	Everywhere bool   `json:"everywhere,omitempty" jsonschema:"whole words in strings, comments and documents too"`
}

// renaming is a rename under way.
type renaming struct {
	sweep
	args  renameArgs
	ask   codeintel.RenameRequest
	texts map[string]string      // all that have the name
	files []codeintel.RenameFile // those of them that parsers know
	blind []string               // code that no parser could read
	after map[string]string
	n     map[string]int // places, by path
}

// renameSymbol renames by the server of the language, else by what parsers know.
func renameSymbol(ctx context.Context, w World, a renameArgs) (Result, error) {
	r := renaming{sweep: sweep{world: w}, args: a, texts: map[string]string{}, after: map[string]string{}, n: map[string]int{},
		ask: codeintel.RenameRequest{Name: a.Symbol, To: a.To, Path: a.Path, Line: a.Line, Scope: codeintel.RenameScope(a.Scope), Terms: w.Terms}}
	if fault := r.fault(); fault != "" {
		return failed("nothing was changed: %s", fault), nil
	}
	if err := r.read(ctx); err != nil {
		return Result{}, err
	}
	target, err := codeintel.ChooseRename(r.files, r.ask)
	if err != nil {
		return failed("nothing was changed: %v", err), nil
	}
	if codeintel.IsReserved(target.Language, a.To) {
		return failed("nothing was changed: %s is a word of %s, and no name", a.To, target.Language), nil
	}
	by, refused, err := r.change(ctx, target)
	switch {
	case err != nil:
		return Result{}, err
	case refused != "":
		return failed("nothing was changed: %s", refused), nil
	}
	if err := r.words(ctx, target); err != nil {
		return Result{}, err
	}
	return r.conclude(ctx, target, by)
}

// fault returns what is wrong with the arguments.
func (r *renaming) fault() string {
	a, said := r.args, r.world.Terms.Named()
	switch {
	case !codeintel.IsName(a.Symbol):
		return fmt.Sprintf("%q is not a name: omit what precedes a dot; %s changes any text", a.Symbol, said.Replace)
	case !codeintel.IsName(a.To):
		return fmt.Sprintf("%q cannot be a name: letters, digits and _ can, and no digit first", a.To)
	case a.Symbol == a.To:
		return "both names are the same"
	case a.Scope != "" && !slices.Contains(codeintel.RenameScopes(), a.Scope):
		return fmt.Sprintf("the scope %q is unknown: it is %s, or left out", a.Scope, strings.Join(codeintel.RenameScopes(), " or "))
	case a.Path == "" && (a.Line != 0 || a.Scope == string(codeintel.RenameAlone)):
		return fmt.Sprintf("give the %s of the file, too", said.Path)
	case r.world.Names == nil:
		return "no parser is at hand here"
	}
	return ""
}

// read finds the texts that have the name, and its places in their code.
func (r *renaming) read(ctx context.Context) error {
	return r.world.texts(ctx, func(p string) bool { return !isBorrowed(p) || p == r.args.Path }, func(path, text string) error {
		if len(codeintel.WordSpans(text, r.args.Symbol)) == 0 {
			return nil
		}
		r.texts[path] = text
		f := codeintel.RenameFile{Path: path, Text: text, Language: codeintel.LanguageOf(path)}
		if f.Language == "" {
			return nil
		}
		old, known, err := r.world.Names.Occurrences(ctx, f.Language, text, r.args.Symbol)
		if err != nil {
			return err
		}
		if !known {
			r.blind = append(r.blind, path)
			return nil
		}
		f.Old = old
		if f.New, _, err = r.world.Names.Occurrences(ctx, f.Language, text, r.args.To); err != nil {
			return err
		}
		r.files = append(r.files, f)
		return nil
	})
}

// change renames in code. refused is the reason why that is impossible.
func (r *renaming) change(ctx context.Context, t codeintel.RenameTarget) (by, refused string, err error) {
	why := ""
	if r.world.Servers != nil && r.ask.Scope == codeintel.Meant {
		done, err := r.world.Servers.Rename(ctx, Renaming{
			Language: t.Language, Path: t.Path, At: t.At, Name: r.args.Symbol, To: r.args.To, Local: t.Local(), Texts: r.texts, Places: t.Places(r.files, r.ask), Single: t.Open == "",
		})
		switch {
		case err != nil:
			return "", "", err
		case done.Refused != "":
			return done.By, done.By + " refuses: " + done.Refused, nil
		case done.By != "":
			if err := t.Clash(r.files, r.ask, done.Places); err != nil {
				return done.By, err.Error(), nil //nolint:nilerr // it is the answer
			}
			r.unknown(done.Assumed, done.By, "renamed too, because the folder has no other "+r.args.Symbol)
			r.unknown(done.Left, done.By, "left as they are: whether "+r.args.Symbol+" is meant is for you to decide")
			return done.By, "", r.serve(ctx, done)
		}
		why = done.Why
	}
	if t.Open != "" {
		return "", join(t.Open, why), nil
	}
	edited, err := t.Apply(r.files, r.ask)
	if err != nil {
		return "", err.Error(), nil //nolint:nilerr // it is the answer
	}
	r.parsed(t, edited, why)
	return "", "", nil
}

// serve takes over what a server has changed.
func (r *renaming) serve(ctx context.Context, done Renamed) error {
	for path, after := range done.After {
		before, left, err := r.counts(ctx, path, after)
		if err != nil {
			return err
		}
		r.after[path], r.n[path] = after, max(1, before-left)
	}
	return nil
}

// unknown notes places that a server does not know the meaning of, and what was made of them.
func (r *renaming) unknown(places map[string][]codeintel.Span, by, what string) {
	var found []string
	for path, spans := range places {
		for _, s := range spans {
			found = append(found, fmt.Sprintf("%s:%d", path, codeintel.LineAt(r.texts[path], s.Start)))
		}
	}
	if len(found) == 0 {
		return
	}
	slices.Sort(found)
	n := len(found)
	if n > maxNamesakes {
		found = append(found[:maxNamesakes], fmt.Sprintf("and %d more", n-maxNamesakes))
	}
	r.notes = append(r.notes, fmt.Sprintf("%s without a type known to %s: %s (%s)", count(n, "place"), by, strings.Join(found, ", "), what))
}

// counts are the numbers of occurrences of the old name in the code of a file, before and after.
func (r *renaming) counts(ctx context.Context, path, after string) (before, now int, err error) {
	language := codeintel.LanguageOf(path)
	old, _, err := r.world.Names.Occurrences(ctx, language, r.texts[path], r.args.Symbol)
	if err != nil {
		return 0, 0, err
	}
	left, _, err := r.world.Names.Occurrences(ctx, language, after, r.args.Symbol)
	return len(old), len(left), err
}

// parsed takes over what follows from what parsers know.
func (r *renaming) parsed(t codeintel.RenameTarget, edited []codeintel.RenamedFile, why string) {
	members := 0
	for _, e := range edited {
		r.after[e.Path], r.n[e.Path] = e.After, len(e.Spans)
		members += e.Members
	}
	note := "by name, with parsers: no language server was used"
	if why != "" {
		note += " (" + why + ")"
	}
	r.notes = append(r.notes, note)
	if members > 0 {
		r.notes = append(r.notes, fmt.Sprintf("%s of them are members or keys: see that none is of a type of a library", count(members, "place")))
	}
	blind := slices.DeleteFunc(slices.Clone(r.blind), func(path string) bool { return !codeintel.SameFamily(codeintel.LanguageOf(path), t.Language) })
	if len(blind) > 0 {
		r.notes = append(r.notes, "not parsed, so left as they are: "+strings.Join(blind, ", "))
	}
}

// words renames whole words outside of code: in strings and comments of the language, and in all texts of others.
func (r *renaming) words(ctx context.Context, t codeintel.RenameTarget) error {
	if !r.args.Everywhere {
		return nil
	}
	for path, before := range r.texts {
		if r.ask.Scope == codeintel.RenameAlone && path != r.args.Path {
			continue
		}
		text, changed := r.after[path]
		if !changed {
			text = before
		}
		spans, err := r.outside(ctx, t, path, text)
		if err != nil {
			return err
		}
		if len(spans) > 0 {
			r.after[path] = codeintel.PutInSpans(text, spans, r.args.To)
			r.n[path] += len(spans)
		}
	}
	return nil
}

// outside are the words of a text that are not names in code of the language.
func (r *renaming) outside(ctx context.Context, t codeintel.RenameTarget, path, text string) ([]codeintel.Span, error) {
	words := codeintel.WordSpans(text, r.args.Symbol)
	language := codeintel.LanguageOf(path)
	if !codeintel.SameFamily(language, t.Language) {
		return words, nil
	}
	names, known, err := r.world.Names.Occurrences(ctx, language, text, r.args.Symbol)
	if err != nil || !known {
		return nil, err
	}
	return slices.DeleteFunc(words, func(s codeintel.Span) bool {
		return slices.ContainsFunc(names, func(o codeintel.Occurrence) bool { return o.Span == s })
	}), nil
}

// conclude reads the new texts, and reports what is left of the old name.
func (r *renaming) conclude(ctx context.Context, t codeintel.RenameTarget, by string) (Result, error) {
	var left []string
	for path, before := range r.texts {
		after, changed := r.after[path]
		if changed {
			if fault, err := r.broken(ctx, t, path, after); fault != "" || err != nil {
				return failed("nothing was changed: %s", fault), err
			}
			r.add(swept{path, before, after, r.n[path]}, func(shown string) int {
				return r.n[path] + len(codeintel.WordSpans(shown, r.args.Symbol)) - len(codeintel.WordSpans(before, r.args.Symbol))
			})
		} else {
			after = before
		}
		if n := len(codeintel.WordSpans(after, r.args.Symbol)); n > 0 {
			left = append(left, fmt.Sprintf("%s (%d)", path, n))
		}
	}
	if len(r.sweep.files) == 0 {
		return failed("nothing was changed: no place of %s can be renamed", r.args.Symbol), nil
	}
	r.leftovers(left)
	heading := fmt.Sprintf("%s %s to %s", r.world.Terms.Named().Renamed, r.args.Symbol, r.args.To)
	if by != "" {
		heading += " by " + by
	}
	return r.result(heading)
}

// leftovers lists the files that still have the old name.
func (r *renaming) leftovers(left []string) {
	if len(left) == 0 {
		return
	}
	slices.Sort(left)
	more := ""
	if len(left) > maxNamesakes {
		more = fmt.Sprintf(" and %s", count(len(left)-maxNamesakes, "more file"))
		left = left[:maxNamesakes]
	}
	note := fmt.Sprintf("%s is still in %s%s", r.args.Symbol, strings.Join(left, ", "), more)
	if !r.args.Everywhere {
		note += ": " + r.world.Terms.Named().Everywhere + " renames words in strings, comments and documents, too"
	}
	r.notes = append(r.notes, note)
}

// broken returns why a text is not what it should be: to the parser the new name must be a name at each place.
func (r *renaming) broken(ctx context.Context, t codeintel.RenameTarget, path, after string) (string, error) {
	language := codeintel.LanguageOf(path)
	if !codeintel.SameFamily(language, t.Language) {
		return "", nil
	}
	had, was, err := r.world.Names.Occurrences(ctx, language, r.texts[path], r.args.To)
	if err != nil || !was || slices.Contains(r.blind, path) {
		return "", err
	}
	has, known, err := r.world.Names.Occurrences(ctx, language, after, r.args.To)
	if err != nil {
		return "", err
	}
	before, left, err := r.counts(ctx, path, after)
	if err != nil {
		return "", err
	}
	worse, err := r.worse(ctx, language, path, after)
	if err != nil || !worse && known && len(has)-len(had) >= before-left {
		return "", err
	}
	return fmt.Sprintf("%s cannot be a name in %s (%s)", r.args.To, path, language), nil
}

// worse reports whether a text has more faults than it had, as far as a parser finds them.
func (r *renaming) worse(ctx context.Context, language codeintel.Language, path, after string) (bool, error) {
	checker, is := r.world.Names.(codeintel.Checker)
	if !is {
		return false, nil
	}
	had, err := checker.Faults(ctx, language, r.texts[path])
	if err != nil {
		return false, err
	}
	has, err := checker.Faults(ctx, language, after)
	return len(has) > len(had), err
}

func join(a, b string) string {
	if b == "" {
		return a
	}
	return a + ". " + b
}
