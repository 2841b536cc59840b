package gate

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

type lacking struct {
	seer
	missing Missing
}

func (l lacking) Preflight(context.Context, Tree) Missing { return l.missing }

func TestMissing_IsOneSentenceForEachCommand(t *testing.T) {
	t.Parallel()
	npm := func(program, dir string) Missing { return Missing{Program: program, Install: "npm install", Dir: dir} }
	require.Equal(t, []string{
		"eslint, prettier and tsc are not installed; `npm install` installs them",
		"ruff is not installed; `python -m pip install ruff` installs it",
		"eslint is not installed; `npm install` in web/ui installs it",
		"cargo is not installed; see https://rustup.rs",
		"make is not installed",
	}, Sentences([]Missing{
		npm("eslint", ""), {}, {Program: "ruff", Install: "python -m pip install ruff"}, npm("prettier", ""), npm("eslint", "web/ui"), npm("tsc", ""),
		{Program: "cargo", Install: "https://rustup.rs"}, npm("eslint", ""), {Program: "make"},
	}))
	root := Missing{Program: "lodash", Install: "npm ci", Dir: "../.."}
	require.Equal(t, []string{"lodash and chalk are not installed; `npm ci` installs them"}, Sentences([]Missing{root.within("packages/cli"), {Program: "chalk", Install: "npm ci"}}))
	require.Empty(t, Sentences([]Missing{{}, {}}))
	require.Empty(t, Missing{}.String())
}

func TestPreflight_KnowsTheFolder(t *testing.T) {
	t.Parallel()
	g := lacking{seer{new(string)}, Missing{Program: "ruff", Install: "pip install ruff"}}
	require.Equal(t, "ruff is not installed; `pip install ruff` in api installs it", Preflight(t.Context(), In("api", g), root("/tree")).String())
	require.Equal(t, "ruff is not installed; `pip install ruff` installs it", Preflight(t.Context(), In("", g), root("/tree")).String())
	require.False(t, Preflight(t.Context(), In("api", seer{}), root("/tree")).Is(), "a gate that starts no program")
	var report Report
	g.missing.NotRun(&report)
	require.Equal(t, Report{Missing: "ruff", Install: "pip install ruff", Summary: "ruff is not installed; `pip install ruff` installs it"}, report)
}
