// Package oracle asks code that Forge did not write for a second opinion. It needs Python 3, and Node with the npm
// packages of its package-lock.json; scripts/test.sh installs them.
package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/lsp/editor"
	"forge/patch"
)

// pair is a text before and after a change, and edits that are said to make one of the other.
type pair struct {
	Before string            `json:"before"`
	Edits  []editor.TextEdit `json:"edits"`
	After  string            `json:"after"`
}

func edited(before, after string) pair {
	return pair{before, editor.TextEdits(before, patch.Diff(before, after)), after}
}

// ask puts all pairs to the oracle and returns its answers: what is wrong with each, or nothing.
func ask(t *testing.T, pairs []pair) []string {
	t.Helper()
	var in, diagnostics bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, p := range pairs {
		require.NoError(t, encoder.Encode(p))
	}
	c := exec.CommandContext(t.Context(), "node", "oracle.mjs")
	c.Stdin, c.Stderr = &in, &diagnostics
	out, err := c.Output()
	require.NoError(t, err, "%s\nIf the package is missing: npm --prefix test/oracle ci", &diagnostics)
	var problems []string
	decoder := json.NewDecoder(bytes.NewReader(out))
	for decoder.More() {
		var answer struct{ Problem string }
		require.NoError(t, decoder.Decode(&answer))
		problems = append(problems, answer.Problem)
	}
	require.Len(t, problems, len(pairs))
	return problems
}

// pieces are what generated texts are made of: characters of every width and composition, and what looks
// like a line break to some and not to others.
var pieces = strings.Split("a|b|func |x := y|\t|  |{|}|é|e\u0301|漢字|𝒳|😀|😃|👩‍👩‍👧‍👦|👩‍👩‍👦|🇩🇪|🇩🇰|👍🏽|\ufeff|\u2028|\u2029|\u0085|\v|\f|\uFFFD|שלום", "|")

var lineBreaks = []string{"\n", "\n", "\n", "\r\n", "\r\n", "\r"}

// writer writes texts, always the same ones.
type writer struct{ *rand.Rand }

func (w writer) line() string {
	var b strings.Builder
	for range w.IntN(12) {
		b.WriteString(pieces[w.IntN(len(pieces))])
	}
	return b.String()
}

// text is up to n lines, whose breaks are all alike or mixed.
func (w writer) text(n int) []string {
	var lines []string
	if w.IntN(8) == 0 {
		lines = append(lines, "\ufeff")
	}
	same := lineBreaks[w.IntN(len(lineBreaks))]
	for range w.IntN(n) {
		if w.IntN(4) == 0 {
			same = lineBreaks[w.IntN(len(lineBreaks))]
		}
		lines = append(lines, w.line()+same)
	}
	if w.IntN(3) == 0 {
		lines = append(lines, w.line()) // which has no line break
	}
	return lines
}

// change changes a few lines in the ways of people and programs.
func (w writer) change(lines []string) []string {
	lines = append([]string{}, lines...)
	for range 1 + w.IntN(4) {
		at := w.IntN(len(lines) + 1)
		if at == len(lines) {
			lines = append(lines, w.line()+lineBreaks[w.IntN(len(lineBreaks))])
			continue
		}
		switch w.IntN(6) {
		case 0:
			lines = append(lines[:at], lines[at+1:]...)
		case 1:
			lines = append(lines[:at], append(w.text(3), lines[at:]...)...)
		case 2: // another line break
			lines[at] = strings.TrimRight(lines[at], "\r\n") + lineBreaks[w.IntN(len(lineBreaks))]
		default:
			lines[at] = w.inLine(lines[at])
		}
	}
	return lines
}

// inLine replaces, puts in or takes out one character of a line.
func (w writer) inLine(line string) string {
	runes := []rune(line)
	at := w.IntN(len(runes) + 1)
	to := min(len(runes), at+w.IntN(3))
	return string(runes[:at]) + pieces[w.IntN(len(pieces))] + string(runes[to:])
}

// generated are pairs of texts, always the same ones.
func generated(n int) []pair {
	w := writer{rand.New(rand.NewPCG(7, 1600))}
	var pairs []pair
	for len(pairs) < n {
		before := w.text(30)
		if a, b := strings.Join(before, ""), strings.Join(w.change(before), ""); a != b {
			pairs = append(pairs, edited(a, b))
		}
	}
	return pairs
}

