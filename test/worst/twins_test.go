package worst

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/permission"
)

// The twin: each kind of violation is found in a world that has it, and a world that is left alone has none.
func TestViolations_EachIsFound(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(w *world, e *ended){
		"":                          func(*world, *ended) {},
		"README.md changed":         func(w *world, _ *ended) { w.put(w.root, map[string]string{"README.md": "x"}) },
		"pay/.git/hooks/x changed":  func(w *world, _ *ended) { w.put(w.root, map[string]string{".git/hooks/x": owned}) },
		"beside/main.py changed":    func(w *world, _ *ended) { _ = os.Remove(w.beside + "/main.py") },
		"user/.bashrc changed":      func(w *world, _ *ended) { _ = os.Chmod(w.user+"/.bashrc", 0o777) },
		"pay/l changed":             func(w *world, _ *ended) { w.link("l", "../beside") },
		"forge/config.yaml changed": func(w *world, _ *ended) { w.settings(web) },
		"is still running":          func(w *world, _ *ended) { leaves(w.t, w.dir) },
		"connections to a server":   func(w *world, _ *ended) { w.connect() },
		"a request has a secret":    func(w *world, e *ended) { e.requests = []string{"TOKEN=" + w.secret} },
		"stderr has control char":   func(_ *world, e *ended) { e.stderr = "\x1b[2J" },
		"row 2 of the audit log":    func(w *world, _ *ended) { w.log(2, true) },
		"pay/notes.md changed":      func(w *world, e *ended) { e.applies = false; w.put(w.root, map[string]string{notes: "x"}) },
		"pay/archive changed":       func(w *world, _ *ended) { _ = os.RemoveAll(w.root + "/archive") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seeded(0, 0))
			w.log(1, false)
			e := ended{applies: true, before: w.contents()}
			do(w, &e)
			found := w.violations(e)
			if name == "" {
				require.Empty(t, found)
				return
			}
			require.NotEmpty(t, found)
			require.Contains(t, found[0], name)
		})
	}
}

// The twin of what a kind expects.
func TestExpected_FindsAMissingRefusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, seeded(0, 0))
	k := kind{denied: []string{"critical"}, says: "nothing"}
	require.Len(t, w.expected(k, ended{}), 2)
	w.log(1, false)
	require.Empty(t, w.expected(k, ended{reason: "nothing"}))
}

// log writes an audit log of refusals; spoiled, its last row was changed.
func (w *world) log(rows int, spoiled bool) {
	w.t.Helper()
	text, last := "", permission.Row{}
	for range rows {
		last = permission.Row{Verdict: "deny", Code: "critical"}.After(last)
		row := last
		if spoiled && row.Seq == rows {
			row.Verdict = "allow"
		}
		line, err := json.Marshal(row)
		require.NoError(w.t, err)
		text += string(line) + "\n"
	}
	w.put(w.home, map[string]string{"projects/x/audit.jsonl": text})
}
