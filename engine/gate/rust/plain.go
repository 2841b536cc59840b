package rust

import (
	"strconv"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// The rules of findings without an error code of the compiler.
const (
	ruleCompile = "compile" // the compiler, the linker or a build script
	ruleModule  = "cargo"   // Cargo.toml, or a dependency
	ruleFormat  = "rustfmt"
	ruleTest    = "test"
)

var (
	plainError = lazyregexp.New("^(?:`cargo metadata` exited with an error: )?error(?:\\[(\\w+)\\])?: (.*)$")
	// arrow matches the place in the compiler's text.
	arrow      = lazyregexp.New(`(?m)^\s*--> (.+?):(\d+):(\d+)$`)
	panicked   = lazyregexp.New(`(?m)panicked at (?:'.*', )?(\S.*?):(\d+):(\d+):?$`)
	atLine     = lazyregexp.New(`(?m)error at line (\d+), column (\d+)`)
	manifestAt = lazyregexp.New("(?m)(?:manifest|workspace) (?:path )?(?:at )?`?([^`\\s]+Cargo\\.toml)`?")
	ofPackage  = lazyregexp.New("(?m)(?:required by package|of package|for) `[^`(]*\\(([^`)]+)\\)`")
)

// sums match errors that only report that there were others.
var sums = lazyregexp.New(`^(could not compile|aborting due to|test failed, to rerun|doctest failed|\d+ targets? failed|build failed|could not document)`)

// parsePlain parses the errors that cargo and rustfmt print as text: each begins with "error: ", and ends where the
// next one begins. Errors that only count others are omitted.
func parsePlain(output string, r tool.Root) []gate.Finding {
	var found []gate.Finding
	var block []string
	end := func() {
		if f, is := plainFinding(block, r); is {
			found = append(found, f)
		}
		block = nil
	}
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case plainError.MatchString(line):
			end()
			block = append(block, line)
		case strings.HasPrefix(line, "warning: ") || strings.HasPrefix(line, "This utility formats"):
			end()
		case len(block) > 0 && len(block) < 60:
			block = append(block, line)
		}
	}
	end()
	return distinct(found)
}

func plainFinding(block []string, r tool.Root) (f gate.Finding, is bool) {
	if len(block) == 0 {
		return f, false
	}
	head := plainError.FindStringSubmatch(block[0])
	if sums.MatchString(head[2]) {
		return f, false
	}
	text := strings.Join(block, "\n")
	f = gate.Finding{Severity: gate.SeverityError, Rule: ruleModule}
	if head[1] != "" {
		f.Rule = head[1]
	}
	f.Path, f.Line, f.Column = placeIn(text, r)
	if strings.HasSuffix(f.Path, ".rs") && head[1] == "" {
		f.Rule = ruleCompile
	}
	block[0] = head[2]
	f.Message = tool.Trim(r.Inert(strings.TrimSpace(withoutSnippet(strings.Join(block, "\n")))))
	if f.Message == "" {
		f.Message = "no message"
	}
	return f, true
}

// placeIn finds the place in a message of cargo.
func placeIn(text string, r tool.Root) (path string, line, column int) {
	for _, pattern := range []*lazyregexp.Regexp{arrow, panicked} {
		if path, line, column, ok := firstPlace(pattern, text, r); ok {
			return path, line, column
		}
	}
	if m := manifestAt.FindStringSubmatch(text); m != nil {
		if path, ok := r.Rel(m[1]); ok {
			if at := atLine.FindStringSubmatch(text); at != nil {
				line, column = number(at[1]), number(at[2])
			}
			return path, line, column
		}
	}
	if m := ofPackage.FindStringSubmatch(text); m != nil {
		if dir, ok := r.Rel(m[1]); ok {
			return strings.TrimPrefix(dir+"/"+manifestName, "./"), 0, 0
		}
	}
	return "", 0, 0
}

// firstPlace returns the first match of a pattern that is in the tree.
func firstPlace(pattern *lazyregexp.Regexp, text string, r tool.Root) (path string, line, column int, ok bool) {
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		if path, ok := r.Rel(m[1]); ok {
			return path, number(m[2]), number(m[3]), true
		}
	}
	return "", 0, 0, false
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// snippet matches a line in which the compiler shows source.
var snippet = lazyregexp.New(`^\s*(?:\d+ )?\|(?: .*)?$|^\s*-->|^\s*\d+\s*\| `)

// withoutSnippet removes the source that the compiler shows, because a finding has its place.
func withoutSnippet(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" && !snippet.MatchString(line) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
