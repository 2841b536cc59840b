package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/engine/gate"
	"forge/patch"
	"forge/patch/match"
)

// files is a tree in memory: what the run made of base.
type files struct {
	base, now map[string]string
	broken    map[string]error // of reading
}

func treeOf(now map[string]string) files { return files{base: now, now: now} }

func (f files) ReadFile(path string) ([]byte, error) {
	if err := patch.CheckPath(path); err != nil {
		return nil, err
	}
	if err := f.broken[path]; err != nil {
		return nil, err
	}
	if text, ok := f.now[path]; ok {
		return []byte(text), nil
	}
	return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
}

func (f files) List(context.Context) ([]string, error) { return slices.Sorted(maps.Keys(f.now)), nil }

func (f files) Changes(context.Context) (patch.ChangeSet, error) {
	var set patch.ChangeSet
	for _, path := range slices.Sorted(maps.Keys(f.now)) {
		before, existed := f.base[path]
		if change := match.Replace(path, before, existed, f.now[path]); before != f.now[path] || !existed {
			set.Files = append(set.Files, change)
		}
	}
	return set, nil
}

// goOutliner knows Go only.
type goOutliner struct{}

func (goOutliner) Outline(_ context.Context, _ codeintel.Language, source string) (codeintel.Outline, error) {
	return codeintel.GoOutline(source), nil
}

// known is all else of a world.
type known struct {
	imports Imports
	found   []Found
	reports []gate.Report
	commits []codeintel.Commit
	dirty   patch.ChangeSet
	noHead  bool
	runs    []PastRun
	books   []Playbook
	err     error
}

func (k known) Find(context.Context, string, int) ([]Found, error)    { return k.found, k.err }
func (k known) Imports(context.Context, string, int) (Imports, error) { return k.imports, k.err }
func (k known) Map(_ context.Context, text string, n int) (string, error) {
	return fmt.Sprintf("map of %s in %d", text, n), k.err
}
func (k known) Run(context.Context, CheckKind) ([]gate.Report, error) { return k.reports, k.err }
func (k known) Log(_ context.Context, n int) ([]codeintel.Commit, error) {
	return k.commits[:min(n, len(k.commits))], k.err
}
func (k known) Branch() string { return "main" }
func (k known) Runs(_ context.Context, n int) ([]PastRun, error) {
	return k.runs[:min(n, len(k.runs))], k.err
}
func (k known) Playbooks(context.Context, []string, int) ([]Playbook, error) { return k.books, k.err }
func (k known) Uncommitted(context.Context) (patch.ChangeSet, bool, error) {
	return k.dirty, !k.noHead, k.err
}

func worldOf(tree files, k known) World {
	return World{Tree: tree, Outliner: goOutliner{}, Folder: k, Checks: k, History: k, Records: k}
}

// ask uses a tool as a run does.
func ask(t *testing.T, w World, name, args string) Result {
	t.Helper()
	tool, there := All().Named(name)
	require.True(t, there, name)
	r, err := tool.Run(t.Context(), w, json.RawMessage(args))
	require.NoError(t, err)
	require.LessOrEqual(t, len(r.Text), MaxOutput)
	again, err := tool.Run(t.Context(), w, json.RawMessage(args))
	require.NoError(t, err)
	require.Equal(t, r, again, "the same question has the same answer")
	return r
}

var shop = map[string]string{
	"go.mod":        "module shop\n",
	"cart/cart.go":  "package cart\n\n// Add puts one more in.\nfunc Add(n int) int { return n + 1 }\n\ntype Cart struct{ items []string }\n",
	"cart/big.go":   "package cart\n" + strings.Repeat("var x = 12345678901234567890\n", 1200),
	"data/blob.bin": "PK\x00\x01",
	"data/latin":    "caf\xe9",
	"empty":         "",
	"long":          strings.Repeat("é", 6000+5000),
}

var errBroken = errors.New("the disk is broken")

func day(n int) time.Time { return time.Date(2026, 1, n, 12, 0, 0, 0, time.UTC) }
