package repomap_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/codeintel/repomap"
)

var app = map[string]string{
	"go.mod":         "module app\n",
	"main.go":        "package main\nfunc main() { serve.Run(options()) }\n",
	"options.go":     "package main\nfunc options() serve.Options { return serve.Options{} }\n",
	"unrelated.go":   "package main\nfunc unrelated() {}\n",
	"serve/serve.go": "package serve\nfunc Run(o Options) error { return store.Open(o.Path) }\n",
	"serve/tls.go":   "package serve\nfunc TLS(cert string) {}\n",
	"serve/opt.go":   "package serve\ntype Options struct { Path string }\n",
	"store/store.go": "package store\nfunc Open(path string) error { return nil }\nfunc Close() {}\n",
	"cmd/cmd.go":     "package cmd\nfunc Execute() {}\n",
	"docs/index.md":  "# App\n",
}

var appImports = importsOf{
	"main.go":        {"serve/serve.go", "serve/tls.go", "serve/opt.go"},
	"options.go":     {"serve/serve.go", "serve/tls.go", "serve/opt.go"},
	"serve/serve.go": {"store/store.go"},
	"cmd/cmd.go":     {"main.go"},
}

// table shows a pack: a line for each section, then what did not fit.
func table(p repomap.Pack) string {
	var b strings.Builder
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "%d %s: %s %s %d\n", s.Tier, s.Name, s.How, s.Path, s.Tokens)
	}
	for _, path := range p.Left {
		fmt.Fprintf(&b, "left %s\n", path)
	}
	return b.String()
}

func TestPack_FillsItsBudget(t *testing.T) {
	t.Parallel()
	targets := func(budget int, paths ...string) repomap.Request {
		return repomap.Request{Budget: budget, Targets: paths}
	}
	found := targets(110)
	found.Open, found.Hits = []string{"docs/index.md", "main.go"}, hits("store/store.go", "docs/index.md", "serve/opt.go", "cmd/cmd.go")
	tests := []struct {
		name    string
		request repomap.Request
		want    string
	}{
		{"nothing", targets(0, "main.go"), "left main.go\nleft options.go\nleft serve/serve.go\n"},
		{"no targets: a map", targets(8), "4 map: map  6\n"},
		{"what the target uses in full, what is around that as signatures, the rest of its own package in the map", targets(1000, "main.go"), `1 target: full main.go 15
2 direct dependency: full options.go 20
2 direct dependency: full serve/serve.go 22
3 transitive dependency: signatures serve/opt.go 12
3 transitive dependency: signatures serve/tls.go 8
3 transitive dependency: signatures store/store.go 12
3 transitive dependency: signatures cmd/cmd.go 6
4 map: map  12
`},
		{"what is too large in full shows its signatures, what is too large for that is left", targets(60, "main.go"), `1 target: full main.go 15
2 direct dependency: signatures options.go 9
3 transitive dependency: signatures cmd/cmd.go 6
4 map: map  29
left serve/serve.go
`},
		{"a target that does not fit at all is a path", targets(2, "main.go"), "1 target: path main.go 2\nleft options.go\nleft serve/serve.go\n"},
		{"without targets, what is open in front and found first", found, `1 target: full docs/index.md 5
1 target: full store/store.go 23
1 target: full serve/opt.go 16
3 transitive dependency: signatures serve/serve.go 9
3 transitive dependency: signatures main.go 4
3 transitive dependency: signatures options.go 9
4 map: map  23
`},
		{"a target that is gone is none", targets(8, "gone.go"), "4 map: map  6\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := repomap.NewMapper(viewOf(app), appImports).Pack(test.request)
			require.Empty(t, cmp.Diff(test.want, table(got)))
		})
	}
}

func TestPack_Text(t *testing.T) {
	t.Parallel()
	pack := repomap.NewMapper(viewOf(app), appImports).Pack(repomap.Request{Budget: 1000, Targets: []string{"serve/serve.go"}})
	texts := map[string]string{}
	for _, s := range pack.Sections {
		texts[string(s.How)+" "+s.Path] = s.Text
	}
	require.Empty(t, cmp.Diff(map[string]string{
		"full serve/serve.go":   app["serve/serve.go"],
		"full serve/opt.go":     app["serve/opt.go"],
		"full store/store.go":   app["store/store.go"],
		"signatures main.go":    "main()\n",
		"signatures options.go": "options() serve.Options\n",
		"map ":                  "serve/tls.go\n  TLS(cert string)\ncmd/cmd.go\n  Execute()\ndocs/index.md\ngo.mod\nunrelated.go\n  unrelated()\n",
	}, texts))
}

// ways orders how much of a file is shown.
var ways = map[repomap.How]int{repomap.OnlyPath: 1, repomap.Signatures: 2, repomap.Full: 3}

func TestPack_FitsAndGrows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v, imports := drawnView(t)
		request := drawnRequest(t, v)
		for range rapid.IntRange(0, 3).Draw(t, "targets") {
			if len(v.documents) > 0 {
				request.Targets = append(request.Targets, rapid.SampledFrom(v.documents).Draw(t, "target").Path)
			}
		}
		budget := rapid.OneOf(rapid.IntRange(0, 300), rapid.IntRange(0, 20_000))
		request.Budget = budget.Draw(t, "budget")
		mapper := repomap.NewMapper(v, imports)
		small := mapper.Pack(request)
		checkPack(t, small, request.Budget)
		require.Equal(t, small, repomap.NewMapper(v, imports).Pack(request), "the same request gives the same pack")
		request.Budget += budget.Draw(t, "more")
		large := mapper.Pack(request)
		checkPack(t, large, request.Budget)
		requireNoLess(t, small, large)
	})
}

// checkPack fails unless a pack fits, its tokens are true, and no file is in it twice.
func checkPack(t require.TestingT, pack repomap.Pack, budget int) {
	sum, seen := 0, map[string]bool{}
	tier := repomap.TierTarget
	for _, s := range pack.Sections {
		require.GreaterOrEqual(t, s.Tier, tier, "sections are ordered by tier")
		tier = s.Tier
		text := s.Text
		if s.Path != "" {
			text = s.Path + "\n" + s.Text
		}
		require.Equal(t, repomap.Tokens(text), s.Tokens)
		sum += s.Tokens
		paths := []string{s.Path}
		if s.How == repomap.InMap {
			paths = slices.DeleteFunc(strings.Split(strings.TrimSpace(s.Text), "\n"), func(line string) bool { return strings.HasPrefix(line, "  ") })
		}
		for _, path := range paths {
			require.False(t, seen[path], path)
			seen[path] = true
		}
	}
	require.Equal(t, sum, pack.Tokens)
	require.LessOrEqual(t, pack.Tokens, budget)
}

// requireNoLess fails if the first file of which less is shown in large stands before all of which more is shown.
func requireNoLess(t require.TestingT, small, large repomap.Pack) {
	before, after := map[string]int{}, map[string]int{}
	var order []string
	for _, p := range []struct {
		pack repomap.Pack
		how  map[string]int
	}{{large, after}, {small, before}} {
		for _, s := range p.pack.Sections {
			if s.Tier < repomap.TierMap {
				p.how[s.Path] = ways[s.How]
				order = append(order, s.Path)
			}
		}
	}
	for _, path := range order { // those of large first: a file that only small has must come after one that grew
		if after[path] > before[path] {
			return
		}
		require.Equal(t, before[path], after[path], path)
	}
}
