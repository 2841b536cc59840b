package atlas_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel/search"
	"forge/engine/atlas"
	"forge/engine/sandbox"
	"forge/engine/shadow"
)

func TestAsk_FindsFilesAndSymbols(t *testing.T) {
	t.Parallel()
	a := open(t, repository(t, shop))
	ctx := t.Context()

	answer, err := a.Search(ctx, search.Query{Text: "transfer an amount"})
	require.NoError(t, err)
	require.True(t, answer.Complete)
	require.Equal(t, "money/money.go", answer.Hits[0].Path)
	require.Equal(t, "Transfer", answer.Symbols[0].Symbol.Name)

	symbols, err := a.Symbols(ctx, "check", 5)
	require.NoError(t, err)
	require.Equal(t, "cart/cart.go", symbols[0].Path)

	repoMap, err := a.Map(ctx, search.Query{Text: "transfer an amount"}, 1000)
	require.NoError(t, err)
	require.Contains(t, repoMap.Text, "Transfer")
	require.LessOrEqual(t, repoMap.Tokens, 1000)

	pack, err := a.Context(ctx, search.Query{Text: "transfer an amount"}, 1000)
	require.NoError(t, err)
	require.Equal(t, "money/money.go", pack.Sections[0].Path)
	require.Contains(t, pack.Sections[0].Text, "func Transfer() {}")
	require.LessOrEqual(t, pack.Tokens, 1000)

	outline, err := a.Outline(ctx, "go", "package p\n\nfunc Now() {}\n")
	require.NoError(t, err)
	require.Equal(t, "Now", outline.Symbols[0].Name)

	status := a.Status()
	require.Equal(t, atlas.Status{Indexed: len(shop), Total: len(shop), Complete: true}, status)
}

func TestImports_AreResolved(t *testing.T) {
	t.Parallel()
	a := open(t, folder(t, shop))
	of := func(path string, depth int) atlas.Imports {
		found, err := a.Imports(t.Context(), path, depth)
		require.NoError(t, err)
		return found
	}
	require.Equal(t, atlas.Imports{Direct: []string{"cart/cart.go"}, Transitive: []string{"money/money.go"}}, of("main.go", 2))
	require.Equal(t, atlas.Imports{Direct: []string{"cart/cart.go"}}, of("main.go", 1))
	require.Equal(t, atlas.Imports{Downstream: []string{"cart/cart.go", "main.go"}}, of("money/money.go", 2))
	require.Empty(t, of("nowhere.go", 2))

	a.Cover("main.go", "package main\n\nimport \"shop/money\"\n")
	settled(t, a)
	require.Equal(t, atlas.Imports{Direct: []string{"money/money.go"}}, of("main.go", 2))
	a.Cover("go.mod", "module store\n")
	settled(t, a)
	require.Empty(t, of("main.go", 2), "the configuration changed")
	a.Uncover("go.mod")
	a.Uncover("main.go")
	settled(t, a)
	require.Equal(t, []string{"cart/cart.go"}, of("main.go", 2).Direct)
}

func TestIndex_BuffersCoverFiles(t *testing.T) {
	t.Parallel()
	root := repository(t, shop)
	a := open(t, root)
	require.Empty(t, found(t, a, "zebra"))
	a.Cover("money/money.go", "package money\n\nfunc Zebra() {}\n")
	require.Equal(t, []string{"money/money.go"}, found(t, a, "zebra"), "a query sees what was typed before it")
	require.Empty(t, found(t, a, "transfer"+"accounts"))
	settled(t, a)
	symbols, err := a.Symbols(t.Context(), "zebra", 5)
	require.NoError(t, err)
	require.Len(t, symbols, 1)

	a.Cover("fresh.go", "package main\n\nfunc Giraffe() {}\n")
	require.Equal(t, []string{"fresh.go"}, found(t, a, "giraffe"))
	a.Uncover("fresh.go")
	a.Uncover("money/money.go")
	require.Empty(t, found(t, a, "zebra giraffe"))
	require.NotEmpty(t, found(t, a, "transfer"))
}

