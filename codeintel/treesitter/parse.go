//go:build cgo

package treesitter

import (
	"context"
	"errors"

	sitter "github.com/smacker/go-tree-sitter"

	"forge/codeintel"
	"forge/codeintel/treesitter/fit"
)

// slice is how long the C code may work, in microseconds, before it is asked for the first time whether to try again.
const slice = 20_000

// errTooComplex is for a text that a grammar cannot bear.
var errTooComplex = errors.New("more than a grammar can bear")

// parse reads a text by its grammar, or line by line if its language has none. If a text overloads or confuses the grammar, each declaration
// is parsed separately. Its error is that of ctx.
func (o *Outliner) parse(ctx context.Context, language codeintel.Language, source string) (codeintel.Outline, error) {
	g := grammars[fit.Dialect(language, source)]
	if g == nil {
		return codeintel.OutlineByLines(language, source), nil
	}
	outline, err := o.whole(ctx, g, language, source)
	switch {
	case errors.Is(err, errTooComplex):
		least := 0
		if len(source) > maxGrammar {
			least = maxPiece
		}
		return o.inPieces(ctx, g, language, source, fit.AnyStart, least)
	case err == nil && outline.Broken && g.start != nil:
		apart, err := o.inPieces(ctx, g, language, source, g.start, 0)
		if count(apart.Symbols) >= count(outline.Symbols) {
			outline.Symbols = apart.Symbols
		}
		return outline, err
	}
	return outline, err
}

// whole reads a text at once. It returns errTooComplex if that would take too much, or the error of ctx.
func (o *Outliner) whole(ctx context.Context, g *grammar, language codeintel.Language, source string) (codeintel.Outline, error) {
	work := startWork(ctx, o.timeFor(len(source)))
	defer work.end()
	return o.byGrammar(work, g, language, source)
}

// byGrammar does what whole does as a part of some work.
func (o *Outliner) byGrammar(w *work, g *grammar, language codeintel.Language, source string) (codeintel.Outline, error) {
	if len(source) > maxGrammar || fit.TooComplex(language, source) {
		return codeintel.Outline{}, errTooComplex
	}
	tree, damage, err := g.best(w, source)
	if err != nil {
		return codeintel.Outline{}, err
	}
	defer tree.Close() // a tree takes thirty times the memory of its text: do not wait for the garbage collector
	if damage.bytes == 0 || g.guess == nil {
		return o.byTree(w, g, language, source, tree, damage)
	}
	guess, better := o.guess(w, g, language, source, damage)
	outline, err := o.byTree(w, g, language, source, tree, damage)
	switch {
	case !better || err != nil && !errors.Is(err, errTooComplex):
		return outline, err
	case err == nil:
		guess.Imports = outline.Imports // a guess may leave some out
	}
	guess.Broken = true
	return guess, nil
}

// byTree returns errTooComplex for a tree that would take too much, or the error of ctx.
func (o *Outliner) byTree(w *work, g *grammar, language codeintel.Language, source string, tree *sitter.Tree, damage damaged) (codeintel.Outline, error) {
	if damage.breadth > maxBreadth || deeper(tree.RootNode(), maxNodes) {
		return codeintel.Outline{}, errTooComplex
	}
	r := reading{work: w, grammar: g, program: g.program(), source: source}
	return r.outline(language, tree.RootNode())
}

// guess is the outline of a guess at a text that did not parse, if that fits the grammar better.
func (o *Outliner) guess(w *work, g *grammar, language codeintel.Language, source string, damage damaged) (outline codeintel.Outline, better bool) {
	tree, err := g.tree(w, g.guess(source))
	if err != nil {
		return codeintel.Outline{}, false
	}
	defer tree.Close()
	less := damageOf(tree.RootNode(), maxLevels)
	if less.bytes >= damage.bytes {
		return codeintel.Outline{}, false
	}
	outline, err = o.byTree(w, g, language, source, tree, less)
	return outline, err == nil
}

func count(symbols []codeintel.Symbol) int {
	n := len(symbols)
	for _, s := range symbols {
		n += count(s.Children)
	}
	return n
}

// withRoot has the tree of a text used if its grammar reads it well enough; known is false if it does not. The error is of ctx.
func (o *Outliner) withRoot(ctx context.Context, what string, language codeintel.Language, source string, use func(g *grammar, root *sitter.Node)) (known bool, err error) {
	if !isCode(source, maxGrammar) {
		return false, nil
	}
	g := grammars[fit.Dialect(language, source)]
	if g == nil || fit.TooComplex(language, source) {
		return false, nil
	}
	if err := ended(ctx, what, language); err != nil {
		return false, err
	}
	work := startWork(ctx, o.timeFor(len(source)))
	defer work.end()
	tree, damage, err := g.best(work, source)
	if err != nil {
		return false, ended(ctx, what, language) // else the text is hopeless
	}
	defer tree.Close()
	if damage.breadth > maxBreadth || deeper(tree.RootNode(), maxNodes) {
		return false, nil
	}
	use(g, tree.RootNode())
	return true, nil
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

// tree parses until a time has passed on the clock, then asks whether to try again with twice the time. It does not continue where it was
// stopped: the library then looks at the readings of an error in another order, and the tree would depend on how busy the machine is. The
// library's own way to obey a context leaves a goroutine behind, which may then cancel the next text of the same parser.
func (g *grammar) tree(w *work, source string) (*sitter.Tree, error) {
	parser, ok := g.parsers.Get().(*sitter.Parser)
	if !ok {
		parser = sitter.NewParser()
		parser.SetLanguage(g.language())
	}
	defer g.parsers.Put(parser)
	text := []byte(source)
	for limit := slice; ; limit *= 2 {
		parser.SetOperationLimit(limit)
		tree, err := parser.ParseCtx(context.Background(), nil, text)
		if !errors.Is(err, sitter.ErrOperationLimit) {
			return tree, err
		}
		parser.Reset()
		if err := w.err(); err != nil {
			return nil, err
		}
	}
}
