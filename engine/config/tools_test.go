package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/config"
)

const ownTools = `
tools: {commands: [[go, generate], ["npm", "run", "codegen"]]}
web: {allowed: true, hosts: [pkg.go.dev, "*.example.com", 10.0.0.1, "2001:db8::1"], search: "https://search.example/?q={query}"}
`

func TestTools_OfTheUser(t *testing.T) {
	t.Parallel()
	s := harness{user: ownTools}.load(t)
	require.Empty(t, said(s))
	require.Equal(t, config.Tools{Commands: [][]string{{"go", "generate"}, {"npm", "run", "codegen"}}}, s.Tools)
	require.Equal(t, config.Web{Allowed: true, Hosts: []string{"pkg.go.dev", "*.example.com", "10.0.0.1", "2001:db8::1"}, Search: "https://search.example/?q={query}"}, s.Web)
	require.Empty(t, harness{}.load(t).Web)
}

// A folder lets models start nothing and read nothing.
func TestTools_IgnoresFolderSettings(t *testing.T) {
	t.Parallel()
	s := harness{project: ownTools}.load(t)
	require.Empty(t, s.Tools)
	require.Empty(t, s.Web)
	for _, key := range []string{"tools", "web"} {
		require.Contains(t, said(s), `"`+key+`" is refused: a folder cannot set which commands models may start, and what they may read from the web`)
	}
}

// An invalid setting allows nothing: no command, and no host.
func TestTools_RejectsInvalidSettings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"tools: {commands: [go, generate]}":                  "use a list",
		"tools: {commands: [[]]}":                            "a command is a list of words, none of them empty",
		`tools: {commands: [["${NOT_SET}"]]}`:                "a command is a list of words, none of them empty",
		"tools: {shell: true}":                               `unknown setting "shell"; the settings here are commands`,
		"web: {allowed: maybe}":                              "use true or false",
		"web: {hosts: [pkg.go.dev]}":                         "has no effect: also set allowed: true",
		"web: {allowed: true, hosts: pkg.go.dev}":            "use a list",
		"web: {allowed: true, hosts: [https://pkg.go.dev/]}": `"https://pkg.go.dev/" is not a host name, so nothing is read from the web`,
		"web: {allowed: true, hosts: []}":                    "web.hosts in",
		`web: {allowed: true, hosts: ["*"]}`:                 `"*" is not a host name`,
		`web: {allowed: true, hosts: ["${NOT_SET}"]}`:        `"" is not a host name`,
	} {
		s := harness{user: text}.load(t)
		require.Contains(t, said(s), want, text)
		for _, argv := range s.Tools.Commands {
			require.NotEmpty(t, argv, text)
		}
		require.False(t, s.Web.Allowed, text)
	}
	for _, search := range []string{"http://search.example/?q={query}", "https://search.example/", "{query}"} {
		s := harness{user: "web: {allowed: true, search: \"" + search + "\"}"}.load(t)
		require.Contains(t, said(s), "web.search in ", search)
		require.Empty(t, s.Web.Search, search)
	}
}