func TestIndex_FollowsFilesThatChange(t *testing.T) {
	t.Parallel()
	root := repository(t, shop)
	a := open(t, root)
	require.NoError(t, os.Remove(filepath.Join(root, "README.md")))
	put(t, root, "cart/cart.go", "package cart\n\nfunc Zebra() {}\n")
	put(t, root, "new/giraffe.go", "package giraffe\n")
	a.Changed("README.md", "cart/cart.go", "new/giraffe.go")
	settled(t, a)
	require.Empty(t, found(t, a, "umbrellas"))
	require.Equal(t, []string{"cart/cart.go"}, found(t, a, "zebra"))
	require.Equal(t, []string{"new/giraffe.go"}, found(t, a, "giraffe"))

	put(t, root, "new/lion.go", "package lion\n")
	a.Changed("new/lion.go")
	require.Eventually(t, func() bool { return len(found(t, a, "lion")) == 1 }, waitLong, waitShort, "it is found without waiting")

	put(t, root, ".gitignore", "new/\n")
	a.Changed() // somewhere
	settled(t, a)
	require.Empty(t, found(t, a, "giraffe"))
}

func TestAtlas_BranchIsSwitched(t *testing.T) {
	t.Parallel()
	root := repository(t, shop)
	git(t, root, "checkout", "-q", "-b", "zoo")
	git(t, root, "rm", "-q", "-r", "cart", "money", "main.go")
	put(t, root, "zoo.go", "package zoo\n\nfunc Zebra() {}\n")
	git(t, root, "add", "-A")
	git(t, root, "commit", "-q", "-m", "animals")
	git(t, root, "checkout", "-q", "main")
	a := open(t, root)
	require.NotEmpty(t, found(t, a, "transfer"))

	git(t, root, "checkout", "-q", "zoo")
	settled(t, a) // no change was reported: HEAD moved
	require.Empty(t, found(t, a, "transfer"))
	require.Equal(t, "zoo.go", found(t, a, "zebra")[0])
	require.Equal(t, "zoo.go", found(t, a, "animals")[0], "its history votes")

	git(t, root, "checkout", "-q", "main")
	require.Eventually(t, func() bool { return len(found(t, a, "transfer")) > 0 }, waitLong, waitShort, "asking is enough")
}

func TestSearch_HistoryVotes(t *testing.T) {
	t.Parallel()
	root := repository(t, shop)
	put(t, root, "money/money.go", shop["money/money.go"]+"// rounds\n")
	git(t, root, "commit", "-q", "-am", "avoid bankruptcy of customers")
	require.Equal(t, "money/money.go", found(t, open(t, root), "bankruptcy")[0])
	require.Empty(t, found(t, open(t, folder(t, shop)), "bankruptcy"), "where there is no history")
}

func TestAtlas_WithoutGit(t *testing.T) {
	t.Parallel()
	root := repository(t, shop)
	put(t, root, "node_modules/zebra.js", "zebra()\n")
	state := t.TempDir()
	t.Run("nothing of it is installed", func(t *testing.T) {
		t.Parallel()
		_, err := shadow.Open(t.Context(), sandbox.New(sandbox.Options{Environ: []string{"PATH="}}), state, root)
		missing := new(sandbox.NotStartedError)
		require.ErrorAs(t, err, &missing)
		a := settled(t, openOptions(t, atlas.Options{Root: root, StateDir: t.TempDir(), Outliner: &outliner{}}))
		require.Equal(t, "money/money.go", found(t, a, "transfer amount")[0])
		require.Empty(t, found(t, a, "zebra"))
	})
	t.Run("the folder is no repository", func(t *testing.T) {
		t.Parallel()
		a := open(t, folder(t, shop))
		require.Equal(t, "money/money.go", found(t, a, "transfer amount")[0])
	})
}

func TestAtlas_ReopenIsWarm(t *testing.T) {
	t.Parallel()
	root, state := repository(t, shop), t.TempDir()
	first, second := &outliner{}, &outliner{}
	a := settled(t, openWith(t, root, state, first))
	require.NoError(t, a.Close())
	require.Positive(t, first.calls.Load())
	a = settled(t, openWith(t, root, state, second))
	require.Zero(t, second.calls.Load(), "parsed although it is known")
	require.Equal(t, "money/money.go", found(t, a, "transfer amount")[0])
}

func TestAtlas_StateFolderVanishes(t *testing.T) {
	t.Parallel()
	root, state := repository(t, shop), t.TempDir()
	a := settled(t, openWith(t, root, state, &outliner{}))
	// The index may be writing into it just now.
	require.Eventually(t, func() bool { return os.RemoveAll(state) == nil }, waitLong, waitShort)
	a.Cover("main.go", "package zebra\n")
	require.Equal(t, []string{"main.go"}, found(t, a, "zebra"))
	put(t, root, "money/money.go", "package giraffe\n")
	a.Changed("money/money.go")
	require.Eventually(t, func() bool { return len(found(t, a, "giraffe")) == 1 }, waitLong, waitShort)
	_ = a.Close() // it may say what it could not write
	a = settled(t, openWith(t, root, state, &outliner{}))
	require.Equal(t, []string{"money/money.go"}, found(t, a, "giraffe"))
}

