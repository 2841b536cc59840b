package cli

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// holding returns the first request to a model that has a text.
func (p *wiretap) holding(t *testing.T, text string) string {
	t.Helper()
	for _, sent := range p.requests() {
		if strings.Contains(sent, text) {
			return sent
		}
	}
	t.Fatalf("no request has %q", text)
	return ""
}

// sectionOf returns the text of a section of a prompt; empty if the prompt has none of that name.
func sectionOf(sent, name string) string {
	_, rest, _ := strings.Cut(sent, "## "+name+"\n")
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

// orders is a module whose files are too large to be shown: ParseOrder is near the end of one, its test near the end of another, a script and a
// document name it, and many other files have the words of the request.
func orders() map[string]string {
	names, tests := make([]string, 40), strings.Builder{}
	tests.WriteString("package sum\n\nimport \"testing\"\n")
	for i := range names {
		if names[i] = fmt.Sprintf("Step%d", i); i == 35 {
			names[i] = "ParseOrder"
		}
		fmt.Fprintf(&tests, "\nfunc Test%s(t *testing.T) {\n%s}\n", names[i], strings.Repeat(fmt.Sprintf("\tif %s(1) == 1 {\n\t\tt.Fatal(\"%[1]s\")\n\t}\n", names[i]), 20))
	}
	files := maps.Clone(sumModule())
	files["big.go"], files["big_test.go"] = functions(60, names...), tests.String()
	files["other.go"], files["more.go"] = functions(600, "PrintLine", "SumLine", "CheckLine"), functions(600, "PrintPage", "SumPage", "CheckPage")
	files["run.sh"] = "#!/bin/sh\n" + strings.Repeat("echo one more step\n", 300) + "go run ./order ParseOrder \"$1\"\n" + strings.Repeat("echo one more step\n", 300)
	const other = "package pages\n\n// parse%d parses an order, and should leave it as it is: parse, order, leave.\nfunc parse%[1]d(order int) int {\n%s\treturn order\n}\n"
	for i := range 40 {
		files[fmt.Sprintf("pages/leave%d.go", i)] = fmt.Sprintf(other, i, strings.Repeat("\torder++ // leave the order as it is, and parse it\n", 60))
	}
	files["doc.md"] = "# Steps\n\n" + strings.Repeat("A step is a step.\n\n", 300) + "ParseOrder parses an order.\n\n" + strings.Repeat("A step is a step.\n\n", 300)
	return files
}

// The author of a change sees the body of what the request names, and only the new part of the tests that the run has written, however large
// the files are; and the script and the document that name it.
func TestRun_ShowsWhatTheRequestNames(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+`
- match: {node: executor, contains: [You write tests, "## big_test.go (parts)", "func TestParseOrder(t *testing.T) {"]}
  reply: {json: {explanation: t, edits: [{path: big_test.go, search: "func TestStep39(t *testing.T) {", replace: "func TestParseOrderOfNothing(t *testing.T) {\n\tif ParseOrder(0) != 0 {\n\t\tt.Fatal(0)\n\t}\n}\n\nfunc TestStep39(t *testing.T) {"}]}}
- match: {node: executor, contains: [You implement, "## big.go (parts)", "## big_test.go (written by this run)"]}
  reply: {json: {explanation: i, edits: [{path: big.go, search: "func ParseOrder(n int) int {", replace: "func ParseOrder(n int) int {\n\tif n == 0 {\n\t\treturn 0\n\t}"}]}}`+reviewPass, orders())
	wire := w.tap()
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--no-explore", "`ParseOrder` should leave 0 as it is")
	require.Zero(t, code, stdout+stderr)
	w.played()
	sent := wire.holding(t, "You implement a change")
	big := sectionOf(sent, "big.go (parts)")
	at := strings.Count(orders()["big.go"][:strings.Index(orders()["big.go"], "func ParseOrder")], "\n") + 1
	require.Regexp(t, fmt.Sprintf(`\[lines \d+ to \d+ of %d\]\n`, strings.Count(orders()["big.go"], "\n")), big)
	require.True(t, below(t, big, at, "func ParseOrder(n int) int {") && below(t, big, at+60, "\tn = n*3 + 1 // as before"), "the body, below the numbers of its lines")
	tests := sectionOf(sent, "big_test.go (written by this run)")
	require.Contains(t, tests, "+func TestParseOrderOfNothing")
	require.NotContains(t, tests, "func TestStep30", "what is far from the change")
	require.NotContains(t, sent, "## big_test.go\n", "the file as a whole")
	require.Contains(t, sectionOf(sent, "run.sh (parts)"), "go run ./order ParseOrder")
	require.Contains(t, sectionOf(sent, "doc.md (parts)"), "ParseOrder parses an order.")
}

