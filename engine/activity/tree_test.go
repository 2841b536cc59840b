package activity

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/step"
	"forge/patch"
)

// shelf is a tree in memory.
type shelf struct {
	files  map[string]string
	resets int
	closed bool
	broken error // of Apply
}

func (s *shelf) Dir() string                          { return "" }
func (s *shelf) ReadFile(name string) ([]byte, error) { return []byte(s.files[name]), nil }
func (s *shelf) List(context.Context) ([]string, error) {
	return slices.Sorted(maps.Keys(s.files)), nil
}
func (s *shelf) Changes(context.Context) (patch.ChangeSet, error) { return patch.ChangeSet{}, nil }
func (s *shelf) Close() error                                     { s.closed = true; return nil }
func (s *shelf) Reset(context.Context) error                      { s.files = map[string]string{}; s.resets++; return nil }

func (s *shelf) Apply(set patch.ChangeSet) error {
	for _, f := range set.Files {
		if f.Kind == patch.Delete {
			delete(s.files, f.Path)
			continue
		}
		s.files[f.Path] = f.After
	}
	return s.broken
}

// opened makes trees, and knows those that it made.
type opened struct {
	mu    sync.Mutex
	trees []*shelf
}

func (o *opened) open(context.Context, string) (Tree, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.trees = append(o.trees, &shelf{files: map[string]string{}})
	return o.trees[len(o.trees)-1], nil
}

func writing(path, text string) patch.ChangeSet {
	return patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Create, Path: path, After: text}}}
}

// A tree has exactly the requested files, whatever was done in it before.
func TestTrees_TreeHasTheRequestedFiles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		made := &opened{}
		trees := &Trees{Open: made.open}
		for range rapid.IntRange(1, 12).Draw(t, "uses") {
			s, want := step.State{Base: "b"}, map[string]string{}
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				path, text := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "path"), rapid.SampledFrom([]string{"1", "2"}).Draw(t, "text")
				s, want[path] = s.With(writing(path, text)), text
			}
			look := func(tree Tree) error {
				require.Equal(t, want, tree.(*shelf).files)
				return nil
			}
			if rapid.Bool().Draw(t, "litters") {
				require.NoError(t, trees.littered(context.Background(), s, func(tree Tree) error {
					_ = look(tree)
					tree.(*shelf).files["litter"] = "x"
					return nil
				}))
				continue
			}
			require.NoError(t, trees.In(context.Background(), s, look))
		}
		require.Len(t, made.trees, 1, "one is enough for one at a time")
		require.NoError(t, trees.Close())
		require.True(t, made.trees[0].closed)
	})
}

// A tree that is already as wanted is not rebuilt.
func TestTrees_TreeIsNotResetWithoutNeed(t *testing.T) {
	t.Parallel()
	made := &opened{}
	trees := &Trees{Open: made.open}
	nothing := func(Tree) error { return nil }
	one := step.State{Base: "b"}.With(writing("a", "1"))
	for _, s := range []step.State{{Base: "b"}, one, one, one.With(writing("b", "2"))} {
		require.NoError(t, trees.In(t.Context(), s, nothing))
	}
	require.Zero(t, made.trees[0].resets)
	require.NoError(t, trees.In(t.Context(), one, nothing))
	require.Equal(t, 1, made.trees[0].resets, "the twin: back it goes only by a reset")
}

func TestTrees_TwoAtOnceHaveATreeEach(t *testing.T) {
	t.Parallel()
	made := &opened{}
	trees := &Trees{Open: made.open}
	require.NoError(t, trees.In(t.Context(), step.State{Base: "b"}, func(first Tree) error {
		return trees.In(t.Context(), step.State{Base: "b"}, func(second Tree) error {
			require.NotSame(t, first, second)
			return nil
		})
	}))
	require.NoError(t, trees.In(t.Context(), step.State{Base: "b"}, func(Tree) error { return nil }))
	require.Len(t, made.trees, 2)
}

// A tree that a change could only half be written into is not taken for whole.
func TestTrees_HalfWrittenTreeIsMadeClean(t *testing.T) {
	t.Parallel()
	made := &opened{}
	trees := &Trees{Open: made.open}
	none := step.State{Base: "b"}
	require.NoError(t, trees.In(t.Context(), none, func(Tree) error { return nil }))
	made.trees[0].broken = errors.New("no room")
	require.ErrorContains(t, trees.In(t.Context(), none.With(writing("a", "1")), nil), "no room")
	made.trees[0].broken = nil
	require.NoError(t, trees.In(t.Context(), none, func(tree Tree) error {
		require.Empty(t, tree.(*shelf).files)
		return nil
	}))
}

// TestTrees_ErrorsNameTheirCause: a full disk is no fault of an edit, and a file below a file is one.
func TestTrees_ErrorsNameTheirCause(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err     error
		machine bool
	}{
		"a full disk":         {&fs.PathError{Op: "write", Path: "a.go", Err: syscall.ENOSPC}, true},
		"a file below a file": {&fs.PathError{Op: "mkdir", Path: "a.go", Err: syscall.ENOTDIR}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trees := Trees{Open: func(context.Context, string) (Tree, error) {
				return &shelf{files: map[string]string{}, broken: test.err}, nil
			}}
			err := trees.In(t.Context(), step.State{Changes: []patch.ChangeSet{writing("a.go/b.go", "x")}}, func(Tree) error { return nil })
			require.ErrorIs(t, err, test.err)
			require.Equal(t, test.machine, errors.As(err, new(*flow.UnableError)))
			require.NoError(t, trees.Close())
		})
	}
	trees := Trees{Open: func(context.Context, string) (Tree, error) { return nil, errors.New("git: no space left on device") }}
	err := trees.In(t.Context(), step.State{}, func(Tree) error { return nil })
	require.ErrorAs(t, err, new(*flow.UnableError))
}

// Gates run in a tree in which others ran, where their tools have what they compiled; what only reads takes another one, if it can.
func TestTrees_GatesShareATree(t *testing.T) {
	t.Parallel()
	made := &opened{}
	trees := &Trees{Open: made.open}
	base, suite := step.State{Base: "b"}, namedOnly("suite")
	use := func(do func(context.Context, step.State, func(Tree) error) error, s step.State) (used Tree) {
		require.NoError(t, do(t.Context(), s, func(tree Tree) error { used = tree; return nil }))
		return used
	}
	gated := func(ctx context.Context, s step.State, do func(Tree) error) error {
		return trees.gated(ctx, s, suite, do)
	}
	var read Tree
	compiled := use(func(ctx context.Context, s step.State, do func(Tree) error) error {
		return trees.gated(ctx, s, suite, func(tree Tree) error {
			read = use(trees.In, s)
			return do(tree)
		})
	}, base)
	require.NotSame(t, compiled, read)
	for range 3 {
		require.Same(t, compiled, use(gated, base.With(writing("a", "1"))), "a gate")
		require.Same(t, read, use(trees.In, base.With(writing("a", "1"))), "a reader")
	}
	require.Len(t, made.trees, 2)
}

// namedOnly is a gate that only has a name.
type namedOnly string

func (n namedOnly) Name() string                               { return string(n) }
func (n namedOnly) Run(context.Context, gate.Tree) gate.Report { return gate.Report{} }
