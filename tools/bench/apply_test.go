package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The behaviours of this test binary when it is started as forge apply.
const (
	appliesPatches = "applies patches"
	ignoresPatches = "ignores patches"
)

// fakeApply does what the patches of measureApply say, and returns an exit code.
func fakeApply(args []string) int {
	patch, err := os.ReadFile(args[len(args)-1])
	if err != nil {
		return 1
	}
	name := ""
	for line := range strings.Lines(string(patch)) {
		line = strings.TrimSuffix(line, "\n")
		if file, is := strings.CutPrefix(line, "*** Update File: "); is {
			name = file
		}
		if turn, is := strings.CutPrefix(line, "+"); is {
			text, err := os.ReadFile(name) //nolint:gosec // a test's own folder
			before, rest, _ := strings.Cut(string(text), "turn ")
			_, after, _ := strings.Cut(rest, "\n")
			if err = errors.Join(err, os.WriteFile(name, []byte(before+turn+"\n"+after), 0o600)); err != nil { //nolint:gosec // a test's own folder
				return 1
			}
		}
	}
	return 0
}

func TestApply_IsMeasured(t *testing.T) {
	t.Parallel()
	rows, err := measureApply(t.Context(), fake(t, appliesPatches, "any"))
	require.NoError(t, err)
	require.Len(t, rows, 4)
	for _, r := range rows {
		require.Empty(t, r.forge.none, r.name)
	}
	require.Equal(t, missing, rows[1].gopls)
	require.NotEmpty(t, rows[1].goals)
	require.Positive(t, rows[3].gopls.number, "the anchor")
}

// The twins: a program that fails, and one that does nothing, are not quick.
func TestApply_AnApplyThatDoesNothingIsNotMeasured(t *testing.T) {
	t.Parallel()
	for behaviour, want := range map[string]string{"any": "forge apply: exit status 1", ignoresPatches: "left " + filepath.ToSlash(relative(0)) + " as it was"} {
		_, err := measureApply(t.Context(), fake(t, behaviour, "any"))
		require.ErrorContains(t, err, want)
	}
}
