package repomap

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/codeintel"
	"forge/codeintel/index"
)

// Map makes the map of a request.
func (m *Mapper) Map(request Request) Map {
	return m.mapWithout(request, make([]bool, len(m.documents)))
}

// mapWithout makes a map without the documents that are marked.
func (m *Mapper) mapWithout(request Request, seen []bool) Map {
	if request.Budget <= 0 {
		return Map{}
	}
	files := m.found(request, seen)
	all := len(files) < outlined
	if all {
		files = append(files, m.others(files, seen)...)
	}
	outlines := files[:min(len(files), outlined)]
	p := m.newPicture(outlines)
	room := request.Budget * charactersPerToken
	room, fits := p.take(m.symbolQuery(request).stepsOf(outlines, room), room)
	if !fits {
		return p.draw()
	}
	if !all { // a request for so little that they are never shown need not wait for them
		files = append(files, m.others(files, seen)...)
	}
	p.list(m, files[len(outlines):], room)
	return p.draw()
}

// picture is what a map shows.
type picture struct {
	files  []*catalog
	levels [][]level // of each file that is shown one for each entry, or an empty slice if it has none; else nil
	rest   []string  // bare paths after them
}

func (m *Mapper) newPicture(files []int32) *picture {
	p := &picture{levels: make([][]level, len(files))}
	for _, number := range files {
		p.files = append(p.files, m.catalog(number))
	}
	return p
}

// take takes steps as long as there is room, and returns what is left of it and whether all of them fitted.
func (p *picture) take(steps []step, room int) (int, bool) {
	for _, s := range steps {
		if s.cost > room {
			return 0, false
		}
		room -= s.cost
		if s.level == opened {
			p.levels[s.file] = make([]level, len(p.files[s.file].entries))
		}
		if s.entry >= 0 {
			p.levels[s.file][s.entry] = s.level
		}
	}
	return room, true
}

// list adds bare paths as long as there is room.
func (p *picture) list(m *Mapper, files []int32, room int) {
	for _, number := range files {
		path := oneLine(m.documents[number].Path)
		room -= utf8.RuneCountInString(path) + len("\n")
		if room < 0 {
			return
		}
		p.rest = append(p.rest, path)
	}
}

func (p *picture) draw() Map {
	var drawn Map
	var out strings.Builder
	for i, file := range p.files {
		if p.levels[i] == nil {
			continue
		}
		out.WriteString(file.path + "\n")
		if len(file.entries) == 0 {
			drawn.Paths = append(drawn.Paths, file.path)
			continue
		}
		drawn.Files = append(drawn.Files, file.path)
		file.draw(&out, p.levels[i])
	}
	for _, path := range p.rest {
		out.WriteString(path + "\n")
	}
	drawn.Paths = append(drawn.Paths, p.rest...)
	drawn.Text = out.String()
	drawn.Tokens = Tokens(drawn.Text)
	return drawn
}

// draw writes the lines of a file's symbols: signatures, then the names that have none.
func (c *catalog) draw(out *strings.Builder, levels []level) {
	var names []string
	for i := range c.entries {
		switch levels[i] {
		case signed:
			for _, signature := range c.entries[i].signatures {
				out.WriteString("  " + signature + "\n")
			}
		case opened, named:
			names = append(names, c.entries[i].name)
		case hidden:
		}
	}
	if len(names) > 0 {
		out.WriteString("  " + strings.Join(names, ", ") + "\n")
	}
}

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

// Costs of what is around a name or a signature.
const (
	nameMargin = len(", ")
	lineMargin = len("  ") + len("\n")
	listMargin = lineMargin - nameMargin // of a list of names, in addition to what each name costs
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

// add adds symbols and what is inside of them; at is where the entry of a name is.
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
	if slices.Contains(e.signatures, signature) {
		return
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

// kindWeight returns how often a request is about a symbol of a kind, relative to a function.
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

// maxSignature bounds a signature, in bytes.
const maxSignature = 120

// signature is the line that shows a symbol: "Server.Serve(l net.Listener) error", "struct Server", "const
// limit int". The parentheses mark functions and methods; a container is only named, not described.
func signature(container, name string, s *codeintel.Symbol) string {
	var b strings.Builder
	if word := kindWord(s.Kind); word != "" {
		b.WriteString(word + " ")
	}
	if s.Receiver != "" {
		container = bareType(s.Receiver)
	}
	if container != "" {
		b.WriteString(container + ".")
	}
	b.WriteString(name)
	if detail := oneLine(s.Detail); detail != "" {
		if !strings.HasPrefix(detail, "(") {
			b.WriteString(" ")
		}
		b.WriteString(detail)
	}
	return clip(b.String())
}

// kindWord is what precedes a name; functions, methods and nested symbols need none.
func kindWord(kind codeintel.Kind) string {
	switch kind {
	case codeintel.Function, codeintel.Method, codeintel.Constructor, codeintel.Field, codeintel.Member,
		codeintel.Heading, codeintel.Key:
		return ""
	case codeintel.Constant:
		return "const"
	case codeintel.Variable:
		return "var"
	default:
		return string(kind)
	}
}

// bareType cuts a receiver down to its name: "*Map[K, V]" is "Map".
func bareType(receiver string) string {
	receiver = strings.TrimLeft(receiver, "*&( ")
	if end := strings.IndexAny(receiver, "[<) "); end > 0 {
		receiver = receiver[:end]
	}
	return oneLine(receiver)
}

func clip(text string) string {
	if len(text) <= maxSignature {
		return text
	}
	end := maxSignature
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
