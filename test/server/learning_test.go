package server

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// An editor lists, prunes and clears what was learned, and lists playbooks and the tasks of a period, as the terminal does.
func TestServer_LearningPlaybooksAndHistory(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: refuses, params: rich})
	require.NoError(t, d.engine.Trust(d.root))
	imported := ask[api.MemoryImportResult](d, api.ImportMemory, api.MemoryImportArgs{Text: `{"kind":"pattern","category":"convention","pattern":"eslint: no-var","fix":"in a.js, add let","source":{"origin":"gate"}}
{"kind":"playbook","title":"Add a route","content":"Begin with its test.","tags":["api"],"source":{"origin":"user"}}
`})
	require.Equal(t, 2, imported.Added)
	require.Len(t, ask[api.MemoryResult](d, api.ListMemory, api.MemoryListArgs{Category: "convention"}).Rows, 1)
	require.Empty(t, ask[api.MemoryResult](d, api.ListMemory, api.MemoryListArgs{Category: "dependency"}).Rows)
	require.ErrorContains(t, d.execute(api.ListMemory, api.MemoryListArgs{Category: "tool_usage"}, nil), "is not allowed")
	require.InDelta(t, 0.5, ask[api.MemoryResult](d, api.ShowDecay, api.MemoryScopeArgs{}).Rows[0].Counted, 1e-9)
	require.Equal(t, 1, ask[api.MemoryCount](d, api.IndexMemory, api.MemoryScopeArgs{}).Rows)
	require.Len(t, ask[api.PruneResult](d, api.PruneMemory, api.PruneArgs{Below: 0.6, DryRun: true}).Patterns, 1)

	require.ErrorContains(t, d.execute(api.ClearLearning, api.ClearLearningArgs{}, nil), "yes: must be true")
	require.Equal(t, 1, ask[api.MemoryCount](d, api.ClearLearning, api.ClearLearningArgs{Yes: true}).Rows)
	require.Empty(t, ask[api.MemoryResult](d, api.ShowDecay, api.MemoryScopeArgs{}).Rows)
	require.Equal(t, []string{"api"}, ask[api.MemoryResult](d, api.Playbooks, api.PlaybooksArgs{ID: "add a route"}).Rows[0].Tags)
	require.Empty(t, ask[api.ExtractResult](d, api.Extract, api.ExtractArgs{}).Playbooks, "there was no run yet")

	run, err := d.run(api.RunArgs{Task: "add Sub"})
	require.NoError(t, err)
	found := ask[api.HistoryResult](d, api.TaskHistory, api.HistoryArgs{Period: "2 days"}).Tasks
	require.Len(t, found, 1)
	require.Equal(t, run.RunID, found[0].RunID)
	require.Empty(t, ask[api.HistoryResult](d, api.TaskHistory, api.HistoryArgs{Period: "2020-01"}).Tasks)
	require.ErrorContains(t, d.execute(api.TaskHistory, api.HistoryArgs{Period: "soon"}, nil), "period: must be one of today")
}
