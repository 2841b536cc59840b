package shadow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"forge/codeintel"
	"forge/engine/sandbox"
)

// historyTimeout bounds one reading of the history. What was read by then is the history.
const historyTimeout = 30 * time.Second

// maxHistoryOutput bounds, in bytes, what git says of it; past it the history ends.
const maxHistoryOutput = 64 << 20

// History gives the newest commits that the user's HEAD reaches, at most limit of them, newest first. Merges are
// left out, and so are commits whose parents were never fetched, because what they changed is not known. In
// a folder below the top of a repository only commits that touch it count. Where there is no git, no repository, no
// commit, or a kind of repository this git cannot read, there is no history and no error; a missing or damaged
// object ends it early.
//
// It is read with a git directory of Forge's own, which has no configuration but ours, and takes the user's objects
// as alternates. It is kept in memory until HEAD moves; the slice belongs to the Repo.
func (r *Repo) History(ctx context.Context, limit int) ([]codeintel.Commit, error) {
	o, ok := findOrigin(r.root)
	if !ok || limit <= 0 {
		return nil, nil
	}
	if known, ok := r.past.find(o, limit); ok {
		return known, nil
	}
	commits, err := r.readHistory(ctx, o, limit)
	if missing := new(sandbox.NotStartedError); errors.As(err, &missing) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the history of %s: %w", r.root, err)
	}
	r.past.keep(o, limit, commits)
	return commits, nil
}

// Head gives the id of the commit that is checked out; empty where History finds nothing to begin at. It reads a
// few small files and starts no process.
func (r *Repo) Head() string {
	o, _ := findOrigin(r.root)
	return o.head
}

func (r *Repo) readHistory(ctx context.Context, o origin, limit int) ([]codeintel.Commit, error) {
	dir, err := r.pastRepository(ctx, o)
	if err != nil {
		return nil, err
	}
	result, err := r.runner.Run(ctx, sandbox.Command{
		Argv: historyArguments(o, limit), Dir: dir, Env: pastEnvironment(dir, o),
		Timeout: historyTimeout, MaxOutput: maxHistoryOutput,
	})
	if err != nil {
		return nil, err
	}
	// Where git fails at a damaged object, what it said before stands; it says each commit whole.
	return parseHistory(string(result.Stdout), o, result.TimedOut || result.Truncated), nil
}

// historyArguments ask for each commit: an empty record, one with id, time and message, and one for each path. A
// rename names both paths, as without -M. Whatever could start a program is off, although nothing asks for it.
func historyArguments(o origin, limit int) []string {
	args := []string{
		"git", "-c", "core.commitGraph=false", "log", "-z", "--no-merges", "--max-count=" + strconv.Itoa(limit),
		"--format=tformat:%x00%H %ct%n%B", "--name-only", "--no-renames", "--ignore-submodules=all", "--full-history",
		"--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-mailmap", "--no-notes", "--no-decorate", "--no-color",
		"--encoding=UTF-8", o.head, "--",
	}
	if o.prefix != "" {
		args = append(args, o.prefix)
	}
	return args
}

// pastEnvironment quotes the folder of the objects, so that a colon in it does not end it. See git(1).
func pastEnvironment(dir string, o origin) []string {
	return []string{
		"GIT_DIR=" + dir, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quotePath(o.objects), "GIT_SHALLOW_FILE=" + o.boundary,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1", "GIT_LITERAL_PATHSPECS=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_PAGER=cat",
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C",
	}
}

// pastRepository makes the git directory that history is read with: one for each kind of object id, because a
// repository has but one.
func (r *Repo) pastRepository(ctx context.Context, o origin) (dir string, err error) {
	unlock, err := r.lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	format, version := "sha1", 0
	if len(o.head) == 64 {
		format, version = "sha256", 1
	}
	dir = filepath.Join(r.home, "past", format)
	for _, folder := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			return "", err
		}
	}
	config := fmt.Sprintf("[core]\n\trepositoryFormatVersion = %d\n\tbare = true\n\tattributesFile = /dev/null\n\thooksPath = /dev/null\n", version)
	if version == 1 {
		config += "[extensions]\n\tobjectFormat = sha256\n"
	}
	for name, text := range map[string]string{"config": config, "HEAD": "ref: refs/heads/none\n"} {
		if err := replaceFile(filepath.Join(dir, name), []byte(text)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// pastCache keeps the history that was read last.
type pastCache struct {
	mu      sync.Mutex // guards all below
	origin  origin
	limit   int
	commits []codeintel.Commit
}

func (c *pastCache) find(o origin, limit int) ([]codeintel.Commit, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.commits, c.limit == limit && c.origin == o
}

func (c *pastCache) keep(o origin, limit int, commits []codeintel.Commit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.origin, c.limit, c.commits = o, limit, commits
}
