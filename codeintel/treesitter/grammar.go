//go:build cgo

package treesitter

import (
	"embed"
	"fmt"
	"strings"
	"sync"

	sitter "github.com/smacker/go-tree-sitter"

	"forge/codeintel"
	"forge/internal/lazyregexp"
)

//go:embed queries/*.scm
var queries embed.FS

// grammar is how one language is read. Hooks may be nil.
type grammar struct {
	language func() *sitter.Language
	queries  []string // names of files in queries, without the ending; they are joined

	// names returns the nodes of the names that a @names pattern binds.
	names func(pattern *sitter.Node) []*sitter.Node

	// whole returns the node of the whole declaration, for a definition with more around it: an export, decorators.
	whole func(definition *sitter.Node) *sitter.Node

	// refine may change a symbol by the node of its name; it returns false for what is no symbol.
	refine func(s *codeintel.Symbol, name *sitter.Node, source string) bool

	// imports may change an import by the text of its statement, or split it.
	imports func(i codeintel.Import, statement string) []codeintel.Import

	// place may change a symbol by what is around it; it returns false for what is no symbol there, whose children
	// then belong to what is around it. Without the hook it is placeByDefault.
	place func(s *codeintel.Symbol, p place) bool

	// repair rewrites a text that did not parse into one of the same length that may, with the same meaning.
	repair func(source string) string

	// guess does so with a text that may have less: it is for outlines alone.
	guess func(source string) string

	// start finds the lines on which declarations of a file begin. With it a text that did not parse is read again, each declaration
	// by itself, which is better if that finds more of them.
	start *lazyregexp.Regexp

	program func() *program // set by prepare
	parsers sync.Pool       // of *sitter.Parser
}

// grammars holds the languages that are read by a grammar. Go has a parser of its own. For the others lines are
// better than what could be linked here: headings of Markdown and keys of YAML and TOML need no grammar, and the one of
// YAML wants a C++ compiler; the grammar of Lua takes the space before a statement for a part of it, and does not know
// "<const>"; that of SQL loses track at the first word of another dialect.
var grammars = prepare(map[codeintel.Language]*grammar{
	codeintel.LanguagePython:     &python,
	codeintel.LanguageJavaScript: &javascript,
	codeintel.LanguageTypeScript: &typescript,
	codeintel.LanguageTSX:        &tsx,
	codeintel.LanguageRust:       &rust,
	codeintel.LanguageJava:       &java,
	codeintel.LanguageC:          &c,
	codeintel.LanguageCPP:        &cpp,
	codeintel.LanguageCSharp:     &csharp,
	codeintel.LanguageRuby:       &ruby,
	codeintel.LanguagePHP:        &php,
	codeintel.LanguageKotlin:     &kotlin,
	codeintel.LanguageSwift:      &swift,
	codeintel.LanguageScala:      &scala,
	codeintel.LanguageBash:       &bash,
})

// prepare makes each grammar compile its query when it is first used: some take a while.
func prepare(all map[codeintel.Language]*grammar) map[codeintel.Language]*grammar {
	for _, g := range all {
		g.program = sync.OnceValue(g.newProgram)
	}
	return all
}

// role is the meaning of a capture of a query.
type role int

const (
	roleOther role = iota
	roleDefinition
	roleName
	roleNames
	roleDetail
	roleSignature
	roleDoc
	roleScope
	roleComment
	roleBetween
	roleImport
	rolePath
	roleTaken
	rolePackage
)

var roles = map[string]role{
	"name": roleName, "names": roleNames, "detail": roleDetail, "signature": roleSignature, "doc": roleDoc, "scope": roleScope, "comment": roleComment,
	"between": roleBetween, "import": roleImport, "path": rolePath, "taken": roleTaken, "package": rolePackage,
}

// program is a compiled query. It is not changed, and may be run by several goroutines.
type program struct {
	query      *sitter.Query
	captures   []capture     // by the query's numbers
	predicates [][]predicate // by the pattern
}

type capture struct {
	role role
	kind codeintel.Kind // of a definition
}

func (g *grammar) newProgram() *program {
	p := g.compile(textOf(g.queries))
	for i := range p.query.CaptureCount() {
		p.captures = append(p.captures, captureOf(p.query.CaptureNameForId(i)))
	}
	return p
}

// textOf joins queries, by the names of their files without the ending.
func textOf(names []string) string {
	var text strings.Builder
	for _, name := range names {
		part, err := queries.ReadFile("queries/" + name + ".scm")
		if err != nil {
			panic(err)
		}
		text.Write(part)
	}
	return text.String()
}

// compile panics for a query that does not fit its grammar: both are part of this package, and a test compiles all.
func (g *grammar) compile(text string) *program {
	query, err := sitter.NewQuery([]byte(text), g.language())
	if err != nil {
		panic(fmt.Sprintf("query of %v: %v", g.queries, err))
	}
	p := &program{query: query}
	for i := range query.PatternCount() {
		predicates, err := newPredicates(query, i)
		if err != nil {
			panic(fmt.Sprintf("query of %v: %v", g.queries, err))
		}
		p.predicates = append(p.predicates, predicates)
	}
	return p
}

// captureOf is roleOther for names that begin with "_": the query needs them for itself.
func captureOf(name string) capture {
	if kind, ok := strings.CutPrefix(name, "definition."); ok {
		return capture{roleDefinition, codeintel.Kind(kind)}
	}
	role, ok := roles[name]
	if !ok && !strings.HasPrefix(name, "_") {
		panic("a query has the unknown capture @" + name)
	}
	return capture{role: role}
}
