package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// With a node, forge.context shows what the model is sent first in the run, buffers that are not saved included.
func TestContext_OfANodeIsTheSentPrompt(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: "\n- {match: {node: orchestrator}, reply: {json: {action: done, reason: It is there already.}}}"})
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
	require.ErrorContains(t, d.execute(api.Context, api.ContextArgs{Node: "spec"}, nil), "Describe the task")
}

func TestServer_ListsSkillsOfATrustedFolder(t *testing.T) {
	t.Parallel()
	d := start(t, setting{})
	var found api.SkillsResult
	require.NoError(t, d.execute(api.ListSkills, api.SkillsArgs{}, &found))
	require.True(t, found.Untrusted)
	require.NoError(t, d.engine.Trust(d.root))
	require.NoError(t, d.execute(api.ListSkills, api.SkillsArgs{Type: "code"}, &found))
	require.Empty(t, found.Skills)
}

// An editor sees the agents, what is wrong with files of agents, and what a run had an agent find out: a failed errand as failed, in the
// events and in the list.
func TestServer_ShowsAgentsAndErrands(t *testing.T) {
	t.Parallel()
	d := start(t, setting{params: rich, script: `
- {match: {node: orchestrator, attempt: 1, contains: ["auditor: Looks"]}, reply: {json: {action: delegate, agent: auditor, task: "Why?", reason: it matters}}}
- {match: {node: delegate-1/subagent, contains: ["Trust nothing."]}, reply: {json: {action: error, requests: [], result: Nobody knows.}}}
- {match: {node: orchestrator, attempt: 2}, reply: {json: {action: done, reason: It is there already.}}}`})
	require.NoError(t, d.engine.Trust(d.root))
	own := filepath.Join(d.root, ".forge", "agents")
	require.NoError(t, os.MkdirAll(own, 0o755))
	for name, text := range map[string]string{"auditor.md": "---\ndescription: Looks\n---\nTrust nothing.\n", "bad.md": "---\ndescription: d\ntools: [fly]\n---\nx\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(own, name), []byte(text), 0o600))
	}
	found := ask[api.AgentsResult](d, api.ListAgents, api.FolderArgs{})
	require.Len(t, found.Agents, 7)
	require.Equal(t, []api.AgentProblem{{Source: ".forge/agents/bad.md", Line: 3, Column: 9, Reason: found.Problems[0].Reason}}, found.Problems)
	require.Equal(t, "Trust nothing.", ask[api.AgentResult](d, api.ShowAgent, api.AgentArgs{Name: "auditor"}).Instructions)
	require.ErrorContains(t, d.execute(api.ShowAgent, api.AgentArgs{Name: "nobody"}, nil), `there is no agent "nobody"`)

	run, err := d.run(api.RunArgs{Task: "add Sub"})
	require.NoError(t, err)
	d.Expect(api.EventMethod, func(params []byte) bool {
		return strings.Contains(string(params), `"type":"errand"`) && strings.Contains(string(params), `"state":"failed"`) && strings.Contains(string(params), "Nobody knows.")
	})
	errands := ask[api.ErrandsResult](d, api.ListErrands, api.ErrandsArgs{RunID: run.RunID}).Errands
	require.Len(t, errands, 1)
	require.Equal(t, []string{"auditor", "failed", "Nobody knows."}, []string{errands[0].Agent, errands[0].Status, errands[0].Result})
}
