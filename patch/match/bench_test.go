package match_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
	"forge/patch/match"
)

// bigFile is a text of n lines with blocks that repeat, as code has them.
func bigFile(n int) string {
	var b strings.Builder
	for i := range n {
		switch i % 5 {
		case 0:
			fmt.Fprintf(&b, "func number%d(x int) int {\n", i)
		case 3:
			b.WriteString("}\n")
		case 4:
			b.WriteString("\n")
		default:
			fmt.Fprintf(&b, "\treturn x + %d // the same line a few times\n", i%7)
		}
	}
	return b.String()
}

func benchmarkResolve(b *testing.B, hit bool, lines ...string) {
	b.Helper()
	files := memory{"f": bigFile(100_000)}
	p, err := patch.Parse(block(append([]string{"*** Update File: f"}, lines...)...))
	require.NoError(b, err)
	for b.Loop() {
		_, err := match.Resolve(p, files)
		require.Equal(b, hit, err == nil, "%v", err)
	}
}

func BenchmarkResolveExact(b *testing.B) {
	benchmarkResolve(b, true, "@@", " func number90000(x int) int {", "-\treturn x + 2 // the same line a few times", "+\treturn 0")
}

func BenchmarkResolveIndentation(b *testing.B) {
	benchmarkResolve(b, true, "@@", "     func number90000(x int) int {", "-    \treturn x + 2 // the same line a few times", "+    \treturn 0")
}

func BenchmarkResolveMiss(b *testing.B) {
	benchmarkResolve(b, false, "@@", " func number90000(x int) int {", "-\treturn y + 2 // the same line a few times", "+\treturn 0")
}

func BenchmarkResolveMissNothingAlike(b *testing.B) {
	benchmarkResolve(b, false, "@@", "-öäü this line is nowhere in the file", "+\treturn 0")
}

func BenchmarkDiffOneLine(b *testing.B) {
	before := bigFile(100_000)
	after := strings.Replace(before, "number50000", "other", 1)
	for b.Loop() {
		require.Len(b, patch.Diff(before, after), 1)
	}
}

func BenchmarkDiffEveryTenthLine(b *testing.B) {
	before := bigFile(10_000)
	after := strings.ReplaceAll(before, "number1", "other1")
	for b.Loop() {
		require.NotEmpty(b, patch.Diff(before, after))
	}
}

// The worst case of the algorithm: the same lines in another order.
func BenchmarkDiffReversed(b *testing.B) {
	lines := strings.SplitAfter(bigFile(20_000), "\n")
	before := strings.Join(lines, "")
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	after := strings.Join(lines, "")
	for b.Loop() {
		require.NotEmpty(b, patch.Diff(before, after))
	}
}

func BenchmarkResolveContextSubset(b *testing.B) {
	benchmarkResolve(b, true, "@@", " func number90000(x int) int {", " \treturn remembered wrongly", "-\treturn x + 3 // the same line a few times", "+\treturn 0", " }", " ", " func number90005(x int) int {")
}

// The worst case of the last rung: what is removed stands in thousands of places.
func BenchmarkResolveMissContextSubset(b *testing.B) {
	benchmarkResolve(b, false, "@@", " func nowhere(x int) int {", " \treturn y", "-}", "+} // end", " ", " func nowhere2(x int) int {")
}

func BenchmarkResolveMissElided(b *testing.B) {
	benchmarkResolve(b, false, "@@", " func nowhere(x int) int {", " ...", "-}", "+} // end", " ...", " func nowhere2(x int) int {")
}

func benchmarkReplace(b *testing.B, lines int, hit bool, search, with string) {
	b.Helper()
	files := memory{"f": bigFile(lines)}
	p, err := patch.FromReplacements(replace(search, with))
	require.NoError(b, err)
	for b.Loop() {
		_, err := match.Resolve(p, files)
		require.Equal(b, hit, err == nil, "%v", err)
	}
}

func BenchmarkReplaceInsideLine(b *testing.B) {
	benchmarkReplace(b, 100_000, true, "number90000(x int)", "number(y int)")
}

func BenchmarkReplaceMiss(b *testing.B) {
	benchmarkReplace(b, 100_000, false, "number90001(x int)", "number(y int)")
}

// A search of 30 lines in a file of 2,000, with one of them wrong.
func BenchmarkReplaceThirtyLines(b *testing.B) {
	search := strings.Join(strings.SplitAfter(bigFile(2000), "\n")[1000:1030], "")
	benchmarkReplace(b, 2000, true, strings.Replace(search, "number1010", "wrong", 1), strings.Replace(strings.Replace(search, "number1010", "wrong", 1), "number1020", "other", 1))
}
