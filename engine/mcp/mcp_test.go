package mcp_test

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"forge/engine/mcp"
	"forge/engine/sandbox"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain becomes a server if it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "serve" {
		serve(os.Args[2], os.Args[3])
		quit(0)
	}
	goleak.VerifyTestMain(m)
}

// quit ends a server at once: os.Exit waits a second with the race detector.
func quit(code int) { syscall.Exit(code) }

func list(t *testing.T, how string, limit time.Duration) ([]mcp.Tool, error) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	o := mcp.Options{Runner: sandbox.New(sandbox.Options{Environ: os.Environ()}), Version: "test", Start: limit}
	return mcp.List(context.Background(), o, mcp.Server{Name: "t", Command: []string{self, "serve", how, os.DevNull}})
}

func TestList_PinsTheDefinitionOfATool(t *testing.T) {
	t.Parallel()
	first, err := list(t, "honest", 0)
	require.NoError(t, err)
	require.Len(t, first, 1)
	require.Equal(t, "echo", first[0].Name)
	require.Equal(t, "Echoes.", first[0].Description)
	require.True(t, mcp.ValidPin(first[0].Pin))
	for how, same := range map[string]bool{"reordered": true, "twice": true, "changed": false} {
		again, err := list(t, how, 0)
		require.NoError(t, err, how)
		require.Equal(t, same, again[0].Pin == first[0].Pin, how)
	}
}

func TestList_FailsOnAHostileServer(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{
		"dies": "exit code 3: out of ", "error": "no ", "duplicate": `the tool "echo" twice`, "endless": "more than 200 tools",
		"flood": "invalid character", "long line": "more than 8 MiB",
	} {
		tools, err := list(t, how, 0)
		require.ErrorContains(t, err, want, how)
		require.NotContains(t, err.Error(), "\x1b", how)
		require.Empty(t, tools, how)
	}
}

func TestList_EndsAServerThatHangs(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"silent", "wrong id"} {
		_, err := list(t, how, 300*time.Millisecond)
		require.ErrorContains(t, err, "within 300ms", how)
	}
}

func TestList_ReportsAMissingProgram(t *testing.T) {
	t.Parallel()
	o := mcp.Options{Runner: sandbox.New(sandbox.Options{Environ: os.Environ()})}
	_, err := mcp.List(context.Background(), o, mcp.Server{Name: "t", Command: []string{"no-such-server"}})
	var missing *sandbox.NotStartedError
	require.ErrorAs(t, err, &missing)
}
