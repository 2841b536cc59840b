package repomap

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/codeintel"
	"forge/codeintel/index"
)

// catalog is what a map may show of one file: its names, in order of the source.
type catalog struct {
	path    string // as it is shown
	entries []entry
}

// entry is all symbols of a file that share a name.
type entry struct {
	name       string
	lower      string  // the name in lower case
	weight     float64 // by its kind: how often it is what a request is about
	spans      []codeintel.Span
	signatures []string // some of them, without doubles
	nameCost   int      // characters of the name in a list of names
	signCost   int      // characters of the lines of the signatures
}

// Costs of what stands around a name or a signature.
const (
	nameMargin = len(", ")
	lineMargin = len("  ") + len("\n")
	listMargin = lineMargin - nameMargin // of a list of names, beside what each name costs
)

// maxSignatures of one name are shown: more are variants of the same.
const maxSignatures = 3

func newCatalog(document *index.Document) *catalog {
	c := &catalog{path: oneLine(document.Path)}
	if document.Outline != nil {
		c.add(map[string]int{}, "", document.Outline.Symbols)
	}
	for i := range c.entries {
		c.entries[i].measure()
	}
	return c
}

// add adds symbols and what is inside of them; at says where the entry of a name is.
func (c *catalog) add(at map[string]int, container string, symbols []codeintel.Symbol) {
	for i := range symbols {
		s := &symbols[i]
		name := oneLine(s.Name)
		if name == "" || name == "_" {
			continue
		}
		n, known := at[name]
		if !known {
			n = len(c.entries)
			at[name] = n
			c.entries = append(c.entries, entry{name: name, lower: strings.ReplaceAll(strings.ToLower(name), "_", "")})
		}
		c.entries[n].add(s, signature(container, name, s))
		c.add(at, name, s.Children)
	}
}

func (e *entry) add(s *codeintel.Symbol, signature string) {
	e.weight = max(e.weight, kindWeight(s.Kind))
	e.spans = append(e.spans, s.Span)
	for _, other := range e.signatures {
		if other == signature {
			return
		}
	}
	if len(e.signatures) < maxSignatures {
		e.signatures = append(e.signatures, signature)
	}
}

func (e *entry) measure() {
	e.nameCost = utf8.RuneCountInString(e.name) + nameMargin
	for _, signature := range e.signatures {
		e.signCost += utf8.RuneCountInString(signature) + lineMargin
	}
}

// kindWeight says how often a symbol of a kind is what a request is about, beside a function.
func kindWeight(kind codeintel.Kind) float64 {
	switch kind {
	case codeintel.Constant, codeintel.Variable, codeintel.Heading:
		return .5
	case codeintel.Field, codeintel.Member, codeintel.Key:
		return .2
	default:
		return 1
	}
}

// oneLine returns a text without line breaks and other control characters.
func oneLine(text string) string {
	if strings.IndexFunc(text, unicode.IsControl) < 0 {
		return text
	}
	return strings.Join(strings.FieldsFunc(text, unicode.IsControl), " ")
}
