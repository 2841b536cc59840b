//go:build cgo

package treesitter

import (
	"context"
	"errors"

	sitter "github.com/smacker/go-tree-sitter"

	"forge/codeintel"
)

// slice is how long the C code may work before it is asked again whether it should go on, in microseconds.
const slice = 10_000

// errHopeless is for a text that a grammar cannot bear.
var errHopeless = errors.New("more than a grammar can bear")

// parse reads a text by its grammar, or line by line if its language has none or the text is hopeless. Its error only
// says that ctx has ended.
func (o *Outliner) parse(ctx context.Context, language codeintel.Language, source string) (codeintel.Outline, error) {
	g := grammars[dialect(language, source)]
	if g == nil || len(source) > maxGrammar || hopeless(language, source) {
		return scan(language, source), nil
	}
	outline, err := o.byGrammar(ctx, g, language, source)
	if errors.Is(err, errHopeless) {
		return scan(language, source), nil
	}
	if err == nil && outline.Broken && g.broken != nil {
		outline.Symbols = g.broken(outline.Symbols, scan(language, source).Symbols)
	}
	return outline, err
}

// byGrammar returns errHopeless if that would take too much, or the error of ctx.
func (o *Outliner) byGrammar(ctx context.Context, g *grammar, language codeintel.Language, source string) (codeintel.Outline, error) {
	program := g.program(o.references)
	work := startWork(ctx, o.timeFor(source))
	defer work.end()
	tree, damage, err := g.best(work, source)
	if err != nil {
		return codeintel.Outline{}, err
	}
	defer tree.Close() // a tree takes thirty times the memory of its text: do not wait for the garbage collector
	if damage.breadth > maxBreadth || deeper(tree.RootNode(), maxNodes) {
		return codeintel.Outline{}, errHopeless
	}
	r := reading{work: work, grammar: g, program: program, source: source}
	return r.outline(language, tree.RootNode())
}

// byLines is for languages whose grammar loses track easily.
func byLines(_, scanned []codeintel.Symbol) []codeintel.Symbol { return scanned }

// more returns the longer list. A bracket that is never closed can cost a grammar the rest of the text, but not those
// who read line by line.
func more(parsed, scanned []codeintel.Symbol) []codeintel.Symbol {
	if count(scanned) > count(parsed) {
		return scanned
	}
	return parsed
}

func count(symbols []codeintel.Symbol) int {
	n := len(symbols)
	for _, s := range symbols {
		n += count(s.Children)
	}
	return n
}

// best is the tree of the text, or of the repaired text if that fits the grammar better, with what still does not.
func (g *grammar) best(w *work, source string) (*sitter.Tree, damaged, error) {
	tree, err := g.tree(w, source)
	if err != nil || !tree.RootNode().HasError() {
		return tree, damaged{}, err
	}
	damage := damageOf(tree.RootNode(), maxLevels)
	repaired := source
	if g.repair != nil {
		repaired = g.repair(source)
	}
	if repaired == source {
		return tree, damage, nil
	}
	again, err := g.tree(w, repaired)
	if err != nil {
		tree.Close()
		return nil, damaged{}, err
	}
	if less := damageOf(again.RootNode(), maxLevels); less.bytes < damage.bytes {
		tree.Close()
		return again, less, nil
	}
	again.Close()
	return tree, damage, nil
}

// tree parses in slices, between which it is asked whether to go on. The library's own way to obey a context leaves a goroutine behind,
// which may then cancel the next text of the same parser.
func (g *grammar) tree(w *work, source string) (*sitter.Tree, error) {
	parser, ok := g.parsers.Get().(*sitter.Parser)
	if !ok {
		parser = sitter.NewParser()
		parser.SetLanguage(g.language())
	}
	defer g.parsers.Put(parser)
	parser.SetOperationLimit(slice)
	text := []byte(source)
	for {
		tree, err := parser.ParseCtx(context.Background(), nil, text) // goes on where it was stopped
		if !errors.Is(err, sitter.ErrOperationLimit) {
			return tree, err
		}
		if err := w.err(); err != nil {
			parser.Reset() // or it would go on with this text when it is given the next one
			return nil, err
		}
	}
}
