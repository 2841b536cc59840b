package gitdir

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/engine/sandbox"
	"forge/engine/workspace"
)

// gitTimeout limits one git command; the first snapshot of a big folder takes seconds.
const gitTimeout = 5 * time.Minute

// maxGitOutput limits the output of one git command, in bytes. Above it the command fails; the output is never truncated.
const maxGitOutput = 1 << 30

// Command is one call of git under the private git directory.
type Command struct {
	Args  []string
	Dir   string // working directory; empty is Tree
	Tree  string // work tree; empty is the folder
	Index string // index file; empty is a missing one
	Stdin io.Reader
	bare  bool // without a work tree, as git init --bare requires
}

// Error is a git command that failed.
type Error struct {
	command string
	exit    int
	message string
}

func (e *Error) Error() string {
	return fmt.Sprintf("git %s failed with exit code %d: %s", e.command, e.exit, e.message)
}

// Run calls git and returns its output. The error is an *Error if git fails.
func (d *Dir) Run(ctx context.Context, c Command) ([]byte, error) {
	out, _, err := d.run(ctx, c)
	return out, err
}

// run calls git and returns its output and messages.
func (d *Dir) run(ctx context.Context, c Command) (out []byte, messages string, err error) {
	c.Tree = cmp.Or(c.Tree, d.Root)
	c.Dir = cmp.Or(c.Dir, c.Tree)
	c.Index = cmp.Or(c.Index, filepath.Join(d.Git, "index.none"))
	return d.start(ctx, sandbox.Command{
		Argv: append([]string{"git"}, c.Args...), Dir: c.Dir, Env: d.env(c),
		Stdin: c.Stdin, Timeout: gitTimeout, MaxOutput: maxGitOutput,
	})
}

// start runs git and checks how it ended.
func (d *Dir) start(ctx context.Context, c sandbox.Command) (out []byte, messages string, err error) {
	result, err := d.runner.Run(ctx, c)
	messages, name := strings.TrimSpace(string(result.Stderr)), subcommand(c.Argv)
	switch {
	case err != nil:
		return nil, messages, err
	case result.TimedOut:
		return nil, messages, fmt.Errorf("git %s did not end within %v", name, c.Timeout)
	case result.ExitCode != 0:
		return nil, messages, &Error{name, result.ExitCode, messages}
	case result.Truncated:
		return nil, messages, fmt.Errorf("git %s printed more than %d bytes", name, c.MaxOutput)
	}
	return result.Stdout, messages, nil
}

func subcommand(argv []string) string {
	at := 1
	for argv[at] == "-c" {
		at += 2
	}
	return argv[at]
}

// commonEnvironment names every place where git would look for settings; the runner passes no GIT_* of the user.
var commonEnvironment = []string{
	"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1",
	"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "LC_ALL=C",
}

func (d *Dir) env(c Command) []string {
	env := append(slices.Clone(commonEnvironment), "GIT_DIR="+d.Git, "GIT_INDEX_FILE="+c.Index,
		"GIT_AUTHOR_NAME=Forge", "GIT_AUTHOR_EMAIL=forge@localhost", "GIT_AUTHOR_DATE=@0 +0000",
		"GIT_COMMITTER_NAME=Forge", "GIT_COMMITTER_EMAIL=forge@localhost", "GIT_COMMITTER_DATE=@0 +0000")
	if !c.bare {
		env = append(env, "GIT_WORK_TREE="+c.Tree)
	}
	return env
}

// list runs a command whose output is a list of entries that end with a NUL.
func (d *Dir) list(ctx context.Context, c Command) ([]string, error) {
	out, err := d.Run(ctx, c)
	return records(out), err
}

func records(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

// Joined returns the input of a command that reads such a list.
func Joined(entries []string) io.Reader {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e)
		b.WriteByte(0)
	}
	return strings.NewReader(b.String())
}

// Objects reads the contents of objects, by id.
func (d *Dir) Objects(ctx context.Context, ids []string) (map[string][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := d.Run(ctx, Command{Args: []string{"cat-file", "--batch"}, Stdin: strings.NewReader(strings.Join(ids, "\n") + "\n")})
	if err != nil {
		return nil, err
	}
	found, missing, err := parseObjects(out)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%w (%s)", errBatch, missing[0])
	}
	return found, err
}

// errBatch means that the output of git cat-file --batch is not in the format of its documentation, or that one of Forge's own objects is missing.
var errBatch = errors.New("the shadow repository is damaged: git does not have an object it recorded")

// parseObjects parses "<id> <type> <size>\n<content>\n" and "<id> missing\n" until the end.
func parseObjects(out []byte) (found map[string][]byte, missing []string, err error) {
	found = map[string][]byte{}
	for len(out) > 0 {
		header, rest, ok := bytes.Cut(out, []byte("\n"))
		if id, is := strings.CutSuffix(string(header), " missing"); is {
			missing, out = append(missing, id), rest
			continue
		}
		var id, kind string
		var size int
		if _, err := fmt.Sscanf(string(header), "%s %s %d", &id, &kind, &size); err != nil || !ok || size < 0 || size >= len(rest) {
			return nil, nil, fmt.Errorf("%w (%q)", errBatch, header)
		}
		found[id], out = rest[:size:size], rest[size+1:]
	}
	return found, missing, nil
}

// QuotePath quotes a path so that git reads it unchanged, with any characters.
func QuotePath(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(name) + `"`
}

// FileLock is a file that this process has locked. The end of the process releases it.
type FileLock struct{ *os.File }

// Close releases the lock.
func (l FileLock) Close() error {
	workspace.Unlock(l.File)
	return l.File.Close()
}

// TryLock locks a file, which it creates if needed, or fails at once with workspace.ErrLocked.
func TryLock(name string) (*FileLock, error) {
	return lockFile(name, func(f *os.File) error { return workspace.TryLock(f) })
}

// waitForLock waits for the lock of a file, which it creates if needed.
func waitForLock(ctx context.Context, name string) (*FileLock, error) {
	return lockFile(name, func(f *os.File) error { return workspace.WaitForLock(ctx, f) })
}

func lockFile(name string, take func(*os.File) error) (*FileLock, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // our own name
	if err != nil {
		return nil, err
	}
	if err := take(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &FileLock{f}, nil
}
