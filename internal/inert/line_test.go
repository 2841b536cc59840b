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
