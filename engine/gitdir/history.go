package gitdir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"forge/codeintel"
	"forge/engine/sandbox"
)

// historyTimeout limits one reading of the history; the commits read by then are the history.
const historyTimeout = 30 * time.Second

// maxHistoryOutput limits git's output, in bytes; the history ends there.
const maxHistoryOutput = 64 << 20

// History is the history of the user's repository that contains the folder. It is read as data, with a git directory of
// Forge's own, which has only Forge's configuration, and uses the user's objects as alternates.
type History struct {
	dir   *Dir
	cache Last[historyOf, []codeintel.Commit]
}

// NewHistory returns the history for the folder of a git directory.
func NewHistory(dir *Dir) *History { return &History{dir: dir} }

// Commits returns the newest commits reachable from the user's HEAD, at most limit of them, newest first. It omits
// merges, and commits whose parents were never fetched, because their changes are unknown. In a folder below the
// top of a repository only commits that touch it count. Without git, a repository or a commit, or in an unsupported
// kind of repository, there is no history and no error; a missing or damaged object ends it early.
//
// It is cached until HEAD moves; the slice belongs to the History.
func (h *History) Commits(ctx context.Context, limit int) ([]codeintel.Commit, error) {
	o, ok := findOrigin(h.dir.Root)
	if !ok || limit <= 0 {
		return nil, nil
	}
	if known, ok := h.cache.Find(historyOf{o, limit}); ok {
		return known, nil
	}
	commits, err := h.read(ctx, o, limit)
	if _, missing := errors.AsType[*sandbox.NotStartedError](err); missing {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the history of %s: %w", h.dir.Root, err)
	}
	h.cache.Keep(historyOf{o, limit}, commits)
	return commits, nil
}

// Head returns the id of the commit that is checked out, or "" if Commits has none. It reads a few small files and
// starts no process.
func (h *History) Head() string {
	o, _ := findOrigin(h.dir.Root)
	return o.head
}

func (h *History) read(ctx context.Context, o origin, limit int) ([]codeintel.Commit, error) {
	dir, err := h.repository(ctx, o)
	if err != nil {
		return nil, err
	}
	result, err := h.dir.runner.Run(ctx, sandbox.Command{
		Argv: historyArguments(o, limit), Dir: dir, Env: historyEnvironment(dir, o),
		Timeout: historyTimeout, MaxOutput: maxHistoryOutput,
	})
	if err != nil {
		return nil, err
	}
	// If git fails at a damaged object, its earlier output is valid: it prints each commit completely.
	return parseHistory(string(result.Stdout), o, result.TimedOut || result.Truncated), nil
}

// historyArguments request for each commit: an empty record, one with id, time and message, and one for each
// path. A rename lists both paths, as without -M. They turn off everything that could start a program.
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

// historyEnvironment quotes the objects' folder, so that a colon in it does not end it. See git(1).
func historyEnvironment(dir string, o origin) []string {
	return append(slices.Clone(commonEnvironment),
		"GIT_DIR="+dir, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+QuotePath(o.objects), "GIT_SHALLOW_FILE="+o.boundary,
		"GIT_LITERAL_PATHSPECS=1", "GIT_PAGER=cat", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1")
}

// repository makes the git directory that history is read with: one for each kind of object id, because a
// repository has but one.
func (h *History) repository(ctx context.Context, o origin) (dir string, err error) {
	unlock, err := h.dir.Lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	format, version := "sha1", 0
	if len(o.head) == 64 {
		format, version = "sha256", 1
	}
	dir = filepath.Join(h.dir.Home, "past", format)
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
		if err := ReplaceFile(filepath.Join(dir, name), []byte(text)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// historyOf identifies a history: where it was read, and how much of it.
type historyOf struct {
	origin origin
	limit  int
}

// maxMessage limits the stored message of a commit, in bytes.
const maxMessage = 4096

// parseHistory parses the output for historyArguments. With cut, it drops the last commit.
func parseHistory(out string, o origin, cut bool) []codeintel.Commit {
	if cut {
		out = out[:max(0, strings.LastIndex(out, "\x00\x00"))]
	}
	tokens := strings.Split(out, "\x00")
	boundary := shallowIDs(o.shallow)
	var commits []codeintel.Commit
	for at := 0; at+1 < len(tokens); {
		if tokens[at] != "" { // the rest of a damaged commit
			at++
			continue
		}
		commit, ok := parseCommit(tokens[at+1])
		at += 2
		for first := true; at < len(tokens) && tokens[at] != ""; at++ {
			path := tokens[at]
			if first {
				path, first = strings.TrimPrefix(path, "\n"), false
			}
			if path, inside := cutPrefixFolder(path, o.prefix); inside {
				commit.Paths = append(commit.Paths, path)
			}
		}
		if ok && !boundary[commit.ID] {
			slices.Sort(commit.Paths)
			commits = append(commits, commit)
		}
	}
	return commits
}

// parseCommit parses "<id> <seconds>\n<message>".
func parseCommit(text string) (codeintel.Commit, bool) {
	header, message, _ := strings.Cut(text, "\n")
	id, seconds, _ := strings.Cut(header, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || !IsObjectID(id) {
		return codeintel.Commit{}, false
	}
	if len(message) > maxMessage {
		message = message[:maxMessage]
	}
	message = strings.TrimSpace(strings.ToValidUTF8(message, ""))
	return codeintel.Commit{ID: id, Time: time.Unix(at, 0).UTC(), Message: strings.Clone(message)}, true
}

func cutPrefixFolder(path, folder string) (string, bool) {
	if folder == "" {
		return path, true
	}
	return strings.CutPrefix(path, folder+"/")
}

func shallowIDs(text string) map[string]bool {
	ids := map[string]bool{}
	for id := range strings.FieldsSeq(text) {
		ids[id] = true
	}
	return ids
}
