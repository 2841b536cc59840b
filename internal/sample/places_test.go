package sample_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/spend"
	"forge/internal/sample"
)

func TestPlaces_FindsTheConstantsOfEachPackage(t *testing.T) {
	require.Equal(t, []string{spend.FailpointReserved, spend.FailpointSettling}, sample.Places("engine/spend"))
	require.Contains(t, sample.Places("engine/spend", "engine/history"), "edit.prepared")
	require.Panics(t, func() { sample.Places("engine/spend", "internal/inert") })
}
