package declared_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/spend"
	"forge/internal/failpoint/declared"
)

func TestIn_FindsTheConstantsOfEachPackage(t *testing.T) {
	require.Equal(t, []string{spend.FailpointReserved, spend.FailpointSettling}, declared.In("engine/spend"))
	require.Contains(t, declared.In("engine/spend", "engine/history"), "edit.prepared")
	require.Panics(t, func() { declared.In("engine/spend", "internal/inert") })
}
