package integrity

import (
	"encoding/json"
	"maps"
	"path"
	"strings"

	"forge/internal/lazyregexp"
	"forge/patch"
)

// ofText judges the additions of a change, if the file's name is not specific.
func ofText(c patch.FileChange) Control {
	base := fold(path.Base(c.Path))
	verdict := func(level ControlLevel, reason string) Control { return Control{level, c.Path, reason} }
	switch {
	case c.Kind == patch.Delete:
	case base == "head" && strings.HasPrefix(strings.TrimSpace(c.After), "ref: refs/"):
		return verdict(ControlAsk, "it makes the folder a git repository, whose settings git then follows")
	case base == "config" && gitSettings.MatchString(c.After):
		return verdict(ControlAsk, "it reads as settings of git, which may name programs to execute")
	case base == "package.json" && !maps.Equal(scripts(c.Before), scripts(c.After)):
		return verdict(ControlLook, "it changes scripts that a package manager executes")
	case path.Ext(base) == ".go" && more(generated, c):
		return verdict(ControlLook, "go generate executes a command that it adds")
	case path.Ext(base) == ".go" && more(cgoFlags, c):
		return verdict(ControlLook, "it adds options of the C compiler or linker")
	}
	return Control{Path: c.Path}
}

var (
	gitSettings = lazyregexp.New(`(?im)^\s*\[\s*(core|alias|filter|diff|include|includeif|credential|remote)\b[^\]]*\]`)
	generated   = lazyregexp.New(`(?m)^//go:generate\s.*$`)
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
