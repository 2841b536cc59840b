package lsp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/event"
)

// The faults of a plan are diagnostics while the user edits it; a run takes none of them away, and closing the file does.
func TestPlanFile_FaultsAreDiagnostics(t *testing.T) {
	const plan = `{
  "version": 1,
  "task": "add taxes",
  "parts": [
    {"id": "a", "title": "A", "objective": "o", "files": ["../a.go"], "dependsOn": ["b"], "verify": ["v"], "doneWhen": "d"}
  ]
}
`
	const name = ".forge/plans/taxes.json"
	bubble(t, func(t *testing.T) {
		d := start(t, map[string]string{name: plan, "calc.go": calcGo, "notes.json": "{"}, &fakeEngine{script: checking(event.Failed)})
		u := d.uri(name)
		d.Open(u, "json", plan)
		d.Open(d.uri("notes.json"), "json", "{")
		list := d.shown(u)
		require.Len(t, list, 1)
		require.Equal(t, uint32(4), list[0].Range.Start.Line)
		require.Equal(t, protocol.DiagnosticSeverityError, list[0].Severity)
		source, _ := list[0].Source.Get()
		require.Equal(t, "forge/plan", source)
		require.Empty(t, d.shown(d.uri("notes.json")), "no other JSON file is a plan")

		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, nil))
		require.Len(t, d.shown(u), 1, "a run leaves them")
		right := strings.NewReplacer("../a.go", "a.go", `["b"]`, "[]").Replace(plan)
		d.Change(u, 2, &protocol.TextDocumentContentChangeWholeDocument{Text: right})
		require.Empty(t, d.shown(u))
		d.Change(u, 3, &protocol.TextDocumentContentChangeWholeDocument{Text: strings.Replace(right, "[]", `["b"]`, 1)})
		list = d.shown(u)
		require.Len(t, list, 1)
		require.Equal(t, protocol.DiagnosticSeverityWarning, list[0].Severity)
		d.Close(u)
		require.Empty(t, d.shown(u))
	})
}
