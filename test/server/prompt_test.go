package server

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// With a node, forge.context shows what the model is sent first in the run, buffers that are not saved included.
func TestContext_OfANodeIsTheSentPrompt(t *testing.T) {
	t.Parallel()
	d := sit(t, setting{script: "\n- {match: {node: orchestrator}, reply: {json: {action: done, reason: It is there already.}}}"})
	const task = "add Sub"
	ask := func(node string) (result api.ContextResult, err error) {
		err = d.execute(api.Context, api.ContextArgs{Text: task, Node: node}, &result)
		return result, err
	}
	_, err := ask("orchestrator")
	require.ErrorContains(t, err, "not trusted")
	require.NoError(t, d.engine.Trust(d.root))
	d.Open(d.uri("AGENTS.md"), "markdown", "Never saved: use tabs.\n")

	shown, err := ask("orchestrator")
	require.NoError(t, err)
	require.NotNil(t, shown.Prompt)
	require.Empty(t, d.script.Requests(), "no model was asked")
	_, err = d.run(api.RunArgs{Task: task})
	require.NoError(t, err)
	sent := d.script.Requests()
	require.Len(t, sent, 1)
	require.Len(t, shown.Prompt.Messages, len(sent[0].Messages))
	for i, m := range sent[0].Messages {
		require.Equal(t, api.PromptMessage{Role: string(m.Role), Text: m.Text, Stable: m.Stable}, shown.Prompt.Messages[i])
	}
	require.Contains(t, shown.Prompt.Messages[1].Text, "Never saved: use tabs.")

	_, err = ask("nobody")
	require.ErrorContains(t, err, `there is no node "nobody"`)
	require.ErrorContains(t, d.execute(api.Context, api.ContextArgs{Node: "spec"}, nil), "Say what is to be done")
}

func TestServer_ListsSkillsOfATrustedFolder(t *testing.T) {
	t.Parallel()
	d := sit(t, setting{})
	var found api.SkillsResult
	require.NoError(t, d.execute(api.ListSkills, api.SkillsArgs{}, &found))
	require.True(t, found.Untrusted)
	require.NoError(t, d.engine.Trust(d.root))
	require.NoError(t, d.execute(api.ListSkills, api.SkillsArgs{Type: "code"}, &found))
	require.Empty(t, found.Skills)
}
