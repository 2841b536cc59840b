package activity

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"forge/engine/sandbox"
	"forge/engine/tool"
	"forge/patch"
)

// Limits of a command of a model. Its time is that of the tool.
const (
	maxCommandOutput = 1 << 20 // bytes that are kept of both streams
	maxCommandWrite  = 1 << 30 // bytes by which the tree may grow
)

// Commands start programs in a scratch tree for models: those that the user's settings name, with arguments that stay in the tree.
type Commands struct {
	Runner sandbox.Runner
	Grants tool.Grants
	Tree   Tree
}

// Run starts a program, without a shell and without a network, and returns its output and what it changed in the tree. A command that was refused
// or could not finish is no error: Ran.Failed has the reason.
func (c Commands) Run(ctx context.Context, argv []string) (tool.Ran, error) {
	if refused := c.refuses(argv); refused != "" {
		return tool.Ran{Failed: refused, Refused: true}, nil
	}
	before, err := c.Tree.Changes(ctx)
	if err != nil {
		return tool.Ran{}, err
	}
	result, err := c.Runner.Run(ctx, sandbox.Command{
		Argv: argv, Dir: c.Tree.Dir(), Merged: true, MaxOutput: maxCommandOutput, MaxWrite: maxCommandWrite,
	})
	var missing *sandbox.NotStartedError
	switch {
	case errors.As(err, &missing):
		return tool.Ran{Failed: missing.Error()}, nil
	case err != nil:
		return tool.Ran{}, err
	case result.Overflow:
		return tool.Ran{Failed: fmt.Sprintf("%s filled the disk and was stopped: nothing that it did is kept", argv[0])}, nil
	case result.Exceeded != "":
		return tool.Ran{Failed: fmt.Sprintf("%s was stopped: %s. Nothing that it did is kept", argv[0], result.Exceeded)}, nil
	case result.TimedOut:
		return tool.Ran{}, context.DeadlineExceeded
	}
	after, err := c.Tree.Changes(ctx)
	if err != nil {
		return tool.Ran{}, err
	}
	return tool.Ran{Exit: result.ExitCode, Output: string(result.Stdout), Cut: result.Truncated, Change: c.between(before, after)}, nil
}

// refuses returns why a program is not started, or "": the settings do not name it, or an argument leads out of the tree, as written or
// through a link.
func (c Commands) refuses(argv []string) string {
	if refused := c.Grants.RefusesCommand(argv); refused != "" {
		return refused
	}
	root, err := os.OpenRoot(c.Tree.Dir())
	if err != nil {
		return fmt.Sprintf("the tree cannot be read: %v", err)
	}
	defer func() { _ = root.Close() }() // it was only read
	for _, argument := range argv[c.Grants.Begins(argv):] {
		if slices.ContainsFunc(tool.Parts(argument), func(part string) bool { return ledOut(root, part) }) {
			return fmt.Sprintf("%q leads out of the tree by a link: name paths that are in the folder itself", argument)
		}
	}
	return ""
}

// ledOut reports whether a path goes through a link that leaves a tree. What cannot be a path leads nowhere.
func ledOut(root *os.Root, part string) bool {
	_, err := root.Stat(part)
	for _, harmless := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.EINVAL} {
		if part == "" || errors.Is(err, harmless) {
			return false
		}
	}
	return err != nil
}

// between returns the change from one state of the tree to a later one, its current one; both are given as differences from the snapshot. It
// omits files that became something that no proposal can show.
func (c Commands) between(earlier, later patch.ChangeSet) patch.ChangeSet {
	since := later.Since(earlier)
	since.Files = slices.DeleteFunc(since.Files, func(f patch.FileChange) bool {
		told := slices.ContainsFunc(later.Files, func(l patch.FileChange) bool { return l.Path == f.Path || l.From == f.Path })
		return !told && !c.holds(f.Path, f.After, f.Kind != patch.Delete) // it is not as in the snapshot again
	})
	return since
}

// holds reports whether a file of the tree has a text, or that there is none.
func (c Commands) holds(path, text string, exists bool) bool {
	now, err := c.Tree.ReadFile(path)
	if !exists {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && string(now) == text
}
