package integrity

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"strings"

	"forge/internal/lazyregexp"
	"forge/patch"
)

// ofText judges the additions of a change, if the file's name is not specific. The strictest judgement counts.
func ofText(c patch.FileChange) Control {
	base := fold(path.Base(c.Path))
	worst := Control{Path: c.Path}
	judge := func(level ControlLevel, applies bool, reason string) {
		if applies && level > worst.Level {
			worst = Control{Level: level, Path: c.Path, Reason: reason}
		}
	}
	if c.Kind == patch.Delete {
		return worst
	}
	judge(ControlAsk, base == "head" && strings.HasPrefix(strings.TrimSpace(c.After), "ref: refs/"), "it makes the folder a git repository, whose settings git then follows")
	judge(ControlAsk, base == "config" && gitSettings.MatchString(c.After), "it reads as settings of git, which may name programs to execute")
	judge(ControlAsk, base == "go.mod" && more(replaced, c), "it replaces a package by another one, whose code is then built and executed")
	origin := newOrigin(c)
	judge(ControlAsk, origin != "", "it takes packages from "+origin+", which the file did not name before")
	judge(ControlLook, base == "package.json" && !maps.Equal(scripts(c.Before), scripts(c.After)), "it changes scripts that a package manager executes")
	judge(ControlLook, path.Ext(base) == ".go" && more(generated, c), "go generate executes a command that it adds")
	judge(ControlLook, path.Ext(base) == ".go" && more(cgoFlags, c), "it adds options of the C compiler or linker")
	if added := Added(c); len(added) > 0 {
		judge(ControlLook, true, "it adds "+packages(added)+", whose code is then executed")
	}
	return worst
}

// packages names packages for users.
func packages(names []string) string {
	const shown = 5
	if more := len(names) - shown; more > 0 {
		return fmt.Sprintf("the packages %s and %d more", strings.Join(names[:shown], ", "), more)
	}
	if len(names) == 1 {
		return "the package " + names[0]
	}
	return "the packages " + strings.Join(names, ", ")
}

// newOrigin returns a host that a lock file takes packages from after a change and did not before, or "". A new lock file has no
// hosts to compare with.
func newOrigin(c patch.FileChange) string {
	if !isLock(fold(path.Base(c.Path))) || c.Before == "" {
		return ""
	}
	known := map[string]bool{}
	for _, match := range host.FindAllStringSubmatch(c.Before, -1) {
		known[match[1]] = true
	}
	for _, match := range host.FindAllStringSubmatch(c.After, -1) {
		if len(known) > 0 && !known[match[1]] {
			return match[1]
		}
	}
	return ""
}

var (
	gitSettings = lazyregexp.New(`(?im)^\s*\[\s*(core|alias|filter|diff|include|includeif|credential|remote)\b[^\]]*\]`)
	generated   = lazyregexp.New(`(?m)^//go:generate\s.*$`)
	replaced    = lazyregexp.New(`(?m)^\s*(?:replace\s+)?\S+(?:\s+v\S+)?\s*=>.*$`)
	host        = lazyregexp.New(`(?:https?|ssh|git)://(?:[^@/\s"']*@)?([\w.-]+)`)
	cgoFlags    = lazyregexp.New(`(?m)^\s*(//|\*)?\s*#cgo\b.*$`)
)

// more reports whether a change adds lines of a kind.
func more(kind *lazyregexp.Regexp, c patch.FileChange) bool {
	before := map[string]bool{}
	for _, line := range kind.FindAllString(c.Before, -1) {
		before[line] = true
	}
	for _, line := range kind.FindAllString(c.After, -1) {
		if !before[line] {
			return true
		}
	}
	return false
}

// scripts returns the commands of a package.json by name. An unreadable file counts as one command.
func scripts(text string) map[string]string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var manifest struct {
		Scripts map[string]string `json:"scripts"`
	}
	if err := json.Unmarshal([]byte(text), &manifest); err != nil {
		return map[string]string{"": text}
	}
	return manifest.Scripts
}