func TestAtlas_TwoOfOneFolder(t *testing.T) {
	t.Parallel()
	root, state := repository(t, shop), t.TempDir()
	a, b := openWith(t, root, state, &outliner{}), openWith(t, root, state, &outliner{})
	settled(t, a)
	settled(t, b)
	a.Cover("main.go", "package zebra\n")
	require.Equal(t, []string{"main.go"}, found(t, a, "zebra"))
	require.Empty(t, found(t, b, "zebra"), "a buffer is one editor's own")
	put(t, root, "money/money.go", "package giraffe\n")
	for _, each := range []*atlas.Atlas{a, b} {
		each.Changed("money/money.go")
		settled(t, each)
		require.Equal(t, []string{"money/money.go"}, found(t, each, "giraffe"))
	}
}

func TestSearch_LexicalAnswersComeBeforeSymbols(t *testing.T) {
	t.Parallel()
	o := &outliner{release: make(chan struct{})}
	a := openWith(t, repository(t, shop), t.TempDir(), o)
	var answer atlas.Answer
	require.Eventually(t, func() bool {
		var err error
		answer, err = a.Search(t.Context(), search.Query{Text: "transfer amount"})
		return err == nil && len(answer.Hits) > 0
	}, waitLong, waitShort)
	require.Equal(t, "money/money.go", answer.Hits[0].Path)
	require.False(t, answer.Complete)
	require.False(t, a.Status().Complete)
	close(o.release)
	settled(t, a)
	answer, err := a.Search(t.Context(), search.Query{Text: "transfer amount"})
	require.NoError(t, err)
	require.True(t, answer.Complete)
	require.Equal(t, "Transfer", answer.Symbols[0].Symbol.Name)
}

func TestClose_EndsRunningWork(t *testing.T) {
	t.Parallel()
	o := &outliner{release: make(chan struct{})} // never released
	a := openWith(t, repository(t, shop), t.TempDir(), o)
	waited := make(chan error)
	go func() { waited <- a.Wait(t.Context()) }()
	require.NoError(t, a.Close())
	require.ErrorIs(t, <-waited, atlas.ErrClosed)
	_, err := a.Search(t.Context(), search.Query{Text: "transfer"})
	require.ErrorIs(t, err, atlas.ErrClosed)
	require.NoError(t, a.Close(), "closing twice")
	a.Cover("main.go", "late")
	a.Uncover("main.go")
	a.Changed()
}

func TestAtlas_ManyAskAndChangeAtOnce(t *testing.T) {
	t.Parallel()
	root := repository(t, shop)
	a := openWith(t, root, t.TempDir(), &outliner{})
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 20 {
				switch i {
				case 0:
					a.Cover("main.go", "package main\n\nfunc Zebra() {}\n")
				case 1:
					a.Uncover("main.go")
					a.Changed("main.go")
				default:
					_, err := a.Search(t.Context(), search.Query{Text: "zebra transfer", Open: []string{"main.go"}})
					if err != nil {
						t.Error(err)
					}
					a.Status()
				}
			}
		})
	}
	all.Wait()
	a.Uncover("main.go")
	settled(t, a)
	require.Empty(t, found(t, a, "zebra"))
}

func TestOpen_NamesTheFault(t *testing.T) {
	t.Parallel()
	_, err := atlas.Open(t.Context(), atlas.Options{Root: filepath.Join(t.TempDir(), "gone"), StateDir: t.TempDir()})
	require.ErrorContains(t, err, "does not exist (any more)")
}

// An answer from before the latest change reports that it may be outdated.
func TestAtlas_ReportsAnOutdatedAnswer(t *testing.T) {
	t.Parallel()
	a, err := atlas.Open(t.Context(), atlas.Options{Root: repository(t, shop), StateDir: t.TempDir(), Outliner: &outliner{}, Patience: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	settled(t, a)
	for i := range 50 {
		word := fmt.Sprintf("giraffe%d", i)
		a.Cover("zoo/"+word+".go", "package zoo\n\n// "+word+" is tall.\n")
		answer, err := a.Search(t.Context(), search.Query{Text: word})
		require.NoError(t, err)
		require.True(t, !answer.Complete || len(answer.Hits) == 1, "an answer of before %s passes for one of now", word)
	}
}
