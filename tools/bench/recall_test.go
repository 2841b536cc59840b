package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	kept "forge/memory"
)

// TestRecall_NoAnswerIsNoMeasurement: a memory that has nothing is reported, and not measured as a quick one.
func TestRecall_NoAnswerIsNoMeasurement(t *testing.T) {
	t.Parallel()
	project, err := kept.Open(t.Context(), filepath.Join(t.TempDir(), "state"), "bench", kept.Options{Now: time.Now})
	require.NoError(t, err)
	_, err = timeRecall(t.Context(), project, nil)
	require.ErrorContains(t, err, "nothing is recalled")
	require.NoError(t, project.Close())
}
