package testkit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/spend"
	"forge/internal/testkit"
)

func TestPlaces_FindsTheConstantsOfEachPackage(t *testing.T) {
	require.Equal(t, []string{spend.FailpointReserved, spend.FailpointSettling}, testkit.Failpoints("engine/spend"))
	require.Contains(t, testkit.Failpoints("engine/spend", "engine/history"), "edit.prepared")
	require.Panics(t, func() { testkit.Failpoints("engine/spend", "internal/inert") })
}
