package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/config"
)

const ownRules = `
permissions:
  - {tool: run_command, match: "npm test **", answer: allow}
  - {tool: "web.*", answer: ask}
`

func TestPermissions_OfTheUser(t *testing.T) {
	t.Parallel()
	s := harness{user: ownRules}.load(t)
	require.NoError(t, s.Err)
	require.Empty(t, said(s))
	require.Equal(t, []config.PermissionRule{
		{Tool: "run_command", Match: "npm test **", Answer: "allow", Source: "permissions[0] in config.yaml"},
		{Tool: "web.*", Answer: "ask", Source: "permissions[1] in config.yaml"},
	}, s.Permissions)
}

func TestPermissions_IgnoresFolderSettings(t *testing.T) {
	t.Parallel()
	s := harness{project: ownRules}.load(t)
	require.Empty(t, s.Permissions)
	require.Contains(t, said(s), `"permissions" is refused: a folder cannot set which calls of tools need your consent`)
}

// An invalid rule could have denied something, so nothing runs until it is corrected.
func TestPermissions_InvalidRuleStopsRuns(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"permissions: [{tool: run_command, answer: never}]", "permissions: [{match: x, answer: deny}]", "permissions: [{tool: run_command}]",
		"permissions: {deny: [git]}", "permissions: deny", "permissions: [{tool: run_command, anser: deny, answer: deny}]", "permissions: [git push]",
	} {
		require.Error(t, harness{user: text}.load(t).Err, text)
	}
}