// below reports whether a line of a file is shown below the numbers of the lines that it is among.
func below(t *testing.T, section string, number int, line string) bool {
	t.Helper()
	for _, part := range strings.Split("\n"+section, "\n[lines ")[1:] {
		header, text, _ := strings.Cut(part, "\n")
		var first, last, of int
		_, err := fmt.Sscanf(header, "%d to %d of %d]", &first, &last, &of)
		require.NoError(t, err, header)
		if shown := strings.Split(text, "\n"); first <= number && number <= last {
			return shown[number-first] == line
		}
	}
	return false
}

// timers is a JavaScript project in which a large file has the code to change, and one among large files of tests has a test with the words of
// the request in its title.
func timers() map[string]string {
	const imports = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n\nimport { Core, step%d } from '../src/core.js'\n"
	many := func(n, i int, title string) string {
		return strings.Repeat(fmt.Sprintf("\ntest('%s', () => {\n  assert.notEqual(step%d(1), 1)\n})\n", title, i), n)
	}
	files := map[string]string{"package.json": `{"name": "timers", "version": "1.0.0", "type": "module", "scripts": {"test": "node --test"}}` + "\n"}
	for i := range 60 {
		files["src/core.js"] += fmt.Sprintf("export function step%d(n) {\n%s  return n\n}\n\n", i, strings.Repeat("  n = n * 3 + 1\n", 40))
		files[fmt.Sprintf("test/step%d.test.js", i)] = fmt.Sprintf(imports, i) + many(60, i, "a step")
	}
	files["src/core.js"] += "export class Core {\n  constructor(options) {\n    this.timeout = options.timeout\n  }\n}\n"
	files["test/rules.test.js"] = fmt.Sprintf(imports, 0) + many(300, 0, "a rule") +
		"\ntest('timeout validation in constructor', () => {\n  assert.equal(new Core({ timeout: 5 }).timeout, 5)\n})\n" + many(300, 0, "the last rule")
	return files
}

// The author of tests sees the test whose title has the words of the request, what its file imports, and the end of that file, without asking.
func TestPrompt_ShowsTheTestThatTheRequestNamesByItsTitle(t *testing.T) {
	t.Parallel()
	w, text := scripted(t, whole, timers()), ""
	for _, m := range asked[api.PromptResult](w, "prompt", "--dry-run", "--trust", "the timeout validation in the constructor should refuse 0").Messages {
		text += m.Text
	}
	require.Contains(t, text, "You write tests for a change")
	tests := sectionOf(text, "test/rules.test.js (parts)")
	require.Regexp(t, `^\n<data-[0-9a-f]+>\n\[lines 1 to \d+ of 2408\]\nimport assert`, tests)
	require.Contains(t, tests, "import { Core, step0 } from '../src/core.js'\n")
	require.Contains(t, tests, "test('timeout validation in constructor', () => {\n  assert.equal(new Core({ timeout: 5 }).timeout, 5)\n})\n")
	require.Contains(t, tests, " to 2408 of 2408]\n")
	require.Contains(t, sectionOf(text, "src/core.js (parts)"), "    this.timeout = options.timeout\n", "the code that the test is of")
}

// The first prompt in a large folder waits until the folder is indexed: it is not chosen by words alone.
func TestPrompt_WaitsForTheFirstIndex(t *testing.T) {
	t.Parallel()
	files := orders()
	for i := range 1200 {
		files[fmt.Sprintf("pages/p%d/page.go", i)] = strings.Replace(functions(2, "Order", "Parse", "Zero"), "package sum", "package page", 1)
	}
	w := scripted(t, whole, files)
	code, stdout, stderr := w.run("prompt", "--dry-run", "--trust", "--profile", "tdd", "`ParseOrder` should leave 0 as it is")
	require.Zero(t, code, stderr)
	require.NotContains(t, stderr, "by words alone")
	require.Contains(t, sectionOf(stdout, "big.go (parts)"), "func ParseOrder(n int) int {\n")
}
