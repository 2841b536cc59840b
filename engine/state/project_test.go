package state_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/state"
)

func TestProject_OffersAPlanOnce(t *testing.T) {
	t.Parallel()
	p, err := state.New(state.Options{Dir: t.TempDir()}).Project(t.TempDir())
	require.NoError(t, err)
	name := p.PlanFile("r-1", 1)
	require.Error(t, p.OfferPlan("r-1", 1, "{}"), "without the folder of the runs")
	require.NoFileExists(t, name, "a draft that could not be written is written by the resumed run")

	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(t, p.OfferPlan("r-1", 1, "{}"))
	require.NoError(t, os.WriteFile(name, []byte("edited"), 0o600))
	require.NoError(t, p.OfferPlan("r-1", 1, "{}"))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "edited", string(text))
	entries, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	require.Len(t, entries, 1, "no file is left behind")
}
