package integrity

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
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

// rule is one kind of control file. Names are in lower case.
type rule struct {
	level   ControlLevel
	reason  string
	names   []string // of files, at any depth; * matches anything
	folders []string // everything below a folder of this name, which may have several parts: ".github/workflows"
}

func (r rule) matches(folded string, parts []string) bool {
	base := parts[len(parts)-1]
	byName := slices.ContainsFunc(r.names, func(pattern string) bool {
		fits, _ := path.Match(pattern, base)
		return fits
	})
	return byName || slices.ContainsFunc(r.folders, func(folder string) bool {
		return strings.Contains("/"+folded, "/"+folder+"/")
	})
}

// rules are checked in order; the first match counts.
var rules = []rule{
	{
		ControlAsk, "editors execute it, or run programs that it names, when the folder is opened",
		[]string{
			"*.code-workspace", ".nvim.lua", ".nvimrc", ".exrc", ".vimrc", ".gvimrc", ".lvimrc", "_vimrc", ".dir-locals*.el", ".projectile", "*.sublime-project",
			".ycm_extra_conf.py", ".vimspector.json", ".luarc.json*", ".replit",
		},
		[]string{".vscode", ".idea", ".fleet", ".zed", ".helix", ".vs", ".nova", ".vim", ".nvim", ".settings"},
	},
	{
		ControlAsk, "a development container is built and started from it",
		[]string{".devcontainer.json", ".gitpod.yml", ".gitpod.yaml", ".gitpod.dockerfile"}, []string{".devcontainer"},
	},
	{
		ControlAsk, "models and agents take it as instructions, so that it steers what the next one does",
		[]string{
			"agents.md", "agents.*.md", "agent.md", "claude.md", "claude.*.md", "gemini.md", "copilot-instructions.md", ".cursorrules", ".windsurfrules",
			".clinerules", ".roorules", ".goosehints", ".aider.conf.yml", ".aider*.yml", "opencode.json", "mcp*.json", ".mcp*.json",
			"crush.md", ".crush.json", "crush.json", "qwen.md", "warp.md", "replit.md", ".rules", ".augment-guidelines",
		},
		[]string{
			".cursor", ".claude", ".codex", ".gemini", ".windsurf", ".clinerules", ".roo", ".continue", ".kiro", ".amazonq", ".opencode", ".agents", ".junie", ".trae", ".augment", ".aiassistant",
			".qodo", ".qwen", ".crush", ".factory", ".goose",
			".github/instructions", ".github/prompts", ".github/agents", ".github/chatmodes",
		},
	},
	{
		ControlAsk, "a build machine executes it, with the rights and secrets of the project",
		[]string{
			".gitlab-ci.yml", ".travis.yml", "azure-pipelines*.yml", "jenkinsfile", ".drone.yml", "bitbucket-pipelines.yml", ".woodpecker.yml", ".cirrus.yml",
			"appveyor.yml", ".appveyor.yml", "cloudbuild.yaml", "buildspec.y*ml", ".readthedocs.y*ml", "netlify.toml", "vercel.json",
		},
		[]string{
			".github/workflows", ".github/actions", ".gitea/workflows", ".forgejo/workflows", ".circleci", ".buildkite", ".woodpecker", ".gitlab/ci", ".semaphore", ".teamcity",
		},
	},
	{
		ControlAsk, "it decides who approves changes of the project, or which changes are made by machines",
		[]string{"codeowners", "dependabot.y*ml", "renovate.json*", ".renovaterc*"}, nil,
	},
	{
		ControlAsk, "a version control system executes programs that it names",
		[]string{".hgrc"}, []string{".hg", ".svn", ".jj", ".sl", ".bzr", "_darcs", ".pijul"},
	},
	{
		ControlAsk, "an interpreter, a debugger or a database client executes it when it starts here",
		[]string{
			".rprofile", ".renviron", ".gdbinit", ".lldbinit*", ".irbrc", ".pryrc", ".pdbrc*", ".ghci", ".iex.exs", ".psqlrc", ".sqliterc", ".mongorc.js", ".octaverc", ".radare2rc",
		},
		nil,
	},
	{
		ControlAsk, "git executes programs that it names, or a hook of git does",
		[]string{
			".gitattributes", ".gitmodules", ".gitconfig", ".pre-commit-config.yaml", ".pre-commit-config.yml", "lefthook*.yml", "lefthook*.yaml", "lefthook*.toml",
			".lefthook*.yml", ".overcommit.yml", ".lintstagedrc*",
		},
		[]string{".husky", ".githooks", ".git-hooks", ".lefthook"},
	},
	{
		ControlAsk, "a shell executes it, or takes secrets and settings from it",
		[]string{
			".env", ".env.*", ".envrc", ".envrc.*", ".flaskenv", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile",
			".zlogin", ".inputrc", ".mise.toml", "mise.toml", ".mise.*.toml", ".netrc", "_netrc", ".autoenv*",
		},
		[]string{".direnv", ".mise", ".ssh", ".aws", ".gnupg", ".docker"},
	},
	{
		ControlAsk, "it says where packages come from, or runs code when they are installed",
		[]string{
			".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.*", "pnpmfile.*", "bunfig.toml", ".pypirc", "pip.conf", "pip.ini", "nuget.config", ".gemrc", ".condarc",
		},
		[]string{".yarn", ".cargo", ".bundle", ".mvn"},
	},
	{
		ControlAsk, "Python executes it whenever it starts here, before any other code",
		[]string{"sitecustomize.py", "usercustomize.py", "*.pth"}, nil,
	},
	{
		ControlLook, "it is executed when the project is built, tested or installed",
		[]string{
			"makefile", "gnumakefile", "*.mk", "justfile", ".justfile", "taskfile.y*ml", "rakefile", "magefile.go", "conftest.py", "setup.py", "noxfile.py", "tox.ini",
			"build.rs", "build.zig", "gradlew", "gradlew.bat", "mvnw", "gulpfile.*", "gruntfile.*", "dockerfile", "*.dockerfile", "containerfile", "compose.y*ml",
			"docker-compose*.y*ml", "procfile", "rust-toolchain", "rust-toolchain.toml", ".tool-versions", ".bazelrc", ".python-version",
			"*.config.js", "*.config.?js", "*.config.ts", "*.config.?ts", ".eslintrc.*js", ".prettierrc.*js", ".babelrc.*js", "build.gradle*", "settings.gradle*", "init.gradle*", "pom.xml",
			"cmakelists.txt", "*.cmake", "workspace", "workspace.bazel", "module.bazel", "build.bazel", "*.bzl", "flake.nix", "shell.nix", "default.nix", "vagrantfile", "tiltfile", "earthfile",
			"brewfile", "*.desktop", "autorun.inf", "desktop.ini", "skaffold.y*ml", ".air.toml", ".goreleaser.y*ml", ".actrc", "ansible.cfg",
		},
		[]string{"gradle/wrapper"},
	},
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
	judge(ControlAsk, base == "head" && strings.HasPrefix(strings.TrimSpace(c.After), "ref: refs/"), "it makes the folder a git repository, whose settings git then follows")
	judge(ControlAsk, base == "config" && gitSettings.MatchString(c.After), "it reads as settings of git, which may name programs to execute")
	judge(ControlAsk, (base == "go.mod" || base == "go.work") && more(replaced, c), "it replaces a package by another one, whose code is then built and executed")
	origin := newOrigin(c)
	judge(ControlAsk, origin != "", "it takes packages from "+origin+", which the file did not name before")
	judge(ControlAsk, base == "package.json" && more(packageManager, c), "it names the package manager, which is then downloaded and executed")
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
	// packageManager matches what Corepack obeys: a version, or the address of any program.
	packageManager = lazyregexp.New(`"packageManager"\s*:\s*"[^"]*"`)
	host           = lazyregexp.New(`(?:https?|ssh|git)://(?:[^@/\s"']*@)?([\w.-]+)`)
	cgoFlags       = lazyregexp.New(`(?m)^\s*(//|\*)?\s*#cgo\b.*$`)
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
