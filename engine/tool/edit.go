package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"forge/engine/secret"
	"forge/patch"
	"forge/patch/match"
)

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content,omitempty" jsonschema:"the whole text"`
}

func writeFile(_ context.Context, w World, a writeArgs) (Result, error) {
	entry := match.Entry{Path: a.Path, Action: patch.ActionWrite, Content: a.Content}
	if _, err := w.Tree.ReadFile(a.Path); errors.Is(err, fs.ErrNotExist) {
		entry.Action = patch.ActionCreate
	}
	return changed(match.Whole([]match.Entry{entry}, w.Tree))
}

type editArgs struct {
	Path    string `json:"path"`
	Search  string `json:"search" jsonschema:"the text to replace, whole lines, exactly as in the file; once in it"`
	Replace string `json:"replace,omitempty" jsonschema:"the new text; empty to delete"`
}

func editFile(_ context.Context, w World, a editArgs) (Result, error) {
	p, err := patch.FromReplacements([]patch.Replacement{{Path: a.Path, Search: a.Search, Replace: a.Replace}})
	if err != nil {
		return refused(err), nil
	}
	return changed(match.Resolve(p, w.Tree))
}

type deleteArgs struct {
	Path string `json:"path"`
}

func deleteFile(_ context.Context, w World, a deleteArgs) (Result, error) {
	return changed(match.Whole([]match.Entry{{Path: a.Path, Action: patch.ActionDelete}}, w.Tree))
}

type moveArgs struct {
	Path string `json:"path"`
	To   string `json:"to" jsonschema:"the new path; no file may be there"`
}

func moveFile(_ context.Context, w World, a moveArgs) (Result, error) {
	if _, err := w.Tree.ReadFile(a.To); err == nil {
		return failed("%s already exists: delete it first, or choose another path", a.To), nil
	}
	return changed(match.Resolve(patch.Patch{Ops: []patch.FileOp{{Kind: patch.Move, Path: a.Path, To: a.To}}}, w.Tree))
}

type patchArgs struct {
	Patch string `json:"patch" jsonschema:"*** Begin Patch … *** End Patch"`
}

func applyPatch(_ context.Context, w World, a patchArgs) (Result, error) {
	p, err := patch.Parse(a.Patch)
	if err != nil {
		return refused(err), nil
	}
	return changed(match.Resolve(p, w.Tree))
}

// refused returns a result with the reason why an edit was not made.
func refused(err error) Result { return failed("nothing was changed: %v", err) }

// changed is the result of an edit: the changed files, or why it does not apply. The mark of a secret is never
// written into a file: the secret would be lost.
func changed(set patch.ChangeSet, err error) (Result, error) {
	if err != nil {
		return refused(err), nil
	}
	var b strings.Builder
	for _, f := range set.Files {
		if mark := secret.MarkAdded(f.Before, f.After); mark != "" {
			return failed("nothing was changed: %s would be in %s: it replaces a secret that you are not shown. "+
				"Change the lines around it, and leave it as it is", mark, f.Path), nil
		}
		fmt.Fprintf(&b, "%s %s\n", verbs[f.Kind], f.Path)
	}
	return Result{Text: strings.TrimRight(b.String(), "\n"), Change: set}, nil
}

var verbs = map[patch.Kind]string{patch.Create: "created", patch.Update: "changed", patch.Delete: "deleted", patch.Move: "moved to"}
