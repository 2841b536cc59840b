package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The edits must be legal at every moment, or a server would be measured at refusing them.
func TestDidchange_Typing(t *testing.T) {
	t.Parallel()
	text := source(0)
	for i := range 60 {
		lines := strings.Split(text, "\n")
		line, from, to, inserted := readEdit(t, typed(i))
		require.LessOrEqual(t, to, len(lines[line]), "edit %d", i)
		lines[line] = lines[line][:from] + inserted + lines[line][to:]
		text = strings.Join(lines, "\n")
		require.Equal(t, "func "+nameAfter(i+1)+"() {}", lines[typedLine], "edit %d", i)
		_, err := parser.ParseFile(token.NewFileSet(), openFile, text, parser.SkipObjectResolution)
		require.NoError(t, err, "edit %d", i)
	}
	require.Equal(t, strings.Replace(source(0), "Typed0", nameAfter(60), 1), text)
}

// readEdit takes an edit within one line apart.
func readEdit(t *testing.T, e map[string]any) (line, from, to int, text string) {
	t.Helper()
	at := func(end string) (int, int) {
		p := e["range"].(map[string]any)[end].(map[string]any)
		return p["line"].(int), p["character"].(int)
	}
	line, from = at("start")
	last, to := at("end")
	require.Equal(t, line, last)
	return line, from, to, e["text"].(string)
}

func TestDidChange_NameShowsTheOrder(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Typed0", nameAfter(0))
	require.Equal(t, "Typedcba0", nameAfter(3))
	require.Equal(t, "Typedbazyx", nameAfter(28)[:10])
}

func TestDidchange_Selection(t *testing.T) {
	t.Parallel()
	lines := strings.Split(source(0), "\n")
	require.True(t, strings.HasPrefix(lines[linesOfHeader+1], "func Area0_0("))
	require.Equal(t, "\tarea := width * height", lines[linesOfHeader+2])
	require.Equal(t, "\t}", lines[linesOfHeader+5])
}
