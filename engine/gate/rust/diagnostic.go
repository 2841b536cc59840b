package rust

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"forge/engine/gate"
	"forge/engine/gate/rust/builds"
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
	Filenames  []string
	OutDir     string `json:"out_dir"` // of a build script that ran
	Profile    struct{ Test bool }
	Success    bool // of build-finished
}

// diagnostic is a message of rustc. https://doc.rust-lang.org/rustc/json.html
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
	programs []program       // test programs, in no order
	others   []string        // hashes of the units of downloaded crates
	finished bool            // cargo reported success for the whole build
}

// program is a test program that was built.
type program struct {
	path, pkg string // pkg is an id
	target    string
	kind      string // lib, bin, test, example, bench, proc-macro …
}

// parseMessages parses cargo's messages about a build, down to the lowest severity that counts. Other lines are skipped:
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
			b.noteUnit(m)
			if m.Executable != "" && m.Profile.Test {
				b.programs = append(b.programs, program{m.Executable, m.PackageID, m.Target.Name, firstText(m.Target.Kind)})
			}
		case "build-script-executed":
			b.noteUnit(m)
		case "build-finished":
			b.finished = m.Success
		}
	}
	b.findings = distinct(b.findings)
	return b
}

// noteUnit notes the unit of an artifact that comes from a registry or a repository: https://doc.rust-lang.org/cargo/reference/pkgid-spec.html
func (b *built) noteUnit(m message) {
	if strings.Contains(m.PackageID, "path+") || !strings.Contains(m.PackageID, "registry+") && !strings.Contains(m.PackageID, "git+") {
		return
	}
	for _, name := range append(m.Filenames, m.OutDir) {
		for _, part := range []string{filepath.Base(name), filepath.Base(filepath.Dir(name))} { // build scripts and their output have a folder of their own
			if hash, ok := builds.Unit(part); ok {
				b.others = append(b.others, hash)
			}
		}
	}
}

func firstText(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// see adds a compiler message about a package.
func (b *built) see(m message, r tool.Root, worst gate.Severity) {
	severity := severityOf(m.Message.Level)
	if severity == 0 || severity > worst || isSum(m.Message) {
		return
	}
	f := m.Message.finding(severity, r)
	if main, inside := r.Rel(m.Target.Source); f.Path == "" && m.Target.Source != "" && inside {
		f.Path, f.Inferred = main, true // such as a message of the linker
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
	return 0 // notes, and messages about several
}

// isSum reports whether a message only counts others.
func isSum(d diagnostic) bool {
	return len(d.Spans) == 0 && (strings.HasPrefix(d.Message, "aborting due to") || strings.HasSuffix(d.Message, "warning emitted") ||
		strings.HasSuffix(d.Message, "warnings emitted"))
}

// finding locates a diagnostic: at its primary span, or at the use of the macro in the tree that contains it.
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

// referenced matches the place of an undefined symbol's use in linkers' messages; it has no column.
var referenced = lazyregexp.New(`(?m)^>>> referenced by .*\((\S+?\.rs):(\d+)()\)$`)

// inside returns the innermost span in the tree.
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

// column returns the column in bytes.
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

// text returns the message with the label of its place and the compiler's notes.
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

// distinct drops duplicates: from a library, and from the library with its tests.
func distinct(found []gate.Finding) []gate.Finding {
	seen := map[gate.Finding]bool{}
	return slices.DeleteFunc(found, func(f gate.Finding) bool {
		was := seen[f]
		seen[f] = true
		return was
	})
}
