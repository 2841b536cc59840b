package flow_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/flow"
)

func TestAlive_AnOwnerIsAliveAsLongAsItsProcess(t *testing.T) {
	t.Parallel()
	me := flow.ThisProcess()
	require.True(t, me.Alive())

	require.False(t, flow.Owner{}.Alive(), "the zero owner")
	elsewhere := me
	elsewhere.Host = "elsewhere"
	require.False(t, elsewhere.Alive())

	gone := exec.Command("true")
	require.NoError(t, gone.Run())
	ended := me
	ended.PID = gone.Process.Pid
	require.False(t, ended.Alive(), "its process has ended")
}
