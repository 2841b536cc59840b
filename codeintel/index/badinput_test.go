//go:build unix

package index_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/index"
)

// named makes a file of another name than file does.
func named(name, text string) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		t.Helper()
		write(t, root, name, text)
	}
}

// listed is a source that says what a test wants.
type listed []string

func (l listed) Files(context.Context) ([]string, error) { return l, nil }

func TestIndex_SurvivesBadInput(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	write(t, outside, "secret.txt", "secret")
	tests := []struct {
		name, path string
		make       func(t *testing.T, root string)
		want       index.Reason // empty: it is indexed
	}{
		{"a text", "f", file("text"), ""},
		{"an empty file", "f", file(""), ""},
		{"invalid UTF-8", "f", file("gr\xfc\xdfe needle \xff"), ""},
		{"50,000 lines", "f", file(strings.Repeat("one more line\n", 50_000)), ""},
		{"a name that is no UTF-8", "f\xff.txt", func(t *testing.T, root string) { write(t, root, "f\xff.txt", "needle") }, index.Unnameable},
		{"a line that is long, among others", "f", file(strings.Repeat("x ", 3000) + strings.Repeat("line\n", 2000)), ""},
		{"NUL bytes", "f", file("text\x00text"), index.Binary},
		{"UTF-16", "f", file("\xff\xfet\x00e\x00"), index.Binary},
		{"1 MiB and a byte", "f", file(strings.Repeat("12345678\n", 1<<20/9+1)), index.TooLarge},
		{"code of 1 MiB and a byte", "f.go", named("f.go", strings.Repeat("var x1 = 1\n", 1<<20/11+1)), ""},
		{"code of 8 MiB and a byte", "f.go", named("f.go", strings.Repeat("var x1 = 1\n", 8<<20/11+1)), index.TooLarge},
		{"data of 1 MiB and a byte", "f.yaml", named("f.yaml", strings.Repeat("one: two\n", 1<<20/9+1)), index.TooLarge},
		{"500 MB", "f", sparse(500 << 20), index.TooLarge},
		{"one long line", "f", file(strings.Repeat("a=b;", 10_000)), index.Minified},
		{"a pipe", "f", func(t *testing.T, root string) { require.NoError(t, syscall.Mkfifo(filepath.Join(root, "f"), 0o600)) }, index.NotRegular},
		{"a directory", "f", func(t *testing.T, root string) { require.NoError(t, os.Mkdir(filepath.Join(root, "f"), 0o755)) }, index.NotRegular},
		{"a link to itself", "f", link("f", "f"), index.NotRegular},
		{"a link out of the folder", "f", link(filepath.Join(outside, "secret.txt"), "f"), index.NotRegular},
		{"a file behind a link out of the folder", "d/secret.txt", link(outside, "d"), index.Unreadable},
		{"a file behind a link to itself", "d/f", link("d", "d"), index.Unreadable},
		{"a file in a file", "f/g", file("text"), index.Unreadable},
		{"a path out of the folder", "../secret.txt", file("text"), index.Outside},
		{"an absolute path", "/etc/passwd", file("text"), index.Outside},
		{"the folder", ".", file("text"), index.Outside},
		{"nothing", "gone", file("text"), index.Vanished},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			write(t, root, "good.go", "package good\n")
			test.make(t, root)
			x := open(t, root, t.TempDir(), func(o *index.Options) { o.Source = listed{"good.go", test.path} })
			check := func() {
				require.NoError(t, x.Wait(context.Background()))
				require.Empty(t, x.Status().Notes)
				require.Equal(t, 2, x.Status().Total)
				if test.want == "" {
					require.ElementsMatch(t, []string{test.path, "good.go"}, paths(x.View()))
					require.Empty(t, x.Status().Skipped)
					return
				}
				require.Equal(t, []string{"good.go"}, paths(x.View()))
				require.Equal(t, []index.Skipped{{Path: test.path, Reason: test.want}}, x.Status().Skipped)
				_, err := x.View().ReadFile(test.path)
				require.ErrorIs(t, err, fs.ErrNotExist)
			}
			check()
			require.NoError(t, x.Refresh(context.Background()))
			check()
			require.NoError(t, x.Close())
			x = open(t, root, t.TempDir(), func(o *index.Options) { o.Source = listed{"good.go", test.path} })
			check()
		})
	}
}

