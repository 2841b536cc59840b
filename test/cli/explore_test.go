package cli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExploreCommand_AnswersEachTool(t *testing.T) {
	t.Parallel()
	w := openShop(t)
	w.put(map[string]string{"web/tax.ts": "export function vat(net: number): number {\n  return net * 2;\n}\n"})
	before := fingerprint(t, w.root)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a file":       {[]string{"read_file", "web/tax.ts", "start=2", "end=2"}, "web/tax.ts, lines 2 to 2 of 3:\n  return net * 2;\n"},
		"a search":     {[]string{"search_code", "sales by region"}, "tools/report.py:3:         return 'sales by region'\n"},
		"symbols":      {[]string{"symbol_list", "web/cart.ts"}, "4: class Cart"},
		"imports":      {[]string{"import_graph", "web/tax.ts"}, "web/tax.ts is imported by:\n  web/cart.ts\n"},
		"history":      {[]string{"git_log", "limit=1"}, "Correct the rounding of pennies\n    web/tax.ts\n"},
		"differences":  {[]string{"git_diff"}, "-  return net;\n+  return net * 2;\n"},
		"what matters": {[]string{"discover_context", "send a request again"}, "http/client.go"},
		"a map":        {[]string{"repo_map", "send a request again"}, "http/client.go"},
		"runs":         {[]string{"past_runs"}, "there was no run in this folder before\n"},
		"playbooks":    {[]string{"playbooks", "go"}, "there is no playbook for that\n"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := w.run(append([]string{"explore"}, c.args...)...)
			require.Zero(t, code, stderr)
			require.Contains(t, stdout, c.want)
		})
	}
	require.Equal(t, before, fingerprint(t, w.root), "nothing is written into the folder")

	code, stdout, stderr := w.run("explore", "--json", "read_file", "logo.png")
	require.Equal(t, 1, code, stderr)
	var said struct {
		Provider, Text string
		Failed, Cut    bool
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &said))
	require.True(t, said.Failed)
	require.Contains(t, said.Text, "logo.png is no text")

	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"nothing":           {nil, 2, "the provider is missing"},
		"no provider":       {[]string{"rm"}, 2, `there is no "rm" here`},
		"a wrong argument":  {[]string{"git_log", "limit=ten"}, 2, "want a number"},
		"a file outside":    {[]string{"read_file", "../secret"}, 1, "leaves the root"},
		"an untrusted test": {[]string{"run_tests"}, 1, "which you have not trusted yet"},
	} {
		code, _, stderr := w.run(append([]string{"explore"}, c.args...)...)
		require.Equal(t, c.code, code, name)
		require.Contains(t, stderr, c.want, name)
	}
}

// What is cut of a file or of a search says how to go on, with lines as they are numbered in the file, and what was left out.
func TestExploreCommand_SaysHowToGoOn(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, nil)
	var long strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&long, "line %d of many\n", i+1)
	}
	w.put(map[string]string{"a.txt": long.String(), "b.txt": "one line of many\n"})
	code, first, stderr := w.run("explore", "read_file", "a.txt")
	require.Zero(t, code, stderr)
	next := regexp.MustCompile(`cut here: continue with start (\d+)\]`).FindStringSubmatch(first)
	require.NotNil(t, next, first[max(0, len(first)-200):])
	number, err := strconv.Atoi(next[1])
	require.NoError(t, err)
	require.Contains(t, first, fmt.Sprintf("\nline %d of many\n", number-1))
	require.NotContains(t, first, fmt.Sprintf("\nline %d of many\n", number))
	code, second, stderr := w.run("explore", "read_file", "a.txt", "start="+next[1])
	require.Zero(t, code, stderr)
	require.Contains(t, second, fmt.Sprintf("a.txt, lines %d to ", number))
	require.Contains(t, second, fmt.Sprintf(":\nline %d of many\n", number))
	code, found, stderr := w.run("explore", "search_code", "of many")
	require.Zero(t, code, stderr)
	require.Regexp(t, `cut here: \d+ of 2001 matches in 2 files are shown; the others are in a\.txt \(\d+\)`, found)
}

// The same holds for the declarations of a file: none is missing in what is listed from the named line on.
func TestExploreCommand_SaysHowToGoOnWithSymbols(t *testing.T) {
	t.Parallel()
	names := make([]string, 1500)
	for i := range names {
		names[i] = fmt.Sprintf("Step%d", i)
	}
	w := scripted(t, decideExecutor, map[string]string{"many.go": functions(0, names...)})
	listed, start := "", "4"
	for parts := 0; start != ""; parts++ {
		require.Less(t, parts, 20, "parts")
		code, part, stderr := w.run("explore", "symbol_list", "many.go", "start="+start)
		require.Zero(t, code, stderr)
		require.True(t, strings.HasPrefix(part, start+": function "), "a part begins with the declaration that the one before names")
		next := regexp.MustCompile(`\n\[… cut here: continue with start (\d+)\]`).FindStringSubmatch(part)
		listed, start = listed+part, ""
		if len(next) > 0 {
			start = next[1]
		}
		require.True(t, parts > 0 || start != "", "the file is too long for one part")
	}
	for i, name := range names {
		require.Equal(t, 1, strings.Count(listed, fmt.Sprintf("%d: function %s(", 4+5*i, name)), name)
	}
}
