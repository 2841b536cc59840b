package server

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// An editor sees the calls of a run and opens its report: as a document that the server has, or as a file in a client that takes no
// documents from it.
func TestServer_ShowsARunAndItsReport(t *testing.T) {
	t.Parallel()
	const script = "\n- {match: {node: answer}, reply: {text: Add does.}}"
	d := start(t, setting{script: script, params: taking})
	require.NoError(t, d.engine.Trust(d.root))
	d.Open(d.uri("scratch.txt"), "plaintext", "never saved\n")
	var run api.RunResult
	require.NoError(t, d.execute(api.AskQuestion, api.AskArgs{Question: "who adds numbers?", Wait: true}, &run))
	var shown api.RunShown
	require.NoError(t, d.execute(api.ShowRun, api.RunShowArgs{Call: 1, Report: true}, &shown))
	require.Equal(t, run.RunID, shown.Run.RunID, "the newest")
	require.Len(t, shown.Calls, 1)
	require.Equal(t, "answer", shown.Calls[0].Node)
	require.Equal(t, "Add does.", shown.Exchange.Answer)
	require.Contains(t, shown.Exchange.Prompt.Messages[len(shown.Exchange.Prompt.Messages)-1].Text, "who adds numbers?")
	require.Contains(t, shown.Report, "> who adds numbers?\n\n## What was done\n\nAdd does.\n")
	require.ErrorContains(t, d.execute(api.ShowRun, api.RunShowArgs{Call: 2}, &shown), "which has 1 call")
	require.ErrorContains(t, d.execute(api.ShowRun, api.RunShowArgs{RunID: "r-none"}, &shown), "does not exist any more")

	text, err := d.content("forge://run/" + run.RunID)
	require.NoError(t, err)
	require.Equal(t, shown.Report, text)

	plain := start(t, setting{script: script})
	require.NoError(t, plain.engine.Trust(plain.root))
	require.NoError(t, plain.execute(api.AskQuestion, api.AskArgs{Question: "who adds numbers?", Wait: true}, &run))
	var opened api.ShowDocumentResult
	require.NoError(t, plain.execute(api.ShowDocument, api.ShowDocumentArgs{URI: "forge://run/" + run.RunID}, &opened))
	report, err := os.ReadFile(api.FilePath(opened.URI))
	require.NoError(t, err)
	require.Contains(t, string(report), "# Run "+run.RunID+": who adds numbers?")
}
