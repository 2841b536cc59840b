package integrity

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"forge/internal/lazyregexp"
	"forge/patch"
)

// ControlLevel is how carefully a change must be reviewed. Higher is more careful.
type ControlLevel int

// The levels.
const (
	ControlNone ControlLevel = iota
	ControlLook              // review it: building or testing the project executes it
	ControlAsk               // needs its own confirmation
	ControlDeny              // never
)

// Control is the judgement of a change. The zero Control has none.
type Control struct {
	Level  ControlLevel
	Path   string // path of the file
	Reason string // for users, as a clause: "VS Code runs its tasks when the folder is opened"
	// Deceptive means that the text reads differently from what it is. Naming the file in a request is no consent to that.
	Deceptive bool
}

// ControlOf returns how carefully a change must be reviewed. A move counts for both of its paths; the stricter one applies.
func ControlOf(c patch.FileChange) Control {
	verdicts := []Control{ofPath(c.Path), ofText(c)}
	if c.From != "" {
		verdicts = append(verdicts, ofPath(c.From))
	}
	worst := slices.MaxFunc(verdicts, func(a, b Control) int { return cmp.Compare(a.Level, b.Level) })
	why := deceives(c)
	if worst.Deceptive = why != ""; worst.Deceptive && worst.Level < ControlAsk {
		worst = Control{ControlAsk, c.Path, why, true}
	}
	return worst
}

// Refused returns, as a *patch.PathError, a change that may never be made; nil if there is none.
func Refused(set patch.ChangeSet) error {
	for _, c := range set.Files {
		if v := ControlOf(c); v.Level == ControlDeny {
			return &patch.PathError{Path: v.Path, Cause: v.Reason}
		}
	}
	return nil
}

// Named reports whether a request contains a path, literally and as a whole: then the user wants the file changed.
func Named(request, name string) bool {
	for at := 0; ; {
		found := strings.Index(request[at:], name)
		if found < 0 {
			return false
		}
		start, end := at+found, at+found+len(name)
		if !inPath(request[:start], true) && !inPath(request[end:], false) {
			return true
		}
		at = end
	}
}

// inPath reports whether a path continues after the end of a text, or before its beginning. A period at the end of a sentence is
// not part of it.
func inPath(text string, atEnd bool) bool {
	partOf := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-/\\~", r)
	}
	if atEnd {
		last := []rune(text[max(0, len(text)-4):])
		return len(last) > 0 && (partOf(last[len(last)-1]) || last[len(last)-1] == '.')
	}
	rest := strings.TrimLeft(text, ".")
	first := []rune(rest[:min(4, len(rest))])
	return len(first) > 0 && partOf(first[0])
}

// ofPath judges a path by its name and its folders.
func ofPath(name string) Control {
	folded := fold(name)
	parts := strings.Split(folded, "/")
	if slices.Contains(parts, ".forge") {
		return Control{Level: ControlDeny, Path: name, Reason: "it is in Forge's own folder, which no model and no patch writes"}
	}
	for _, r := range rules {
		if r.matches(folded, parts) {
			return Control{Level: r.level, Path: name, Reason: r.reason}
		}
	}
	if isHiddenName(parts) {
		return Control{Level: ControlLook, Path: name, Reason: "its name begins with a period, so tools may read it as settings"}
	}
	return Control{Path: name}
}

// fold returns the canonical form of a path for all spellings that a file system may treat as equal: in any case, without
// the code points that some file systems ignore, and without trailing periods and spaces.
func fold(name string) string {
	parts := strings.Split(strings.Map(foldRune, name), "/")
	for i, part := range parts {
		if trimmed := strings.TrimRight(part, ". "); trimmed != "" {
			parts[i] = trimmed
		}
	}
	return path.Clean(strings.Join(parts, "/"))
}

