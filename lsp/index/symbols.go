package index

import (
	"cmp"
	"context"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/codeintel"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// symbolKinds translates to what clients know.
var symbolKinds = map[codeintel.Kind]protocol.SymbolKind{
	codeintel.Function:    protocol.SymbolKindFunction,
	codeintel.Method:      protocol.SymbolKindMethod,
	codeintel.Constructor: protocol.SymbolKindConstructor,
	codeintel.Class:       protocol.SymbolKindClass,
	codeintel.Struct:      protocol.SymbolKindStruct,
	codeintel.Interface:   protocol.SymbolKindInterface,
	codeintel.Enum:        protocol.SymbolKindEnum,
	codeintel.Member:      protocol.SymbolKindEnumMember,
	codeintel.Type:        protocol.SymbolKindClass,
	codeintel.Module:      protocol.SymbolKindModule,
	codeintel.Macro:       protocol.SymbolKindFunction,
	codeintel.Field:       protocol.SymbolKindField,
	codeintel.Constant:    protocol.SymbolKindConstant,
	codeintel.Variable:    protocol.SymbolKindVariable,
	codeintel.Table:       protocol.SymbolKindStruct,
	codeintel.Heading:     protocol.SymbolKindString, // as other servers have it
	codeintel.Key:         protocol.SymbolKindKey,
}

// kindOf is the kind on the wire; a kind that is unknown here is a variable.
func kindOf(k codeintel.Kind) protocol.SymbolKind {
	return cmp.Or(symbolKinds[k], protocol.SymbolKindVariable)
}

// outlines answers with the symbols of open documents. It owns nothing, and may call the outliner.
type outlines struct {
	docs     *editor.Documents
	session  *editor.Session
	outliner codeintel.Outliner
}

// NewOutlines returns the outlines of the open documents.
func NewOutlines(f *editor.Folders, o codeintel.Outliner) *outlines {
	return &outlines{docs: f.Docs, session: f.Session, outliner: o}
}

// DocumentSymbol answers with a tree or a list, as the client can take it. A document that is not
// open, or in a language that has no outline, has no symbols.
func (o *outlines) DocumentSymbol(ctx context.Context, p *protocol.DocumentSymbolParams) (any, error) {
	if p.TextDocument.URI == "" {
		return nil, transport.InvalidParams("textDocument.uri is missing: it names the document")
	}
	open, ok := o.docs.Document(p.TextDocument.URI)
	var outline codeintel.Outline
	if language := languageOf(open); ok && language != "" {
		var err error
		if outline, err = o.outliner.Outline(ctx, language, open.Text); err != nil {
			return nil, fmt.Errorf("read the symbols of %s: %w", open.URI, err)
		}
	}
	index := open.Lines()
	if o.session.Features().SymbolTree {
		return symbolTree(index, outline.Symbols), nil
	}
	return symbolList(index, p.TextDocument.URI, outline.Symbols), nil
}

// symbolTree is never nil, so that it is an array on the wire.
func symbolTree(index *editor.Lines, symbols []codeintel.Symbol) protocol.DocumentSymbolSlice {
	tree := make(protocol.DocumentSymbolSlice, 0, len(symbols))
	for _, s := range symbols {
		node := protocol.DocumentSymbol{
			Name: treeName(s), Kind: kindOf(s.Kind),
			Range:          index.Span(s.Span.Start, s.Span.End),
			SelectionRange: index.Span(s.NameSpan.Start, s.NameSpan.End),
		}
		if s.Detail != "" {
			node.Detail = &s.Detail
		}
		if len(s.Children) > 0 {
			node.Children = symbolTree(index, s.Children)
		}
		tree = append(tree, node)
	}
	return tree
}

// treeName is a symbol's name; that of a method includes its type, because it is next to the type, not below it.
func treeName(s codeintel.Symbol) string {
	if s.Receiver == "" {
		return s.Name
	}
	return "(" + s.Receiver + ")." + s.Name
}

// symbolList is the tree without its levels, for clients that show a list.
func symbolList(index *editor.Lines, u uri.URI, symbols []codeintel.Symbol) protocol.SymbolInformationSlice {
	list := protocol.SymbolInformationSlice{}
	var add func(container string, symbols []codeintel.Symbol)
	add = func(container string, symbols []codeintel.Symbol) {
		for _, s := range symbols {
			entry := protocol.SymbolInformation{Location: protocol.Location{URI: u, Range: index.Span(s.Span.Start, s.Span.End)}}
			entry.Name, entry.Kind = s.Name, kindOf(s.Kind)
			if holder := cmp.Or(s.Receiver, container); holder != "" {
				entry.ContainerName = &holder
			}
			list = append(list, entry)
			add(s.Name, s.Children)
		}
	}
	add("", symbols)
	return list
}

// languages translates what clients call languages.
var languages = map[protocol.LanguageKind]codeintel.Language{
	protocol.LanguageKindGo:              codeintel.LanguageGo,
	protocol.LanguageKindPython:          codeintel.LanguagePython,
	protocol.LanguageKindTypeScript:      codeintel.LanguageTypeScript,
	protocol.LanguageKindTypeScriptReact: codeintel.LanguageTSX,
	protocol.LanguageKindJavaScript:      codeintel.LanguageJavaScript,
	protocol.LanguageKindJavaScriptReact: codeintel.LanguageJavaScript,
	protocol.LanguageKindRust:            codeintel.LanguageRust,
	protocol.LanguageKindJava:            codeintel.LanguageJava,
	protocol.LanguageKindC:               codeintel.LanguageC,
	protocol.LanguageKindCPP:             codeintel.LanguageCPP,
	protocol.LanguageKindCSharp:          codeintel.LanguageCSharp,
	protocol.LanguageKindRuby:            codeintel.LanguageRuby,
	protocol.LanguageKindPHP:             codeintel.LanguagePHP,
	"kotlin":                             codeintel.LanguageKotlin,
	protocol.LanguageKindSwift:           codeintel.LanguageSwift,
	protocol.LanguageKindScala:           codeintel.LanguageScala,
	protocol.LanguageKindShellScript:     codeintel.LanguageBash,
	"bash":                               codeintel.LanguageBash, // what Neovim and Emacs call them
	"sh":                                 codeintel.LanguageBash,
	"cs":                                 codeintel.LanguageCSharp,
	protocol.LanguageKindLua:             codeintel.LanguageLua,
	protocol.LanguageKindSQL:             codeintel.LanguageSQL,
	protocol.LanguageKindMarkdown:        codeintel.LanguageMarkdown,
	protocol.LanguageKindYAML:            codeintel.LanguageYAML,
	"toml":                               codeintel.LanguageTOML,
}

// languageOf is the language of a document: the one that the client reports, or else that of its name; empty if both
// are unknown.
func languageOf(d editor.Document) codeintel.Language {
	if language, known := languages[protocol.LanguageKind(d.LanguageID)]; known {
		return language
	}
	return codeintel.LanguageOf(string(d.URI))
}

// Outliner reads the symbols of a text.
type Outliner = codeintel.Outliner

// GoOutliner reads Go alone.
type GoOutliner struct{}

// Outline implements codeintel.Outliner.
func (GoOutliner) Outline(_ context.Context, language codeintel.Language, source string) (codeintel.Outline, error) {
	if language != codeintel.LanguageGo {
		return codeintel.Outline{Language: language}, nil
	}
	return codeintel.GoOutline(source), nil
}
