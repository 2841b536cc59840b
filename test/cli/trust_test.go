package cli

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A question needs no more than that models may read the folder: nothing of it is executed, not for a model that asks for it either.
func TestTrustCommand_HasTwoLevels(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- {match: {node: answer}, times: -1, reply: {text: "It divides."}}`, payments())
	code, _, said := w.run("ask", "--trust", "what does this do?")
	require.Zero(t, code, said)
	code, out, said := w.run("trust", "list")
	require.Zero(t, code, said)
	require.Regexp(t, `(?m)^read +`+w.root+`$`, out)

	code, _, said = w.run("validate")
	require.Equal(t, 3, code)
	require.Contains(t, said, "the folder is not trusted, so nothing in it was run")
	code, _, said = w.run("explore", "lint_check")
	require.NotZero(t, code)
	require.Contains(t, said, "which you have not trusted yet: a run asks you")

	code, _, said = w.run("trust")
	require.Zero(t, code, said)
	require.Contains(t, said, "the compilers and tests of "+w.root+" may run")
	code, _, said = w.run("ask", "--trust", "what does this do?")
	require.Zero(t, code, said)
	code, out, _ = w.run("trust", "list", "--json")
	require.Zero(t, code)
	require.JSONEq(t, `{"folders": [{"folder": "`+w.root+`", "level": "execute", "gone": false}]}`, out, "a question takes nothing from it")
	code, _, said = w.run("trust", "--read")
	require.Zero(t, code, said)
	_, out, _ = w.run("trust", "list")
	require.Contains(t, out, "read")

	code, _, said = w.run("untrust")
	require.Zero(t, code, said)
	require.Contains(t, said, w.root+" is no longer trusted")
	code, _, said = w.run("untrust")
	require.Equal(t, 1, code)
	require.Contains(t, said, "is not trusted. forge trust list shows the trusted folders")
	code, _, _ = w.run("ask", "what does this do?")
	require.Equal(t, 3, code)

	occupied := w.command(t.Context(), "trust")
	occupied.Env = append(occupied.Env, "FORGE_HOME="+filepath.Join(w.root, "go.mod"))
	code, _, said = execute(t, occupied)
	require.Equal(t, 1, code)
	require.Contains(t, said, "record trust in "+w.root)
	require.NotContains(t, said, "may run", "it is not trusted")
}

// The path of Forge's own folder may have characters that have a meaning in patterns.
func TestHome_MayHaveBracketsInItsName(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- {match: {node: answer}, times: -1, reply: {text: "It divides."}}`, payments())
	w.environ = append(w.environ, "FORGE_HOME="+filepath.Join(t.TempDir(), "home[x]"))
	code, _, said := w.run("ask", "--trust", "what does this do?")
	require.Zero(t, code, said)
	for _, list := range [][]string{{"trust", "list"}, {"projects"}} {
		code, out, said := w.run(list...)
		require.Zero(t, code, said)
		require.Contains(t, out, w.root, list)
	}
	code, out, said := w.run("conversations")
	require.Zero(t, code, said)
	require.Contains(t, out, "what does this do?")
}
