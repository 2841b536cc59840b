package patch

import (
	"fmt"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// Unified prints all changes in sequence, each as Unified of FileChange does.
func (s ChangeSet) Unified(context int) string {
	var b strings.Builder
	for _, c := range s.Files {
		b.WriteString(Unified(c, context))
	}
	return b.String()
}

// Unified prints a change as a unified diff for users, with that many lines of context and git's headers. Lines end at line feeds only,
// as for diff tools: a carriage return is part of its line. A change without effect prints as nothing.
func Unified(c FileChange, context int) string {
	if c.Kind == Update && c.Before == c.After {
		return ""
	}
	var b strings.Builder
	from := c.Path
	if c.Kind == Move {
		from = c.From
	}
	fmt.Fprintf(&b, "diff --git %s %s\n", quoted("a/"+from), quoted("b/"+c.Path))
	switch c.Kind {
	case Create:
		b.WriteString("new file mode 100644\n")
	case Delete:
		b.WriteString("deleted file mode 100644\n")
	case Move:
		fmt.Fprintf(&b, "rename from %s\nrename to %s\n", quoted(from), quoted(c.Path))
	}
	p := newPrinter(c, context)
	if len(p.chunks) > 0 {
		fmt.Fprintf(&b, "--- %s\n+++ %s\n", fileName("a/"+from, c.Kind == Create), fileName("b/"+c.Path, c.Kind == Delete))
		p.hunks(&b)
	}
	return b.String()
}

// UnifiedPart prints an update of a part of a file that begins at a line, from 1, as a unified diff for users, with the line numbers of the
// file.
func UnifiedPart(c FileChange, line, context int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", fileName("a/"+c.Path, false), fileName("b/"+c.Path, false))
	p := newPrinter(c, context)
	p.above = line - 1
	p.hunks(&b)
	return b.String()
}

// quoted quotes a name as git does if it has a quotation mark; paths have no other special characters (see CheckPath).
func quoted(name string) string {
	if !strings.Contains(name, `"`) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `\"`) + `"`
}

// fileName returns a name for the lines "---" and "+++": a tab ends a name with spaces.
func fileName(name string, none bool) string {
	switch {
	case none:
		return "/dev/null"
	case strings.Contains(name, " ") && !strings.Contains(name, `"`):
		return name + "\t"
	}
	return quoted(name)
}

// printer prints the hunks of one change.
type printer struct {
	a, b    []string // lines with their line feeds
	chunks  []chunk
	context int
	above   int // lines of the file before the text
}

func newPrinter(c FileChange, context int) *printer {
	p := &printer{a: feedLines(c.Before), b: feedLines(c.After), context: max(context, 0)}
	p.chunks = compare(p.a, p.b)
	return p
}

// feedLines splits a text after each line feed.
func feedLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// hunks prints runs of chunks whose context meets as one hunk.
func (p *printer) hunks(b *strings.Builder) {
	for from := 0; from < len(p.chunks); {
		to := from + 1
		for to < len(p.chunks) && p.chunks[to].aFrom-p.chunks[to-1].aTo <= 2*p.context {
			to++
		}
		p.hunk(b, p.chunks[from:to])
		from = to
	}
}

func (p *printer) hunk(b *strings.Builder, chunks []chunk) {
	first, last := chunks[0], chunks[len(chunks)-1]
	before := min(p.context, first.aFrom)
	behind := min(p.context, len(p.a)-last.aTo)
	fmt.Fprintf(b, "@@ -%s +%s @@%s\n", p.span(first.aFrom-before, last.aTo+behind), p.span(first.bFrom-before, last.bTo+behind), p.heading(first.aFrom-before, first))
	at := first.aFrom - before
	for _, c := range chunks {
		writeMarked(b, ' ', p.a[at:c.aFrom])
		writeMarked(b, '-', p.a[c.aFrom:c.aTo])
		writeMarked(b, '+', p.b[c.bFrom:c.bTo])
		at = c.aTo
	}
	writeMarked(b, ' ', p.a[at:last.aTo+behind])
}

// heading returns the definition that a hunk is in and that begins above it, as git shows one after the line numbers; else "".
func (p *printer) heading(above int, c chunk) string {
	changed := slices.Concat(p.a[c.aFrom:c.aTo], p.b[c.bFrom:c.bTo])
	at := slices.IndexFunc(changed, func(line string) bool { return strings.TrimSpace(line) != "" })
	if at < 0 {
		return ""
	}
	within := indented(changed[at])
	for i := above - 1; i >= 0; i-- {
		line := strings.TrimSpace(p.a[i])
		if line == "" || indented(p.a[i]) >= within {
			continue
		}
		if within = indented(p.a[i]); definition.MatchString(line) && len(line) <= maxHeading {
			return " " + line
		}
	}
	return ""
}

// indented returns how many bytes a line is indented by.
func indented(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

const maxHeading = 100 // bytes; a longer line is no help

// definition matches the first line of a function, a type, a test or a suite.
var definition = lazyregexp.New(`^(?:(?:export|default|async|pub(?:\([\w ]+\))?|unsafe|static|abstract|public|private|protected|final)\s+)*` +
	`(?:func|function\*?|def|fn|class|type|struct|enum|trait|interface|impl|mod|it|test|describe|suite)\b`)

// span formats a range of lines as in unified diffs: an empty one has the number of the line before it, a length of one is left out.
func (p *printer) span(from, to int) string {
	from, to = from+p.above, to+p.above
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func writeMarked(b *strings.Builder, mark byte, lines []string) {
	for _, line := range lines {
		b.WriteByte(mark)
		b.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
