package index_test

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/index"
)

// goOutliner knows Go only.
type goOutliner struct{}

func (goOutliner) Outline(_ context.Context, language codeintel.Language, source string) (codeintel.Outline, error) {
	if language == codeintel.LanguageGo {
		return codeintel.GoOutline(source), nil
	}
	return codeintel.Outline{Language: language}, nil
}

func TestView_HasWordsAndOutlines(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "server/listen.go", "package server\n\nfunc Listen(port int) {}\n")
	write(t, root, "notes.txt", strings.Repeat("\n", 20)+"listen, listen to the port")
	x := open(t, root, "")
	require.NoError(t, x.Wait(t.Context()))
	view := x.View()

	documents := view.Documents()
	require.Len(t, documents, 2)
	require.Equal(t, "notes.txt", documents[0].Path)
	require.Equal(t, 21, documents[0].Lines)
	require.Equal(t, 3, documents[0].Words)
	require.Nil(t, documents[0].Outline)
	require.Equal(t, "Listen", documents[1].Outline.Symbols[0].Name)
	require.True(t, view.Complete())

	require.Equal(t, []index.Posting{
		{Document: 0, Part: 1, Count: 2},
		{Document: 1, Part: index.PartSymbols, Count: 1},
		{Document: 1, Part: index.PartPath, Count: 1},
		{Document: 1, Part: 0, Count: 1},
	}, view.Postings("listen"))
	require.Empty(t, view.Postings("nowhere"))

	text, err := view.ReadFile("server/listen.go")
	require.NoError(t, err)
	require.Len(t, text, documents[1].Size)
	_, err = view.ReadFile("gone.go")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// failing is an outliner that must not be needed.
type failing struct{ t testing.TB }

func (f failing) Outline(_ context.Context, _ codeintel.Language, source string) (codeintel.Outline, error) {
	f.t.Errorf("this was parsed again: %s", source)
	return codeintel.Outline{}, nil
}
