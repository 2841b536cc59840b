package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/internal/testkit"
)

// A run reports once that it waits until an Ollama has loaded the model; with a server that loads nothing it reports
// nothing.
func TestWarmUp_ReportsOnceThatTheModelLoads(t *testing.T) {
	t.Parallel()
	overOllama := func(w *world) {
		i := slices.IndexFunc(w.environ, func(e string) bool { return strings.HasPrefix(e, "FORGE_BASE_URL=") })
		_, url, _ := strings.Cut(w.environ[i], "=")
		w.environ = changed(w.environ, []string{"FORGE_BASE_URL", "OLLAMA_HOST=" + url, "FORGE_MODEL=ollama/scripted"})
	}
	for name, c := range testkit.SampleMap(1, map[string]struct {
		by   func(w *world)
		want []string // the nodes that waited
	}{
		"by Ollama's API": {overOllama, []string{"orchestrator"}},
		"by OpenAI's API": {func(*world) {}, nil},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, whole+"\nwindow: 65536", sumModule())
			c.by(w)
			code, stdout, stderr := w.run("run", "--trust", "--yes", "--json", "add Add")
			require.Zero(t, code, stdout+stderr)
			list, _ := events(t, stdout)
			var loading, loaded []string
			for _, e := range list {
				var warmed struct{ Node, Model, Failure string }
				switch e.Type {
				case "warming":
					require.NoError(t, json.Unmarshal(e.Data, &warmed))
					require.Contains(t, warmed.Model, "scripted")
					loading = append(loading, warmed.Node)
				case "warmed":
					require.NoError(t, json.Unmarshal(e.Data, &warmed))
					require.Empty(t, warmed.Failure)
					loaded = append(loaded, warmed.Node)
				}
			}
			require.Equal(t, c.want, loading)
			require.Equal(t, c.want, loaded)
			require.Equal(t, len(c.want), strings.Count(w.journal.String(), "scripted is loaded"), "an empty call of the server's own")
			id := asked[api.RunsResult](w, "runs").Runs[0].RunID
			_, stdout, _ = w.run("log", id)
			require.Equal(t, len(c.want), strings.Count(stdout, "model: loading scripted"), stdout)
			w.played()
		})
	}
}
