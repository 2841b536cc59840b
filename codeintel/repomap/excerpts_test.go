package repomap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel/repomap"
)

// large is a file of many functions; one of them is called Wanted.
func large(functions, at int) string {
	var b strings.Builder
	b.WriteString("package big\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n)\n")
	for i := range functions {
		name := fmt.Sprintf("Other%d", i)
		if i == at {
			name = "ParseWanted"
		}
		fmt.Fprintf(&b, "\n// %s is a function.\nfunc %s() {\n%s}\n", name, name, strings.Repeat("\tfmt.Println(strings.ToUpper(\"x\"))\n", 8))
	}
	return b.String()
}

// library is a folder with a large file, its tests, a caller, and what is not meant.
func library() map[string]string {
	return map[string]string{
		"big/big.go":      large(300, 200),
		"big/big_test.go": "package big\n\nimport \"testing\"\n\nfunc TestParseWanted(t *testing.T) { ParseWanted() }\n\nfunc TestLast(t *testing.T) {}\n",
		"use/use.go":      "package use\n\nfunc Use() { big.ParseWanted() }\n",
		"other/other.go":  large(300, -1),
		"CHANGELOG.md":    "# Changes\n\n## 2.0 (unreleased)\n\n- one\n\n## 1.9\n\n- old\n",
	}
}

func excerpts(r repomap.Request) (map[string]repomap.Section, repomap.Pack) {
	pack := repomap.NewMapper(viewOf(library()), importsOf{}).Excerpts(r)
	found := map[string]repomap.Section{}
	for _, s := range pack.Sections {
		found[s.Path] = s
	}
	return found, pack
}

func TestExcerpts_ShowNamedSymbolsOfALargeFile(t *testing.T) {
	t.Parallel()
	found, pack := excerpts(repomap.Request{Text: "`ParseWanted` should give an error", Budget: 1500})
	require.True(t, pack.Found)
	require.LessOrEqual(t, pack.Tokens, 1500+100)
	big := found["big/big.go"]
	require.Equal(t, repomap.Windows, big.How)
	require.Contains(t, big.Text, "func ParseWanted() {\n\tfmt.Println", "its body")
	require.Contains(t, big.Text, "import (\n\t\"fmt\"", "what the file imports")
	lines := strings.Split(library()["big/big.go"], "\n")
	for header, rest := range windowsIn(t, big.Text) {
		require.Equal(t, strings.Join(lines[header[0]-1:header[1]], "\n"), rest, "the numbers are those of the file")
	}
	require.Contains(t, found["big/big_test.go"].Text, "func TestParseWanted", "the tests beside it")
	require.Contains(t, found["use/use.go"].Text, "big.ParseWanted()", "who calls it")
}

// windowsIn are the parts of a text by the first and last line that stand above them.
func windowsIn(t *testing.T, text string) map[[2]int]string {
	t.Helper()
	parts := map[[2]int]string{}
	for _, part := range strings.Split("\n"+text, "\n[lines ")[1:] {
		header, rest, _ := strings.Cut(part, "\n")
		var first, last, of int
		_, err := fmt.Sscanf(header, "%d to %d of %d]", &first, &last, &of)
		require.NoError(t, err, header)
		parts[[2]int{first, last}] = strings.TrimSuffix(rest, "\n")
	}
	return parts
}

func TestExcerpts_TestWritersSeeTestsFirst(t *testing.T) {
	t.Parallel()
	_, code := excerpts(repomap.Request{Text: "ParseWanted", Budget: 600})
	_, tests := excerpts(repomap.Request{Text: "ParseWanted", Budget: 600, Tests: true})
	require.Equal(t, "big/big_test.go", tests.Sections[0].Path)
	require.NotEqual(t, "big/big_test.go", code.Sections[0].Path)
}

func TestExcerpts_IncludeCodeThatTestsCall(t *testing.T) {
	t.Parallel()
	without, _ := excerpts(repomap.Request{Text: "give an error", Budget: 1500})
	require.NotContains(t, without["big/big.go"].Text, "func ParseWanted")
	with, _ := excerpts(repomap.Request{Text: "give an error", Uses: "if ParseWanted() == nil {", Budget: 1500})
	require.Contains(t, with["big/big.go"].Text, "func ParseWanted")
}

// The words of tests lead to the code with the same words, also where they call nothing that is defined there.
func TestExcerpts_IncludeNamesInTests(t *testing.T) {
	t.Parallel()
	files := library()
	files["big/big.go"] += "\nfunc tail() {\n\tpanic(\"scarlet lanterns are lit\")\n}\n"
	mapper := repomap.NewMapper(viewOf(files), importsOf{})
	shown := func(uses string) (text string) {
		for _, s := range mapper.Excerpts(repomap.Request{Text: "big: give an error", Uses: uses, Targets: []string{"big/big.go"}, Budget: 1200}).Sections {
			text += s.Text
		}
		return text
	}
	require.NotContains(t, shown(""), "scarlet")
	require.Contains(t, shown(`want := "scarlet lanterns"`), "scarlet lanterns are lit")
}

// If a request's own tests are to be written, other tests make room for code.
func TestExcerpts_WrittenTestsMakeRoomForCode(t *testing.T) {
	t.Parallel()
	share := func(uses string) float64 {
		found, _ := excerpts(repomap.Request{Text: "ParseWanted", Uses: uses, Budget: 4000})
		return found["big/big_test.go"].Importance
	}
	require.Less(t, share("ParseWanted()"), share(""))
}

