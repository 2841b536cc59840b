package tool

import (
	"context"
	"fmt"
	"strings"

	"forge/codeintel"
)

type symbolArgs struct {
	Path  string `json:"path" jsonschema:"a file"`
	Start int    `json:"start,omitempty" jsonschema:"first line, from 1"`
}

// symbolList lists the declarations of a file of the tree.
func symbolList(ctx context.Context, w World, a symbolArgs) (Result, error) {
	text, refused, err := w.text(ctx, a.Path)
	if refused != "" || err != nil {
		return failed("%s", refused), err
	}
	language := codeintel.LanguageOf(a.Path)
	if w.Outliner == nil || language == "" {
		return failed("what %s declares is not known: read_file shows it", a.Path), nil
	}
	outline, err := w.Outliner.Outline(ctx, language, text)
	if err != nil {
		return Result{}, fmt.Errorf("outline %s: %w", a.Path, err)
	}
	if len(outline.Symbols) == 0 {
		return Result{Text: a.Path + " declares nothing"}, nil
	}
	var b strings.Builder
	if outline.Broken {
		b.WriteString(a.Path + " has syntax errors; what could be read of it:\n")
	}
	s := symbolLines{text: text, first: a.Start}
	s.write(&b, outline.Symbols, "")
	switch {
	case b.Len() == 0:
		return Result{Text: fmt.Sprintf("%s declares nothing from line %d on", a.Path, a.Start)}, nil
	case s.next > 0:
		return Result{Text: b.String() + fmt.Sprintf("[… cut here: continue with start %d]", s.next), Cut: true}, nil
	}
	return Result{Text: strings.TrimRight(b.String(), "\n")}, nil
}

// symbolLines counts the lines of a text up to its symbols, which come in order, more or less.
type symbolLines struct {
	text     string
	at, line int // line breaks before at
	first    int // symbols before this line are left out
	next     int // the line of the first symbol that there is no room for; 0 while there is
}

func (s *symbolLines) write(b *strings.Builder, symbols []codeintel.Symbol, indent string) {
	for i := range symbols {
		symbol := &symbols[i]
		receiver := ""
		if symbol.Receiver != "" {
			receiver = "(" + symbol.Receiver + ") "
		}
		number := s.of(symbol.Span.Start)
		line := fmt.Sprintf("%s%d: %s %s%s%s", indent, number, symbol.Kind, receiver, symbol.Name, detail(symbol.Detail))
		if symbol.Doc != "" {
			line += "  // " + symbol.Doc
		}
		if b.Len()+len(line) > MaxOutput-room && number >= s.first && b.Len() > 0 {
			s.next = number
		}
		if s.next > 0 {
			return
		}
		if number >= s.first {
			b.WriteString(line + "\n")
		}
		s.write(b, symbol.Children, indent+"  ")
	}
}

// detail separates a type from a name by a space; a list of parameters follows the name directly.
func detail(text string) string {
	if text == "" || strings.HasPrefix(text, "(") {
		return text
	}
	return " " + text
}

// of is the line at an offset, from 1.
func (s *symbolLines) of(offset int) int {
	offset = min(offset, len(s.text))
	if offset < s.at {
		s.at, s.line = 0, 0
	}
	s.line += strings.Count(s.text[s.at:offset], "\n")
	s.at = offset
	return s.line + 1
}
