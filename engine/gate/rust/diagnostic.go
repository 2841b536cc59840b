package rust

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// message is a line of cargo's --message-format=json.
// https://doc.rust-lang.org/cargo/reference/external-tools.html#json-messages
type message struct {
	Reason    string
	PackageID string `json:"package_id"`
	Message   diagnostic
	Target    struct {
		Name   string
		Kind   []string
		Source string `json:"src_path"` // its main file
	}
	Executable string
	Profile    struct{ Test bool }
	Success    bool // of build-finished
}

// diagnostic is what rustc says. https://doc.rust-lang.org/rustc/json.html
type diagnostic struct {
	Message  string
	Level    string
	Code     *struct{ Code string }
	Spans    []span
	Children []diagnostic
}

type span struct {
	FileName    string `json:"file_name"`
	LineStart   int    `json:"line_start"`
	ColumnStart int    `json:"column_start"` // from 1, in characters
	IsPrimary   bool   `json:"is_primary"`
	Label       string
	Text        []struct{ Text string }
	Expansion   *struct{ Span span }
}

// built is the result of a build, as far as its messages report it.
type built struct {
	findings []gate.Finding
	broken   map[string]bool // ids of packages with errors
	seen     map[string]bool // ids of packages that were compiled
	programs []program       // of tests, in no order
	finished bool            // cargo said that all was built
}

// program is a test program that was built.
type program struct {
	path, pkg string // pkg is an id
	target    string
	kind      string // lib, bin, test, example, bench, proc-macro …
}

// parseMessages reads what cargo says of a build, down to the level that counts. Lines that are no messages are left out:
// macros may print.
func parseMessages(stdout string, r tool.Root, worst gate.Severity) built {
	b := built{broken: map[string]bool{}, seen: map[string]bool{}}
	for line := range strings.Lines(stdout) {
		var m message
		if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &m) != nil {
			continue
		}
		switch m.Reason {
		case "compiler-message":
			b.see(m, r, worst)
		case "compiler-artifact":
			b.seen[m.PackageID] = true
			if m.Executable != "" && m.Profile.Test {
				b.programs = append(b.programs, program{m.Executable, m.PackageID, m.Target.Name, firstText(m.Target.Kind)})
			}
		case "build-finished":
			b.finished = m.Success
		}
	}
	b.findings = distinct(b.findings)
	return b
}

func firstText(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// see takes note of what the compiler says of a package.
func (b *built) see(m message, r tool.Root, worst gate.Severity) {
	severity := severityOf(m.Message.Level)
	if severity == 0 || severity > worst || isSum(m.Message) {
		return
	}
	f := m.Message.finding(severity, r)
	if main, inside := r.Rel(m.Target.Source); f.Path == "" && m.Target.Source != "" && inside {
		f.Path, f.Inferred = main, true // as what the linker says
	}
	b.findings = append(b.findings, f)
	b.broken[m.PackageID] = true
}

func severityOf(level string) gate.Severity {
	switch {
	case strings.HasPrefix(level, "error"):
		return gate.SeverityError
	case level == "warning":
		return gate.SeverityWarning
	}
	return 0 // notes, and what is said of several
}

// isSum recognises what only counts other messages.
func isSum(d diagnostic) bool {
	return len(d.Spans) == 0 && (strings.HasPrefix(d.Message, "aborting due to") || strings.HasSuffix(d.Message, "warning emitted") ||
		strings.HasSuffix(d.Message, "warnings emitted"))
}

// finding locates a diagnostic: at its primary span, or where in the tree a macro was used that it is in.
func (d diagnostic) finding(severity gate.Severity, r tool.Root) gate.Finding {
	f := gate.Finding{Severity: severity, Rule: ruleCompile, Message: r.Inert(d.text())}
	if d.Code != nil && d.Code.Code != "" {
		f.Rule = d.Code.Code
	}
	for _, s := range d.Spans {
		if path, at, ok := s.inside(r); s.IsPrimary && ok {
			f.Path, f.Line, f.Column = path, at.LineStart, at.column()
			return f
		}
	}
	f.Path, f.Line, f.Column, _ = firstPlace(referenced, f.Message, r)
	return f
}

// referenced is how linkers tell where something is used that they do not find; it has no column.
var referenced = lazyregexp.New(`(?m)^>>> referenced by .*\((\S+?\.rs):(\d+)()\)$`)

// inside gives the innermost span that is in the tree.
func (s span) inside(r tool.Root) (path string, at span, ok bool) {
	for {
		if path, ok := r.Rel(s.FileName); ok && s.LineStart > 0 {
			return path, s, true
		}
		if s.Expansion == nil {
			return "", s, false
		}
		s = s.Expansion.Span
	}
}

// column is in bytes.
func (s span) column() int {
	if s.ColumnStart <= 0 || len(s.Text) == 0 {
		return max(s.ColumnStart, 0)
	}
	text, bytes := s.Text[0].Text, 0
	for range s.ColumnStart - 1 {
		if bytes >= len(text) {
			break
		}
		_, size := utf8.DecodeRuneInString(text[bytes:])
		bytes += size
	}
	return bytes + 1
}

// text is the message with the label of its place, and what the compiler adds to it.
func (d diagnostic) text() string {
	text := d.Message
	for _, s := range d.Spans {
		if s.IsPrimary && s.Label != "" {
			text += ": " + s.Label
			break
		}
	}
	for _, c := range d.Children {
		if c.Message != "" && !strings.Contains(c.Message, "on by default") {
			text += "\n" + c.Level + ": " + c.Message
		}
	}
	return tool.Trim(text)
}

// distinct leaves out what is said twice: of a library, and of the library with its tests.
func distinct(found []gate.Finding) []gate.Finding {
	seen := map[gate.Finding]bool{}
	return slices.DeleteFunc(found, func(f gate.Finding) bool {
		was := seen[f]
		seen[f] = true
		return was
	})
}
