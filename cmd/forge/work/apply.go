package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
)

// applyFlags are the flags of forge apply.
type applyFlags struct {
	dir, format                         string
	yes, trust, overwrite, dryRun, json bool
	fuzzy, batch                        bool
	control                             controlFlags
	run                                 string // apply the change of this run instead of a patch
	unverified                          bool
}

// NewApply returns the command forge apply.
func NewApply(t terminal.Terminal) *cobra.Command {
	var f applyFlags
	c := &cobra.Command{
		Use:   "apply FILE|-|--run RUN",
		Short: "Apply a patch to a folder, or report why it does not apply; asks before it writes",
		Long: `Apply a patch to a folder. If the text has moved, or white space or quotes differ, the patch is still
applied if it matches only one place; otherwise nothing is changed and the closest lines are shown.
The patch is V4A, search/replace blocks, a unified diff or a JSON list of actions.
A hunk that only resembles existing text is applied there only after you have confirmed it.

With --run, apply the change of a run that has ended, even if it did not succeed: then the change is not verified, the reasons
are shown above it, and --yes applies it only with --allow-unverified.

With --batch no folder is read or written: each input line is an edit with the texts that it
changes, and each output line is its answer. docs/apply.md describes the fields.`,
		Example: `  forge apply change.patch
  pbpaste | forge apply - --dry-run
  forge apply --run r-4f1c0a72
  forge apply --batch < requests.jsonl > answers.jsonl`,
		Args: func(_ *cobra.Command, args []string) error { return f.check(args) },
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case f.batch:
				return applyBatch(c.Context(), t)
			case f.run != "":
				return applyRun(c.Context(), t, f)
			}
			return applyFile(c.Context(), t, f, args[0])
		},
	}
	c.Flags().StringVar(&f.dir, "dir", ".", "the folder")
	c.Flags().StringVar(&f.format, "format", formatAuto, "the notation: "+strings.Join(formats(), ", "))
	c.Flags().BoolVar(&f.yes, "yes", false, "apply without asking; to replace a file, also use --overwrite; for a hunk that matches nowhere, also --allow-fuzzy")
	c.Flags().BoolVar(&f.overwrite, "overwrite", false, "let the patch create or move files over existing ones")
	c.Flags().BoolVar(&f.fuzzy, "allow-fuzzy", false, "apply hunks that match nowhere to the most similar text, without confirmation")
	f.control.add(c)
	c.Flags().BoolVar(&f.trust, "trust", false, terminal.TrustUsage)
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the changes and write nothing")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	c.Flags().StringVar(&f.run, "run", "", "apply the change of this run instead of a patch")
	c.Flags().BoolVar(&f.unverified, "allow-unverified", false, "with --run and --yes: apply a change that the run did not accept")
	c.Flags().BoolVar(&f.batch, "batch", false, "answer edits of texts in memory, as JSON lines from stdin")
	terminal.TakesOnly(c, "batch", "json")
	terminal.TakesOnly(c, "run", "yes", "trust", "allow-control", "allow-unverified", "dry-run", "json")
	terminal.Needs(c, "allow-unverified", "run")
	terminal.Needs(c, "allow-unverified", "yes")
	return c
}

// check rejects invalid combinations of flags.
func (f applyFlags) check(args []string) error {
	switch {
	case f.batch && len(args) > 0:
		return errors.New("--batch reads edits from stdin: leave the file out")
	case f.run != "" && len(args) > 0:
		return errors.New("--run applies the change of a run: leave the patch out")
	case f.batch, f.run != "":
		return nil
	case len(args) == 0:
		return errors.New("the patch is missing: name its file, - for stdin, or a run with --run")
	case len(args) > 1:
		return fmt.Errorf("%d patches: name one file", len(args))
	case !slices.Contains(formats(), f.format):
		return fmt.Errorf("--format %s: want one of %s", f.format, strings.Join(formats(), ", "))
	}
	return nil
}

// maxPatch bounds a patch, in bytes.
const maxPatch = 64 << 20

// readPatch reads the patch that the user named.
func readPatch(ctx context.Context, t terminal.Terminal, name string) (string, error) {
	text, err := t.ReadNamed(ctx, name, maxPatch)
	switch {
	case ctx.Err() != nil:
		return "", terminal.ExitWith(terminal.ExitCancelled, "cancelled; nothing was applied")
	case errors.Is(err, fs.ErrNotExist):
		return "", terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("patch %s: no such file", name))
	case err != nil:
		return "", terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("read patch %s: %v", name, err))
	}
	return text, nil
}

// decodeRequest decodes a line. It returns an error message, or "".
func decodeRequest(line []byte, r *batchRequest) string {
	if problem := terminal.JSONProblem(line, r, shapes); problem != "" {
		return problem
	}
	switch {
	case len(r.Edit) == 0 || string(r.Edit) == "null":
		return "the edit is missing: " + shapes
	case terminal.HasLoneSurrogate(line):
		return "a string has half of a surrogate pair, which is invalid in text"
	}
	return ""
}

// shapes describes the fields of a request, for errors.
const shapes = "format is a string, files an object of texts by path, edit a string, a list of {path, search, replace} or a list of actions"

// edits answers forge apply --batch.
var edits = terminal.Lines[batchAnswer]{Answer: answer, Refuse: func(id json.RawMessage, kind, message string) batchAnswer {
	if kind == terminal.KindInternal {
		return refused(id, &refusal{Kind: kind, Message: "this edit " + message, Closest: []numberLine{}})
	}
	return refused(id, refusalOf(&requestError{message}, nil))
}}

func applyBatch(ctx context.Context, t terminal.Terminal) error {
	err := edits.Serve(ctx, t.In, t.Out)
	switch {
	case ctx.Err() != nil:
		return terminal.ExitWith(terminal.ExitCancelled, "cancelled")
	case err != nil:
		return terminal.ExitWith(terminal.ExitFailed, err.Error())
	}
	return nil
}
