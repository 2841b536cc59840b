// Package treesitter reads outlines of many languages: Go by its own parser, the others by tree-sitter grammars. Languages whose
// grammar is worse than that, or missing, are read line by line: Lua, SQL, Markdown, YAML and TOML. A program that is built without cgo
// has no grammars: it knows Go and these.
//
// A text that does not fit its grammar is read again: as it would be without its preprocessor or with the braces that seem to be missing,
// or each of its declarations by itself, whichever the language has.
//
// A language is a grammar, a query and, for what a query cannot say, a few hooks: see grammar. The queries are in
// queries/LANGUAGE.scm and name what they find by captures:
//
//	@definition.KIND  a symbol; KIND is a codeintel.Kind. If two patterns find the same name, the first one counts.
//	@name             its name
//	@names            instead of @name: a pattern that binds several names, which the hook names finds
//	@detail           what its Detail is cut from: from the start of the first to the end of the last one
//	@signature        a node whose fields parameters and return_type, or type, are its Detail
//	@doc              documentation that stands inside, such as a docstring
//	@scope            not a symbol, but variables in it are local, as in a function; functions are scopes anyway
//	@comment          a comment; one that ends on the line above a definition documents it
//	@between          what may stand between a definition and its comment, such as an attribute
//	@import           an import, with @path and any number of @taken names
//	@package          the package or namespace of the file
//
// Other captures begin with "_". Of predicates there are #eq?, #any-of? and #match?, each also with "not-", that compare
// a capture with text. Symbols are nested by their spans.
package treesitter

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"forge/codeintel"
)

// Limits of what is parsed: beyond them a text is data, and its outline is empty.
const (
	maxSource  = 8 << 20 // bytes
	maxGrammar = 2 << 20 // bytes of a text that a grammar reads at once, which takes thirty times the memory; a longer one is read in pieces
	maxLine    = 20_000  // bytes; a text most of which is in longer lines is written by a program
)

// defaultBudget is the processor time that a grammar may take for a text of 1 MiB: ten times what it needs. Any text has a quarter of that
// on top: what is ambiguous to a grammar takes memory as long as it takes time. For a text that would take longer, only the unproblematic
// declarations are read. It is processor time, not wall time, so that a busy machine reads a text in the same way.
const defaultBudget = time.Second

// Outliner reads outlines of every language that codeintel knows; any other text has an empty one. It may be used by
// several goroutines. The zero value is ready.
type Outliner struct {
	Budget time.Duration // the processor time that a grammar may take for a text of 1 MiB; 0 is defaultBudget
}

var _ interface {
	codeintel.Outliner
	codeintel.Judge
	codeintel.Binder
	codeintel.Finder
	codeintel.Stripper
} = (*Outliner)(nil)

// Outline reads one text. Texts over 8 MiB, with a zero byte, or half of which is in lines over 20,000 bytes are not
// parsed: their outline is empty. Of a text that is more than a grammar can bear the outline is Broken, and has what its
// declarations have, each read by itself. The error is of ctx, wrapped.
func (o *Outliner) Outline(ctx context.Context, language codeintel.Language, source string) (codeintel.Outline, error) {
	if !isCode(source, maxSource) {
		return codeintel.Outline{Language: language}, nil
	}
	if language == codeintel.LanguageGo {
		return codeintel.GoOutline(source), ended(ctx, "outline", language)
	}
	outline, err := o.parse(ctx, language, source)
	if ended := ended(ctx, "outline", language); err != nil || ended != nil {
		return codeintel.Outline{Language: language}, ended
	}
	settle(&outline)
	return outline, nil
}

// ended is the error of a ctx that has ended, or nil.
func ended(ctx context.Context, what string, language codeintel.Language) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("%s of a %s text: %w", what, language, context.Cause(ctx))
}

func (o *Outliner) timeFor(length int) time.Duration {
	budget := cmp.Or(o.Budget, defaultBudget)
	return budget/4 + time.Duration(float64(budget)*float64(length)/(1<<20))
}

// isCode reports whether a text of at most so many bytes may have been written by hand. One line of data in a test does not make it data.
func isCode(source string, most int) bool {
	if len(source) > most || strings.IndexByte(source, 0) >= 0 {
		return false
	}
	long := 0
	for line := range strings.Lines(source) {
		if len(line) > maxLine {
			long += len(line)
		}
	}
	return 2*long <= len(source)
}
