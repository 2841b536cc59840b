package shadow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"forge/engine/sandbox"
)

// gitTimeout bounds one git command; the first snapshot of a big workspace takes seconds.
const gitTimeout = 5 * time.Minute

// maxGitOutput bounds what one git command may say. Past it the command has failed, never been cut.
const maxGitOutput = 1 << 30

// command is one call of git under the private git directory.
type command struct {
	args  []string
	dir   string // working directory; empty is tree
	tree  string // work tree; empty is the workspace
	index string // index file; empty is the workspace's
	stdin io.Reader
	bare  bool // without a work tree, as git init --bare demands
}

// gitError is a git command that failed.
type gitError struct {
	command string
	exit    int
	message string
}

func (e *gitError) Error() string {
	return fmt.Sprintf("git %s failed with exit code %d: %s", e.command, e.exit, e.message)
}

// run calls git and gives its output.
func (r *Repo) run(ctx context.Context, c command) ([]byte, error) {
	out, _, err := r.runSaying(ctx, c)
	return out, err
}

// runSaying calls git and gives its output, and what it said to people.
func (r *Repo) runSaying(ctx context.Context, c command) (out []byte, said string, err error) {
	if c.tree == "" {
		c.tree = r.root
	}
	if c.dir == "" {
		c.dir = c.tree
	}
	if c.index == "" {
		c.index = r.indexFile("index")
	}
	result, err := r.runner.Run(ctx, sandbox.Command{
		Argv: append([]string{"git"}, c.args...), Dir: c.dir, Env: r.env(c),
		Stdin: c.stdin, Timeout: gitTimeout, MaxOutput: maxGitOutput,
	})
	said = strings.TrimSpace(string(result.Stderr))
	switch {
	case err != nil:
		return nil, said, err
	case result.TimedOut:
		return nil, said, fmt.Errorf("git %s did not end within %v", c.args[0], gitTimeout)
	case result.ExitCode != 0:
		return nil, said, &gitError{c.args[0], result.ExitCode, said}
	case result.Truncated:
		return nil, said, fmt.Errorf("git %s said more than %d bytes", c.args[0], maxGitOutput)
	}
	return result.Stdout, said, nil
}

// env names every place git would look for settings; the runner lets no GIT_* of the user through.
func (r *Repo) env(c command) []string {
	env := []string{
		"GIT_DIR=" + r.git, "GIT_INDEX_FILE=" + c.index,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_AUTHOR_NAME=Forge", "GIT_AUTHOR_EMAIL=forge@localhost", "GIT_AUTHOR_DATE=@0 +0000",
		"GIT_COMMITTER_NAME=Forge", "GIT_COMMITTER_EMAIL=forge@localhost", "GIT_COMMITTER_DATE=@0 +0000",
		"LC_ALL=C",
	}
	if !c.bare {
		env = append(env, "GIT_WORK_TREE="+c.tree)
	}
	return env
}

// line runs a command whose answer is one line.
func (r *Repo) line(ctx context.Context, c command) (string, error) {
	out, err := r.run(ctx, c)
	return strings.TrimSpace(string(out)), err
}

// list runs a command whose answer is a list that ends each entry with a NUL.
func (r *Repo) list(ctx context.Context, c command) ([]string, error) {
	out, err := r.run(ctx, c)
	return records(out), err
}

func (r *Repo) indexFile(name string) string { return filepath.Join(r.git, name) }

func records(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

// joined is the input of a command that reads such a list.
func joined(entries []string) io.Reader {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e)
		b.WriteByte(0)
	}
	return strings.NewReader(b.String())
}

// objects reads the contents of objects, by id.
func (r *Repo) objects(ctx context.Context, ids []string) (map[string][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := r.run(ctx, command{args: []string{"cat-file", "--batch"}, stdin: strings.NewReader(strings.Join(ids, "\n") + "\n")})
	if err != nil {
		return nil, err
	}
	return parseObjects(out)
}

// errBatch says that the output of git cat-file --batch is not what gitformat documents.
var errBatch = errors.New("the shadow repository is damaged: git does not have an object it recorded")

// parseObjects reads "<id> <type> <size>\n<content>\n" until the end.
func parseObjects(out []byte) (map[string][]byte, error) {
	found := map[string][]byte{}
	for len(out) > 0 {
		header, rest, ok := bytes.Cut(out, []byte("\n"))
		var id, kind string
		var size int
		if _, err := fmt.Sscanf(string(header), "%s %s %d", &id, &kind, &size); err != nil || !ok || size < 0 || size >= len(rest) {
			return nil, fmt.Errorf("%w (%q)", errBatch, header)
		}
		found[id], out = rest[:size:size], rest[size+1:]
	}
	return found, nil
}
