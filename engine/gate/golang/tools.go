package golang

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// tools starts the programs of the Go distribution.
type tools struct {
	tool.Tools
	known *listings
	built *tool.PerTree[compilation]
}

// run starts a tool in the tree. done means that the report's verdict stands.
func (t tools) run(
	ctx context.Context, tree gate.Tree, report *gate.Report, limit time.Duration, argv ...string,
) (result sandbox.Result, done bool) {
	result, done = t.Run(ctx, tree, report, limit, argv...)
	if !done && result.ExitCode != 0 && network.Match(append(result.Stderr, result.Stdout...)) && t.fetch(ctx, tree) {
		result, done = t.Run(ctx, tree, report, limit, argv...)
	}
	return result, done || tooOld(report, string(result.Stderr), result.ExitCode)
}

var requires = lazyregexp.New(`(?m)^go: .*requires go >= (\S+) \(running (go ?\S+?);`)

// tooOld detects a go command that is too old for the tree: that is a missing tool, not a fault of the tree.
func tooOld(report *gate.Report, stderr string, exit int) bool {
	m := requires.FindStringSubmatch(stderr)
	if exit == 0 || m == nil {
		return false
	}
	newer(stderr).NotRun(report)
	report.Summary = tool.Summary("the project needs Go %s or later and %s is installed; install it: https://go.dev/dl", m[1], m[2])
	return true
}

// newer is the version of Go that a module needs, where the one that is installed is older.
func newer(stderr string) gate.Missing {
	m := requires.FindStringSubmatch(stderr)
	if m == nil {
		return gate.Missing{}
	}
	return gate.Missing{Program: "Go " + m[1] + " or later", Install: "https://go.dev/dl"}
}

// lacks returns the go command if it is missing, or the version that the module requires if the installed one is older; otherwise zero.
func (t tools) lacks(ctx context.Context, tree gate.Tree) gate.Missing {
	result, err := t.Ask(ctx, sandbox.Command{InPlace: true, Argv: []string{"go", "list", "-m"}, Dir: tree.Dir(), Env: t.Env, Timeout: tool.PreflightLimit})
	if errors.Is(err, fs.ErrNotExist) {
		return gate.Missing{Program: "go", Install: t.Install}
	}
	return newer(string(result.Stderr))
}

// fetch downloads the modules that the packages of a tree need, in a workspace those of all its modules. It executes no code of the tree;
// other commands have no network. It reports whether there was something to download.
func (t tools) fetch(ctx context.Context, tree gate.Tree) bool {
	result, err := t.Runner.Run(tool.Fetching(ctx), sandbox.Command{
		InPlace: true, Argv: append([]string{"go", "list", "-deps", "-test"}, t.patterns(ctx, tree)...), Dir: tree.Dir(), Env: t.Env, Timeout: fetchLimit, MaxOutput: tool.MaxOutput,
	})
	return err == nil && bytes.Contains(result.Stderr, []byte("go: downloading"))
}

// fetchLimit limits the time of a download.
const fetchLimit = 5 * time.Minute

// conclude is tool.Conclude, but a module that could not be fetched is no fault of the tree.
func conclude(report *gate.Report, result sandbox.Result, failed, passed, nothing string) {
	if offline := unreachable(report.Findings); offline != "" {
		report.Verdict, report.Summary = gate.Error, tool.Summary("modules could not be downloaded: %s", offline)
		return
	}
	tool.Conclude(report, result, tool.Words{Failed: failed, Passed: passed, Nothing: nothing})
}

// network matches the go command's messages about a module that it has to download: it cannot reach the network, or, before it tries to, cannot write
// the cache of modules, which gates only read.
var network = lazyregexp.New(`module lookup disabled by GOPROXY=off|dial tcp|proxyconnect|no such host|i/o timeout|TLS handshake|connection refused|/cache/download/\S*: (?:read-only file system|permission denied)`)

// unreachable returns the first finding that only reports that a module could not be fetched: no edit of the
// tree can fix the network.
func unreachable(findings []gate.Finding) string {
	for _, f := range findings {
		if f.Test == "" && f.Rule != ruleTest && network.MatchString(f.Message) {
			return tool.FirstLine(f.Message)
		}
	}
	return ""
}

var (
	// placed matches settings of the go command that contain the path of the tree, or differ each time.
	placed = lazyregexp.New(`^(?:set )?(?:GOMOD|GOWORK|GOGCCFLAGS|GOTMPDIR)=`)
	// absolutePath is a module that is taken from a folder by its absolute path: what is in it is not known.
	absolutePath = lazyregexp.New(`(?m)(?:=>|^\s*use)\s*"?(?:/|[A-Za-z]:)`)
)

// versions returns the versions of the go command, of the C compiler if cgo uses one, and of staticcheck, with the go command's settings. It is empty
// if they are unknown, or if a module is taken from a folder by its absolute path, whose content may change.
func (t tools) versions(ctx context.Context, tree gate.Tree) string {
	for _, name := range []string{"go.mod", "go.work"} {
		if text, err := os.ReadFile(filepath.Join(tree.Dir(), name)); err == nil && absolutePath.Match(text) {
			return ""
		}
	}
	settings := t.says(ctx, tree, "go", "env") // GOVERSION is among them
	if settings == "" {
		return ""
	}
	all, compiler := "", ""
	for line := range strings.Lines(settings) {
		if !placed.MatchString(line) {
			all += line
		}
		if value, is := strings.CutPrefix(strings.TrimSpace(line), "CC="); is {
			compiler = strings.Trim(value, `'"`)
		}
	}
	if compiler != "" && !strings.Contains(settings, "CGO_ENABLED='0'") {
		all += t.says(ctx, tree, append(strings.Fields(compiler), "--version")...)
	}
	return all + t.says(ctx, tree, "staticcheck", "-version")
}

// says returns the output of a program; empty if it does not start, or fails.
func (t tools) says(ctx context.Context, tree gate.Tree, argv ...string) string {
	result, err := t.Runner.Run(ctx, sandbox.Command{InPlace: true, Argv: argv, Dir: tree.Dir(), Env: t.Env, Timeout: tool.VersionsLimit})
	if err != nil || result.TimedOut || result.ExitCode != 0 {
		return ""
	}
	return string(result.Stdout)
}
