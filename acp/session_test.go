package acp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSession_CountsTheCostOfAResumedRunOnce(t *testing.T) {
	t.Parallel()
	s := newSession(&agent{}, "acp-1", t.TempDir())
	s.spend("r-1", 5)
	s.spend("r-2", 1)
	s.spend("r-1", 7)
	require.EqualValues(t, 1, s.spentBeside("r-1"))
	require.EqualValues(t, 8, s.spentBeside("r-3"))
}
