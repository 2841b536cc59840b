package sandbox

import (
	"bufio"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/sandbox/kernel"
)

// A table of processes may mix two of them, if a number is used again while it is read. A member is what its number stands for now, so that
// no group of another process is ended.
func TestProcessTree_MemberIsTheProcessOfToday(t *testing.T) {
	t.Parallel()
	const mark = "FORGE_PROCESS_TREE=of.this.test"
	member := exec.CommandContext(t.Context(), "/bin/sh", "-c", "echo ready; read line")
	member.Env, member.SysProcAttr = []string{mark}, &syscall.SysProcAttr{Setsid: true}
	in, err := member.StdinPipe()
	require.NoError(t, err)
	out, err := member.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, member.Start())
	t.Cleanup(func() { _ = in.Close(); _ = member.Wait() })
	_, err = bufio.NewReader(out).ReadString('\n') // in the middle of its exec it would have no environment
	require.NoError(t, err)
	pid := member.Process.Pid
	table := []kernel.Process{{PID: pid, Parent: 1, Group: syscall.Getpgrp(), Session: 1}}
	found := processTreeIn(table, -1, mark)
	require.Len(t, found, 1)
	require.Equal(t, pid, found[0].Group)
	require.Equal(t, syscall.Getpgrp(), table[0].Group, "the table is shared, and stays")
	require.Empty(t, processTreeIn(table, -1, mark+"."))
}
