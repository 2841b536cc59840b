package execution

import (
	"path"
	"strings"
	"time"
)

// Focus is what the user pointed at; the zero Focus is the whole folder.
type Focus struct {
	Path               string // relative to the root
	StartLine, EndLine int    // from 1, inclusive; 0 means the whole file
	Diagnostics        []string
}

// Limits are what a run may use; what would go past them blocks it, and it can be resumed with higher ones. Zero means the
// default.
type Limits struct {
	Tokens   int           // of all requests and answers; the default is DefaultTokens
	MicroUSD int64         // millionths of a US dollar; the default is no limit
	Duration time.Duration // of one execution of the run; the default is DefaultDuration
}

// Or fills up what l leaves open.
func (l Limits) Or(o Limits) Limits {
	if l.Tokens <= 0 {
		l.Tokens = o.Tokens
	}
	if l.MicroUSD <= 0 {
		l.MicroUSD = o.MicroUSD
	}
	if l.Duration <= 0 {
		l.Duration = o.Duration
	}
	return l
}

// The limits of a run that names none.
const (
	DefaultTokens   = 1_000_000
	DefaultDuration = 30 * time.Minute
)

// Plan says whether a task is cut into parts.
type Plan struct {
	Wanted bool
	Inline bool // sub-tasks of a part are not worked on side by side
}

// title is a task as one short line.
func title(task string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(task), "\n")
	if runes := []rune(line); len(runes) > 72 {
		return string(runes[:71]) + "…"
	}
	return line
}

// scope reports what the user pointed at: with a focus, its folder and what is below it.
func scope(f Focus) func(string) bool {
	dir := path.Dir(f.Path)
	if f.Path == "" || dir == "." {
		return func(string) bool { return true }
	}
	return func(p string) bool { return strings.HasPrefix(p, dir+"/") }
}
