package server

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine"
	"forge/engine/checks"
	"forge/internal/testkit"
	"forge/lsp/lsptest"
)

// subRight is a model that adds Sub in a file of its own.
const subRight = small + subTests + `- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: It subtracts., files: [{path: sub.go, action: create, content: "package sum\n\n// Sub subtracts.\nfunc Sub(a, b int) int { return a - b }\n"}], patch: "", blocked: ""}}
` + reviewed

// Tests of a package that imports nothing of what changes. Those that wait do until the pipe has a writer.
const (
	guardPasses = "func TestPasses(*testing.T) {}\n"
	guardOld    = "func TestOld(t *testing.T) { t.Fatal(\"as ever\") }\n"
	guardWaits  = "func TestNoSub(t *testing.T) {\n\tif f, err := os.Open(\"PIPE\"); err == nil {\n\t\t_ = f.Close()\n\t}\n\tif _, err := os.Stat(\"../sub.go\"); err == nil {\n\t\tt.Fatal(\"there is a sub.go\")\n\t}\n}\n"
	guardHolds  = "func TestZHolds(*testing.T) {\n\tif _, err := os.OpenFile(\"PIPE\", os.O_WRONLY, 0); err == nil {\n\t\tselect {}\n\t}\n}\n"
)

// sitAtLarge is an editor in a folder with so many files of tests that a change is judged by a part of them. pipe is the named pipe of its tests.
func sitAtLarge(t *testing.T, tests ...string) (d *harness, pipe string) {
	t.Helper()
	open := engine.Settings{Checks: checks.Settings{Unguarded: []string{"go test"}}} // the pipe is outside of the tree
	d = start(t, setting{script: subRight, settings: open, params: func(p *protocol.InitializeParams) {
		cannotConfirm(p)
		yes := true
		p.Capabilities.Window = &protocol.WindowClientCapabilities{WorkDoneProgress: &yes}
	}})
	pipe = filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o666))
	require.NoError(t, os.Mkdir(filepath.Join(d.root, "guard"), 0o755))
	put := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(d.root, "guard", name), []byte(text), 0o644))
	}
	for i := range 101 {
		put(fmt.Sprintf("g%d_test.go", i), "package guard\n")
	}
	put("guard.go", "// Package guard keeps watch.\npackage guard\n")
	put("guard_test.go", "package guard\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = os.Stat\n\n"+strings.ReplaceAll(strings.Join(tests, "\n"), "PIPE", pipe))
	require.NoError(t, d.engine.Trust(d.root))
	return d, pipe
}

// suited waits until the node of the whole suite has a status, and gives what is said of it.
func (d *harness) suited(status string) (reason string) {
	d.t.Helper()
	d.Expect(api.EventMethod, func(params []byte) bool {
		var e struct {
			Type string
			Data api.Node
		}
		if json.Unmarshal(params, &e) != nil || e.Type != "node" || e.Data.ID != "suite" || e.Data.Status != status {
			return false
		}
		reason = e.Data.Reason
		return true
	})
	return reason
}

// The result of all tests comes after the change: to the view, to the documents, and as a message if the change was
// accepted meanwhile.
func TestWholeSuite_IsReportedToTheEditor(t *testing.T) {
	t.Parallel()
	d, pipe := sitAtLarge(t, guardPasses, guardOld, guardWaits)
	run, err := d.run(api.RunArgs{Task: "add Sub", Approve: "edits"})
	require.NoError(t, err)
	require.Equal(t, "succeeded", run.State, run.Reason)
	d.suited("RUNNING")
	result := ask[api.ApplyResult](d, api.ApplyProposal, api.ProposalArgs{ProposalID: run.ProposalID})
	require.Equal(t, "applied", result.Files[0].State)
	release, err := os.OpenFile(pipe, os.O_RDWR, 0) // from now on no test waits
	require.NoError(t, err)
	defer release.Close() //nolint:errcheck // nothing is written

	const fails = "1 test outside of the scope fails with this change: sum/guard.TestNoSub; 1 failed before the change, too"
	require.Contains(t, strings.ReplaceAll(d.suited("FAILED"), "example.com/", ""), "whole suite: "+fails)
	d.Expect(protocol.MethodWindowShowMessage, func(params []byte) bool {
		return strings.Contains(string(params), "the change that you accepted fails 1 test: example.com/sum/guard.TestNoSub. Undo takes it back")
	})
	d.Expect(protocol.MethodProgress, func(params []byte) bool { return strings.Contains(string(params), "passed so far") })
	d.shows("guard/guard_test.go", 18, "there is a sub.go")
	gates := ask[api.Proposal](d, api.ShowProposal, api.ProposalRef{ProposalID: run.ProposalID}).Gates
	require.Contains(t, gates[len(gates)-1].Notice, "outside of the scope")
	kept := ask[api.EventsResult](d, api.Events, api.EventsArgs{RunID: run.RunID}).Events
	for i, e := range kept {
		require.Equal(t, i+1, e.Seq)
	}
	require.Equal(t, "node", kept[len(kept)-1].Type)
	d.alive()
}

// Whatever ends it, no process is left.
func TestWholeSuite_EndingLeavesNoProcess(t *testing.T) {
	t.Parallel()
	for name, end := range testkit.SampleMap(0, map[string]func(d *harness, run api.RunResult){
		"cancelled": func(d *harness, run api.RunResult) {
			_ = ask[api.StateResult](d, api.Cancel, api.RunRef{RunID: run.RunID})
			require.Contains(d.t, d.suited("SKIPPED"), "whole suite: stopped; 3 of 3 passed so far")
			d.alive()
		},
		"rejected": func(d *harness, run api.RunResult) {
			_ = ask[api.ApplyResult](d, api.RejectProposal, api.ProposalArgs{ProposalID: run.ProposalID})
			require.Contains(d.t, d.suited("SKIPPED"), "stopped")
		},
		"the progress is cancelled": func(d *harness, run api.RunResult) {
			d.Notify(protocol.MethodWindowWorkDoneProgressCancel, map[string]string{"token": run.ProgressToken + "/suite"})
			require.Contains(d.t, d.suited("SKIPPED"), "stopped")
		},
		"the session ends": func(d *harness, _ api.RunResult) { d.Shutdown() },
	}, "cancelled") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, pipe := sitAtLarge(t, guardPasses, guardHolds)
			alive, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			require.NoError(t, err)
			defer alive.Close() //nolint:errcheck // nothing is written
			run, err := d.run(api.RunArgs{Task: "add Sub", Approve: "edits"})
			require.NoError(t, err)
			d.Expect(protocol.MethodProgress, func(params []byte) bool { return strings.Contains(string(params), "3 of 3 passed so far") })
			end(d, run)
			require.NoError(t, alive.SetReadDeadline(time.Now().Add(lsptest.Patience)))
			_, err = io.Copy(io.Discard, alive)
			require.NoError(t, err, "a process was left")
		})
	}
}