func file(content string) func(*testing.T, string) {
	return func(t *testing.T, root string) { write(t, root, "f", content) }
}

func link(to, name string) func(*testing.T, string) {
	return func(t *testing.T, root string) { require.NoError(t, os.Symlink(to, filepath.Join(root, name))) }
}

func sparse(size int64) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		write(t, root, "f", "")
		require.NoError(t, os.Truncate(filepath.Join(root, "f"), size))
	}
}

// TestIndex_PipeInPlaceOfAFile proves that a file which became a pipe since it was listed blocks nothing.
func TestIndex_PipeInPlaceOfAFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "a.go", "package a\n")
	x := open(t, root, "")
	x.dump()
	require.NoError(t, os.Remove(filepath.Join(root, "a.go")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "a.go"), 0o600))
	_, err := x.View().ReadFile("a.go")
	require.ErrorIs(t, err, fs.ErrNotExist)
	x.Changed("a.go")
	x.dump()
	require.Empty(t, paths(x.View()))
}

func TestCover_ThatIsNoText(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "a.go", "package a\n")
	x := open(t, root, "")
	x.Cover("a.go", "package\x00")
	x.dump()
	require.Empty(t, paths(x.View()))
	require.Equal(t, []index.Skipped{{Path: "a.go", Reason: index.Binary}}, x.Status().Skipped)
	x.Uncover("a.go")
	x.dump()
	require.Equal(t, []string{"a.go"}, paths(x.View()))
	require.Empty(t, x.Status().Skipped)
}

// failingSource fails until it is repaired.
type failingSource struct {
	walk
	err *error
}

func (f failingSource) Files(ctx context.Context) ([]string, error) {
	if *f.err != nil {
		return nil, *f.err
	}
	return f.walk.Files(ctx)
}

func TestIndex_SourceThatFails(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "a.go", "package a\n")
	err := errors.New("git is gone")
	x := open(t, root, "", func(o *index.Options) { o.Source = failingSource{walk(root), &err} })
	require.ErrorIs(t, x.Ready(context.Background()), err)
	err = nil
	require.NoError(t, x.Refresh(context.Background()))
	x.dump()
	require.Equal(t, []string{"a.go"}, paths(x.View()))
}

// panicking is an outliner that a text can bring down.
type panicking struct{ goOutliner }

func (p panicking) Outline(ctx context.Context, language codeintel.Language, source string) (codeintel.Outline, error) {
	if strings.Contains(source, "trap") {
		panic("trapped")
	}
	return p.goOutliner.Outline(ctx, language, source)
}

func TestOutlines_PanicCostsOne(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "a.go", "package trap\n\nfunc Trap() {}\n")
	write(t, root, "b.go", "package b\n\nfunc B() {}\n")
	x := open(t, root, "", func(o *index.Options) { o.Outliner = panicking{} })
	require.NoError(t, x.Wait(context.Background()))
	documents := x.View().Documents()
	require.Len(t, documents, 2)
	require.True(t, documents[0].Outline.Broken)
	require.Empty(t, documents[0].Outline.Symbols)
	require.Equal(t, "B", documents[1].Outline.Symbols[0].Name)
}

func TestOpen_MissingFolder(t *testing.T) {
	t.Parallel()
	_, err := index.Open(t.Context(), index.Options{Root: filepath.Join(t.TempDir(), "no")})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestClosed_AnswersWithAnError(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "a.go", "package a\n")
	x := open(t, root, t.TempDir())
	x.dump()
	view := x.View()
	require.NoError(t, x.Close())
	require.NoError(t, x.Close())
	x.Changed("a.go")
	require.ErrorIs(t, x.Wait(context.Background()), index.ErrClosed)
	require.Equal(t, "a.go", found(view, "packag"))
	_, err := view.ReadFile("a.go")
	require.ErrorIs(t, err, fs.ErrNotExist)
}
