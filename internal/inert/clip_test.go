package inert_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/inert"
)

func TestClip_CutsBetweenCharacters(t *testing.T) {
	t.Parallel()
	require.Equal(t, "short", inert.Clip("short", 5))
	require.Equal(t, "shor…", inert.Clip("short", 4))
	require.Equal(t, "é…", inert.Clip("éé", 3))
	require.Equal(t, "…", inert.Clip("short", -1))
}
