package tool

import (
	"context"
	"fmt"
	"strings"

	"forge/codeintel"
)

type symbolArgs struct {
	Path string `json:"path" jsonschema:"a file"`
}

// symbolList says what a file of the tree declares.
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
	s := symbolLines{text: text}
	s.write(&b, outline.Symbols, "")
	return Result{Text: strings.TrimRight(b.String(), "\n")}, nil
}

// symbolLines counts the lines of a text up to its symbols, which come in order, more or less.
type symbolLines struct {
	text     string
	at, line int // line breaks before at
}

func (s *symbolLines) write(b *strings.Builder, symbols []codeintel.Symbol, indent string) {
	for i := range symbols {
		symbol := &symbols[i]
		receiver := ""
		if symbol.Receiver != "" {
			receiver = "(" + symbol.Receiver + ") "
		}
		fmt.Fprintf(b, "%s%d: %s %s%s%s", indent, s.of(symbol.Span.Start), symbol.Kind, receiver, symbol.Name, detail(symbol.Detail))
		if symbol.Doc != "" {
			b.WriteString("  // " + symbol.Doc)
		}
		b.WriteString("\n")
		s.write(b, symbol.Children, indent+"  ")
	}
}

// detail sets a type apart from a name; a list of parameters stands right behind it.
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
