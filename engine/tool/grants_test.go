package tool

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGrants_RefuseCommands(t *testing.T) {
	t.Parallel()
	g := Grants{Commands: [][]string{{"go", "generate"}, {"make"}, {"make", "-C", "/opt/gen"}, {"cc", "-I/usr/include"}}}
	for name, c := range map[string]struct {
		argv []string
		says string // empty is that it may be started
	}{
		"as it stands":           {[]string{"go", "generate"}, ""},
		"with more":              {[]string{"go", "generate", "-x", "./...", "--out=a/b", "HEAD", "a..b", "k=v", "@scope/pkg"}, ""},
		"another command":        {[]string{"go", "run", "x"}, "go run x is not among the commands that the user allows (tools.commands in their settings): go generate; make"},
		"a part of it":           {[]string{"go"}, "is not among"},
		"words in one":           {[]string{"go generate"}, `"go generate" is not among`},
		"another path of it":     {[]string{"./go", "generate"}, "is not among"},
		"an absolute path":       {[]string{"make", "/etc/passwd"}, "/etc/passwd leads out of the tree"},
		"one of the user's":      {[]string{"make", "-C", "/opt/gen", "all"}, ""},
		"one like the user's":    {[]string{"make", "-C", "/opt/gen2"}, "leads out"},
		"up":                     {[]string{"make", ".."}, "leads out"},
		"up from below":          {[]string{"make", "a/../../b"}, "leads out"},
		"up behind a sign":       {[]string{"make", "--file=../x"}, "leads out"},
		"up behind an option":    {[]string{"make", "-C../x"}, "leads out"},
		"absolute, after a sign": {[]string{"make", "OUT=/tmp/x"}, "leads out"},
		"absolute, a letter":     {[]string{"make", "-f/tmp/x"}, "leads out"},
		"a file's URL":           {[]string{"make", "file:///etc/passwd"}, "leads out"},
		"of another list":        {[]string{"make", "a:/b"}, "leads out"},
		"a home":                 {[]string{"make", "~/x"}, "leads out"},
		"a drive":                {[]string{"make", `C:\x`}, "leads out"},
		"up, as on Windows":      {[]string{"make", `a\..\..\b`}, "leads out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			says := g.RefusesCommand(c.argv)
			if c.says == "" {
				require.Empty(t, says)
			} else {
				require.Contains(t, says, c.says)
			}
		})
	}
	require.Contains(t, Grants{}.RefusesCommand([]string{"ls"}), "the user's settings name none in tools.commands")
}

func TestGrants_SettingsRefuse(t *testing.T) {
	t.Parallel()
	listed := WebGrant{Allowed: true, Searches: true, Hosts: []string{"pkg.go.dev", "*.example.com"}}
	for name, c := range map[string]struct {
		grant      WebGrant
		tool, args string
		says       string
	}{
		"by default":              {WebGrant{}, "web.fetch", `{"url":"https://go.dev"}`, "unless the user's settings say web: {allowed: true}"},
		"offline":                 {WebGrant{Allowed: true, Offline: true}, "web.browse", `{"url":"https://go.dev"}`, "Forge is offline"},
		"any host":                {WebGrant{Allowed: true}, "web.fetch", `{"url":"https://go.dev"}`, ""},
		"one that is listed":      {listed, "web.fetch", `{"url":"https://PKG.go.dev:443/x"}`, ""},
		"one below":               {listed, "web.browse", `{"url":"https://a.b.example.com"}`, ""},
		"only what is below":      {listed, "web.fetch", `{"url":"https://example.com"}`, "example.com is not among the hosts"},
		"one that ends like it":   {listed, "web.fetch", `{"url":"https://evilpkg.go.dev"}`, "evilpkg.go.dev is not among the hosts that the user allows (web.hosts in their settings: pkg.go.dev, *.example.com)"},
		"its name in a user":      {listed, "web.fetch", `{"url":"https://pkg.go.dev@evil.example"}`, "evil.example is not among"},
		"a search":                {listed, "web.search", `{"query":"x"}`, ""},
		"a search without a URL":  {WebGrant{Allowed: true}, "web.search", `{"query":"x"}`, "have no web.search"},
		"what it has no say in":   {WebGrant{}, "read_file", `{"path":"x"}`, ""},
		"arguments that are none": {listed, "web.fetch", `[]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool, _ := All().Named(c.tool)
			says := Grants{Web: c.grant}.Refuses(tool, json.RawMessage(c.args))
			if c.says == "" {
				require.Empty(t, says)
			} else {
				require.Contains(t, says, c.says)
			}
		})
	}
}

// A tool's description tells the model its grants.
func TestGrants_AreDescribedToModels(t *testing.T) {
	t.Parallel()
	none := Tools().With(Grants{}).Describe()
	for _, name := range []string{"run_command(argv)", "web.search(query)", "web.fetch(url, start?)", "web.browse(url, query?)"} {
		require.Contains(t, none, "- "+name+": Switched off.")
	}
	all := Tools().With(Grants{Commands: [][]string{{"go", "generate"}, {"make", "a b"}}, Web: WebGrant{Allowed: true, Hosts: []string{"go.dev"}}}).Describe()
	require.Contains(t, all, `What begins with one of these may be run: go generate; make "a b".`)
	require.Contains(t, all, "from line start on. Only of go.dev.")
	require.Contains(t, all, "- web.search(query): Switched off.")
	require.NotContains(t, Tools().Describe(), "Switched off", "the tables are as they were")
}
