package hostile

import (
	"path/filepath"
	"regexp"
	"strings"
)

var (
	// A call may be shown in two lines, the first of which ends with "unfinished".
	started   = regexp.MustCompile(`execve(?:at\([^"]*|\()"((?:[^"\\]|\\.)*)", .*(?:\) += 0| <unfinished \.\.\.>)$`)
	byHandle  = regexp.MustCompile(`execveat\(\d+<([^>]*)>, ""`)
	connected = regexp.MustCompile(`connect\(\d+(?:<[^>]*>)?, \{sa_family=`)
	moved     = regexp.MustCompile(`chdir\("((?:[^"\\]|\\.)*)"\) += 0$`)
	// telemetry is a second process of the go command, which the first one now and then starts of itself, in the folder that it works in.
	telemetry = regexp.MustCompile(`execve\("(/[^"]*/go)", \["/[^"]*/go", "\*\* telemetry \*\*"\]`)
	// strace -y names the folder of a descriptor: a path may be opened one part after the other.
	openedAt = regexp.MustCompile(`open(?:at)?\((?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"`)
)

// launcher is Forge itself, as the process that starts others.
const launcher = "/proc/self/exe"

// settingsOfGit are never opened, by whatever process.
var settingsOfGit = map[string]bool{".git/config": true, ".git/config.worktree": true}

// settings are what programs, Forge among them, read as settings. Before a folder is trusted none is read as such;
// commands that show files may show those, too.
var settings = map[string]bool{
	".forge/config.yaml": true, ".forge/permissions.yaml": true, ".forge/mcp_servers.yaml": true, ".forge/skills": true, ".forge/agents": true,
	".mcp.json": true, ".env": true, ".npmrc": true, ".yarnrc.yml": true, ".cargo/config.toml": true, ".golangci.yml": true,
	".pre-commit-config.yaml": true, ".vscode/settings.json": true, "AGENTS.md": true, "CLAUDE.md": true, "tsconfig.json": true,
	"pyproject.toml": true, "Makefile": true, "go.env": true, "real/config": true, "assets/config": true, "tools/gitconfig": true,
}

// showing are commands that show, search or change the contents of files.
var showing = map[string]bool{"replace": true, "rename": true, "map": true, "search": true, "symbols": true, "explore": true, "apply": true, "files": true, "lsp": true}

// violations returns what a program did that it must not, of strace's lines, which begin with the number of a process.
func (f *folder) violations(log string) []string {
	var bad []string
	folders := map[string]string{} // where a process works
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		process, _, _ := strings.Cut(line, " ")
		if to := moved.FindStringSubmatch(line); to != nil {
			folders[process] = to[1]
		}
		program := started.FindStringSubmatch(line)
		if own := telemetry.FindStringSubmatch(line); own != nil && f.diagnoses && !within(f.root, own[1]) {
			continue
		}
		if file := byHandle.FindStringSubmatch(line); file != nil {
			program = file
		}
		switch {
		case connected.MatchString(line) && !f.connects, program != nil && !f.mayStart(program[1], folders[process]), f.readsSettings(line):
			bad = append(bad, line)
		}
	}
	return bad
}

// mayStart reports that a program may be started in a folder before it is trusted: Forge itself, and the machine's git for
// the shadow repository, which is in Forge's own state. A user who asks for a diagnosis asks for versions of the machine's tools; no file of the
// folder decides which.
func (f *folder) mayStart(path, in string) bool {
	switch {
	case path == forge || path == launcher:
		return true
	case !filepath.IsAbs(path) || within(f.root, path):
		return false
	}
	return filepath.Base(path) == "git" || f.diagnoses && in != "" && !within(f.root, in)
}

// within reports that a path is a folder or below it.
func within(folder, path string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// readsSettings reports that a line opens settings of the folder.
func (f *folder) readsSettings(line string) bool {
	m := openedAt.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	path := m[2]
	if !filepath.IsAbs(path) {
		path = filepath.Join(m[1], path)
	}
	rel, err := filepath.Rel(f.root, path)
	return err == nil && (settingsOfGit[rel] || settings[rel] && !f.shows)
}
