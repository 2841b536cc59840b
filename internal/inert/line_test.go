package inert_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/inert"
)

func TestLine_OneLine(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a b c", inert.OneLine(" a\n b\t c ", 10))
	require.Equal(t, "äöü…", inert.OneLine("äöüßx", 4), "characters, not bytes")
}

func TestLine_SentencesAreCutBehindOne(t *testing.T) {
	t.Parallel()
	require.Equal(t, "One. Two.", inert.Sentences("One. Two.", 9))
	require.Equal(t, "One. Two.", inert.Sentences("One. Two. Three.", 12))
	require.Equal(t, "One.", inert.Sentences("One. As e.g. here it is.", 15), "a small letter goes on with a sentence")
	require.Equal(t, "One two…", inert.Sentences("One two three", 10))
	require.Equal(t, "Ünder…", inert.Sentences("Ünder ühm", 9))
	require.Equal(t, "…", inert.Sentences("onetwothree", 5))
}