func TestExcerpts_AChangelogIsShownWhereAChangeIsNoted(t *testing.T) {
	t.Parallel()
	found, _ := excerpts(repomap.Request{Text: "ParseWanted", Budget: 4000})
	require.Contains(t, found["CHANGELOG.md"].Text, "- one\n\n## 1.9")
}

// Entries go to the end of a chapter at least as often as to its beginning.
func TestExcerpts_TheEndOfALongChapterComesNotAfterItsBeginning(t *testing.T) {
	t.Parallel()
	files := library()
	files["CHANGELOG.md"] = "# Changes\n\n## 2.0 (unreleased)\n\n" + strings.Repeat("- an entry of its own\n", 80) + "- the last\n\n## 1.9\n\n- old\n"
	text := of(files, repomap.Request{Text: "ParseWanted should give an error", Budget: 600})["CHANGELOG.md"].Text
	require.Contains(t, text, "- the last\n\n## 1.9")
}

// What a program writes from another file leaves room for what users write.
func TestExcerpts_GeneratedCodeComesLast(t *testing.T) {
	t.Parallel()
	shown := func(head string) int {
		files := map[string]string{"big/aaa.go": head + large(60, 20), "big/big.go": large(60, 20)}
		return len(of(files, repomap.Request{Text: "ParseWanted prints upper strings", Budget: 3000})["big/aaa.go"].Text)
	}
	require.Greater(t, shown("// Written by hand: DO NOT EDIT it on Fridays.\n\n"), 3*shown("// Code generated by goyacc. DO NOT EDIT.\n\n"))
}

// Tests that were written say by the name of their file what they are of, even if the request has none of its words.
func TestExcerpts_CodeOfWrittenTestsIsShown(t *testing.T) {
	t.Parallel()
	files := library()
	files["big/lantern.go"] = "package big\n\n" + strings.Repeat("// glow is dim.\nfunc glow() {\n\tdim()\n\tdim()\n\tdim()\n\tdim()\n\tdim()\n}\n\n", 30)
	files["big/lantern_test.go"] = "package big\n"
	r := repomap.Request{Text: "ParseWanted prints upper strings", Uses: "println", Budget: 3000}
	require.NotContains(t, of(files, r), "big/lantern.go")
	r.Changed = []string{"big/lantern_test.go"}
	require.Equal(t, repomap.Full, of(files, r)["big/lantern.go"].How)
}

func TestExcerpts_NeedANamedSymbol(t *testing.T) {
	t.Parallel()
	_, pack := excerpts(repomap.Request{Text: "zebra crossing", Budget: 1500})
	require.False(t, pack.Found)
	_, none := excerpts(repomap.Request{Text: "`ParseWanted`", Budget: 0})
	require.Empty(t, none.Sections)
}

// TestExcerpts_AGreaterBudgetShowsNoLess of any file.
func TestExcerpts_AGreaterBudgetShowsNoLess(t *testing.T) {
	t.Parallel()
	before := map[string]int{}
	for budget := 0; budget < 6000; budget += 250 {
		found, _ := excerpts(repomap.Request{Text: "`ParseWanted` prints upper strings", Budget: budget})
		for path, lines := range before {
			require.GreaterOrEqual(t, strings.Count(found[path].Text, "\n")+1, lines, "%s with %d tokens", path, budget)
		}
		for path, s := range found {
			if s.How == repomap.Windows {
				before[path] = strings.Count(s.Text, "\n") - 10 // windows that grow together lose the lines between them
			}
		}
	}
}

// The files of a plan are shown whole if there is room, whatever words others have; beside one that is to be created, the one most like it.
func TestExcerpts_ShowTheFilesOfAPlan(t *testing.T) {
	t.Parallel()
	folder := library()
	folder["web/stop.go"] = "package web\n\nfunc Stop() {}\n"
	folder["web/stop_test.go"] = "package web\n\nimport \"testing\"\n\nfunc TestStop(t *testing.T) { Stop() }\n"
	folder["demo/first/main.go"] = "package main\n\nfunc main() { println(1) }\n"
	for name, c := range map[string]struct{ own, shown string }{
		"a file":              {"web/stop.go", "web/stop.go"},
		"a new file":          {"web/start.go", "web/stop.go"},
		"a new test":          {"web/start_test.go", "web/stop_test.go"},
		"a new folder":        {"demo/second/main.go", "demo/first/main.go"},
		"nothing is like it":  {"far/away.rs", ""},
		"without a plan":      {"", ""},
		"a file of the words": {"big/big.go", "big/big.go"},
	} {
		pack := repomap.NewMapper(viewOf(folder), importsOf{}).Excerpts(repomap.Request{Text: "`ParseWanted` should give an error", Own: []string{c.own}, Budget: 1500})
		shown := ""
		for _, s := range pack.Sections {
			if s.Path == c.shown || strings.HasPrefix(s.Path, "web/") || strings.HasPrefix(s.Path, "demo/") {
				shown = s.Path
				require.True(t, s.How == repomap.Full || s.Path == "big/big.go", name)
				break
			}
		}
		require.Equal(t, c.shown, shown, name)
	}
}
