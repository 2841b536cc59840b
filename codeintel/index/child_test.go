package index_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/codeintel/index"
	"forge/internal/testkit"
)

// child is what another process does that shares an index: see process.
func child(what string) {
	root, state := os.Getenv("FORGE_INDEX_ROOT"), os.Getenv("FORGE_INDEX_STATE")
	ctx := context.Background()
	index.LoadPatiently()
	for i := 0; what == "edit" || i < 5; i++ {
		x, err := index.Open(ctx, index.Options{Root: root, Dir: state, Source: walk(root), Outliner: goOutliner{}, Workers: 2})
		check(err)
		check(x.Wait(ctx))
		for j := 0; what == "edit" && j < 20; j++ {
			name := fmt.Sprintf("e%d.go", j%7)
			check(os.WriteFile(filepath.Join(root, name), fmt.Appendf(nil, "package e\n\nfunc Edit%d() {}\n", i*20+j), 0o644))
			x.Changed(name)
			check(x.Ready(ctx))
			fmt.Println(i, j)
		}
		if what == "read" {
			check(x.Dump(os.Stdout))
		}
		for _, note := range x.Status().Notes {
			fmt.Fprintln(os.Stderr, "note:", note)
		}
		check(x.Close())
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func process(t *testing.T, what, root, state string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "FORGE_INDEX_CHILD="+what, "FORGE_INDEX_ROOT="+root, "FORGE_INDEX_STATE="+state)
	cmd.Stderr = os.Stderr
	return cmd
}

// tree makes a folder with some files.
func tree(t testing.TB, files int) string {
	t.Helper()
	root := t.TempDir()
	for i := range files {
		write(t, root, fmt.Sprintf("d%d/f%d.go", i%5, i), fmt.Sprintf("package d\n\nfunc Of%d() { shared%d() }\n", i, i%3))
	}
	return root
}

// fresh is the dump of an index that was built from scratch.
func fresh(t testing.TB, root string) string {
	t.Helper()
	x := open(t, root, "")
	defer x.Close()
	return x.dump()
}

func TestStore_ProcessesShareAnIndex(t *testing.T) {
	t.Parallel()
	root, state := tree(t, 100), t.TempDir()
	want := strings.Repeat(fresh(t, root), 5)
	var running sync.WaitGroup
	outputs, errs := make([][]byte, 3), make([]error, 3)
	for i := range outputs {
		cmd := process(t, "read", root, state)
		cmd.Stderr = nil
		var stderr strings.Builder
		cmd.Stderr = &stderr
		running.Go(func() {
			outputs[i], errs[i] = cmd.Output()
			if stderr.Len() > 0 {
				errs[i] = fmt.Errorf("%w: %s", errs[i], stderr.String())
			}
		})
	}
	running.Wait()
	for i := range outputs {
		require.NoError(t, errs[i])
		require.Empty(t, cmp.Diff(want, string(outputs[i])))
	}
}

// TestStore_ProcessIsKilled kills a process that edits files and writes the index, 20 times, at other moments.
func TestStore_ProcessIsKilled(t *testing.T) {
	t.Parallel()
	root, state := tree(t, 60), t.TempDir()
	for i := range testkit.Cases(6, 20) {
		cmd := process(t, "edit", root, state)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for range 1 + i*7%31 {
			require.True(t, lines.Scan(), "the process ended by itself")
		}
		require.NoError(t, cmd.Process.Kill())
		_, _ = io.Copy(io.Discard, out)
		require.Error(t, cmd.Wait())

		x := open(t, root, state)
		require.Empty(t, cmp.Diff(fresh(t, root), x.dump()), "after kill "+strconv.Itoa(i))
		require.Empty(t, x.Status().Notes)
		require.NoError(t, x.Close())
	}
}