// chosen are pairs in which every byte counts.
func chosen() []pair {
	var pairs []pair
	for _, p := range [][2]string{
		{"", "a"}, {"a", ""}, {"", "\ufeff"}, {"\ufeffa\n", "a\n"}, {"a\n", "\ufeffa\n"},
		{"a\r\nb", "a\nb"}, {"a\nb", "a\r\nb"}, {"a\rb", "a\r\nb"}, {"a\r\nb", "a\rb"}, {"a\r", "a\r\n"}, {"\n", "\r\n"}, {"\r\r\n", "\r\n\r"},
		{"a\rX\nb", "a\r\nb"}, {"a\r\nb", "a\rX\nb"}, {"\r\n\r\n", "\n\r\r\n"},
		{"😀", "😃"}, {"😀😀", "😀"}, {"a😀b", "a👀b"}, {"👩‍👩‍👧‍👦", "👩‍👩‍👦"}, {"e\u0301", "é"}, {"🇩🇪", "🇩🇰"}, {"👍", "👍🏽"},
		{"a\u2028b\n", "a\u2028c\n"}, {"a\u2028b", "a\nb"}, {"a\u0085b\vc\fd\n", "a\u0085b\vc\fD\n"},
	} {
		pairs = append(pairs, edited(p[0], p[1]))
	}
	return pairs
}

func TestTextEdits_OtherImplementationsAgree(t *testing.T) {
	t.Parallel()
	pairs := append(chosen(), generated(1200)...)
	for i, problem := range ask(t, pairs) {
		require.Empty(t, problem, "%q to %q by %+v", pairs[i].Before, pairs[i].After, pairs[i].Edits)
	}
	edits, size, least := 0, 0, 0
	for _, p := range pairs {
		edits += len(p.Edits)
		size += p.churn(t)
		least += minimal([]rune(p.Before), []rune(p.After))
	}
	ratio := float64(size) / float64(least)
	t.Logf("%d pairs of texts: 0 differences, 0 invalid positions; %.2f edits each; %d characters deleted and inserted, %.3f times the fewest possible",
		len(pairs), float64(edits)/float64(len(pairs)), size, ratio)
	require.LessOrEqual(t, ratio, 1.07)
	require.LessOrEqual(t, float64(edits), 3.5*float64(len(pairs)))
}

// The twin: an oracle that finds nothing would prove nothing.
func TestTextEdits_OracleDetectsWrongEdits(t *testing.T) {
	t.Parallel()
	at := func(line, character uint32) api.Position {
		return api.Position{Line: line, Character: character}
	}
	edit := func(start, end api.Position, text string) editor.TextEdit {
		return editor.TextEdit{Range: api.Range{Start: start, End: end}, NewText: text}
	}
	wrong := []struct {
		pair
		says string
	}{
		{pair{"ab\n", []editor.TextEdit{edit(at(0, 0), at(0, 1), "x")}, "ab\n"}, "the edits give another text"},
		{pair{"😀\n", []editor.TextEdit{edit(at(0, 1), at(0, 2), "x")}, "x\n"}, "position 0:1 divides a surrogate pair"},
		{pair{"a\r\nb", []editor.TextEdit{edit(at(0, 2), at(0, 2), "x")}, "a\r\nb"}, "position 0:2"},
		{pair{"a\n", []editor.TextEdit{edit(at(0, 7), at(0, 7), "x")}, "ax\n"}, "position 0:7 is outside of its line"},
		{pair{"abc", []editor.TextEdit{edit(at(0, 0), at(0, 2), "x"), edit(at(0, 1), at(0, 3), "y")}, "xy"}, "Overlapping edit"},
	}
	var pairs []pair
	for _, w := range wrong {
		pairs = append(pairs, w.pair)
	}
	for i, problem := range ask(t, pairs) {
		require.Contains(t, problem, wrong[i].says, fmt.Sprint(i))
	}
}

// churn counts the characters that the edits delete and insert: the texts differ in length by what is
// inserted less what is deleted.
func (p pair) churn(t *testing.T) int {
	t.Helper()
	inserted := 0
	for _, e := range p.Edits {
		inserted += utf8.RuneCountInString(e.NewText)
	}
	deleted := inserted - (utf8.RuneCountInString(p.After) - utf8.RuneCountInString(p.Before))
	require.GreaterOrEqual(t, deleted, 0)
	return inserted + deleted
}

// minimal is the fewest characters that can be deleted and inserted, by the textbook's table.
func minimal(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			up := row[j+1]
			row[j+1] = min(up, row[j]) + 1
			if x == y {
				row[j+1] = diagonal
			}
			diagonal = up
		}
	}
	return row[len(b)]
}
