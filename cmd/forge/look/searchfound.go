package look

import (
	"fmt"
	"io"
	"strings"

	"forge/api/service"
	"forge/cmd/forge/terminal"
)

// symbolsShown is how many symbols users see.
const symbolsShown = 10

func printFound(w io.Writer, f service.Found) {
	for _, h := range f.Hits {
		printFile(w, h)
	}
	if len(f.Symbols) > 0 {
		fmt.Fprintln(w, "\nsymbols")
	}
	printSymbols(w, "    ", f.Symbols[:min(len(f.Symbols), symbolsShown)])
}

func printFile(w io.Writer, h service.FoundFile) {
	place := h.Path
	if h.FirstLine > 0 {
		place = fmt.Sprintf("%s:%d-%d", h.Path, h.FirstLine, h.LastLine)
	}
	fmt.Fprintf(w, "%s  (%s)\n", terminal.OnOneLine(place), terminal.OnOneLine(h.Why))
	for _, l := range h.Lines {
		fmt.Fprintf(w, "    %5d  %s\n", l.Line, terminal.OnOneLine(l.Text))
	}
}

func printSymbols(w io.Writer, indent string, symbols []service.FoundSymbol) {
	for _, s := range symbols {
		place := s.Path
		if s.Line > 0 {
			place = fmt.Sprintf("%s:%d", s.Path, s.Line)
		}
		fmt.Fprintf(w, "%s%s  %s %s%s\n", indent, terminal.OnOneLine(place), s.Kind, terminal.OnOneLine(s.Name), signature(s.Detail))
	}
}

// signature puts the detail of a symbol behind its name.
func signature(detail string) string {
	if detail == "" || strings.HasPrefix(detail, "(") {
		return terminal.OnOneLine(detail)
	}
	return " " + terminal.OnOneLine(detail)
}
