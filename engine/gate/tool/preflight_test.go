package tool

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

type ends struct {
	result sandbox.Result
	err    error
}

func (e ends) Run(context.Context, sandbox.Command) (sandbox.Result, error) { return e.result, e.err }

type folder string

func (f folder) Dir() string { return string(f) }

// Only a program that is not found, or fails, is missing: what keeps others from being started is reported by their gates.
func TestLacks_NamesMissingProgram(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		runner  ends
		missing bool
	}{
		"it is there":          {ends{}, false},
		"it is slow":           {ends{result: sandbox.Result{TimedOut: true, ExitCode: -1}}, false},
		"it fails":             {ends{result: sandbox.Result{ExitCode: 1}}, true},
		"it is not found":      {ends{err: &sandbox.NotStartedError{Name: "x", Err: fs.ErrNotExist}}, true},
		"nothing confines it":  {ends{err: &sandbox.NotStartedError{Name: "x", Err: &sandbox.UnconfinedError{Reason: "no"}}}, false},
		"the system is broken": {ends{err: errors.New("broken")}, false},
	} {
		missing := Tools{Runner: c.runner, Install: "install x"}.Lacks(t.Context(), folder(t.TempDir()), "/bin/x", "--version")
		want := gate.Missing{}
		if c.missing {
			want = gate.Missing{Program: "x", Install: "install x"}
		}
		require.Equal(t, want, missing, name)
	}
}