func foldRune(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return -1
	}
	smallest := r
	for variant := unicode.SimpleFold(r); variant != r; variant = unicode.SimpleFold(variant) {
		smallest = min(smallest, variant)
	}
	return unicode.ToLower(smallest)
}

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
	judge(ControlAsk, base == "head" && gitHead.MatchString(c.After), "it makes the folder a git repository, whose settings git then follows")
	judge(ControlAsk, slices.Contains([]string{"config", "config.worktree", "gitconfig"}, base) && gitSettings.MatchString(c.After), "it reads as settings of git, which may name programs to execute")
	judge(ControlAsk, (base == "go.mod" || base == "go.work") && more(replaced, c), "it replaces a package by another one, whose code is then built and executed")
	origin := newOrigin(c)
	judge(ControlAsk, origin != "", "it takes packages from "+origin+", which the file did not name before")
	judge(ControlAsk, (base == "go.mod" || base == "go.work") && more(toolchain, c), "it names a version of Go, which is then downloaded and executed")
	if slices.Contains([]string{"package.json", "composer.json"}, base) {
		judgeManifest(c, judge)
	}
	judge(ControlLook, path.Ext(base) == ".go" && more(generated, c), "go generate executes a command that it adds")
	judge(ControlLook, path.Ext(base) == ".go" && more(cgoFlags, c), "it adds options of the C compiler or linker")
	if added := Added(c); len(added) > 0 {
		judge(ControlLook, true, "it adds "+packages(added)+", whose code is then executed")
	}
	return worst
}

// judgeManifest judges what a package manager executes of a manifest in JSON.
func judgeManifest(c patch.FileChange, judge func(level ControlLevel, applies bool, reason string)) {
	judge(ControlAsk, changes(c, "packageManager"), "it names the package manager, which is then downloaded and executed")
	judge(ControlAsk, changes(c, "husky", "simple-git-hooks", "gitHooks", "lint-staged", "pre-commit", "pre-push", "commit-msg"), "git executes programs that it names, in a hook")
	judge(ControlAsk, changes(c, "trustedDependencies", "pnpm", "dependenciesMeta"), "it may let packages execute code when they are installed")
	judge(ControlLook, changes(c, "scripts"), "it changes scripts that a package manager executes")
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

var (
	// gitSettings matches a section of git's settings that may name a program. Sections may share a line.
	gitSettings = lazyregexp.New(`(?i)\[\s*(core|alias|filter|diff|merge|include|includeif|credential|remote|url|pager|gpg|ssh|sequence|difftool|mergetool|interactive|browser|web|man|submodule|protocol|http|` +
		`uploadpack|receive|trailer|sendemail|init|commit|tag|gui|guitool|hook|extensions|safe|instaweb|maintenance|log|lfs|user)\b`)
	// gitHead matches what git requires of HEAD: the name of a branch, or a commit.
	gitHead   = lazyregexp.New(`^\s*(ref:\s*refs/|[0-9a-fA-F]{40}([0-9a-fA-F]{24})?\s*$)`)
	toolchain = lazyregexp.New(`(?m)^\s*toolchain\s+\S+.*$`)
	generated = lazyregexp.New(`(?m)^//go:generate\s.*$`)
	replaced  = lazyregexp.New(`(?m)^\s*(?:replace\s+)?\S+(?:\s+v\S+)?\s*=>.*$`)
	cgoFlags  = lazyregexp.New(`(?m)^\s*(//|\*)?\s*#cgo\b.*$`)
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

// changes reports whether a change of a JSON document changes one of its values, by the keys of the document. An unreadable document
// counts as another value.
func changes(c patch.FileChange, keys ...string) bool {
	before, after := document(c.Before), document(c.After)
	return slices.ContainsFunc(keys, func(key string) bool { return before[key] != after[key] })
}

// document returns the values of a JSON object, compacted. Keys are distinguished by case, as tools do and encoding/json's structs do not.
func document(text string) map[string]string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	values := map[string]string{}
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return map[string]string{"scripts": text}
	}
	for key, value := range all {
		var compact bytes.Buffer
		if json.Compact(&compact, value) == nil {
			values[key] = compact.String()
		}
	}
	return values
}
