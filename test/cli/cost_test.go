package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// forge cost lists costs by the chosen column; a run that has used up its limit continues with a higher one, and no request
// is billed twice.
func TestCostCommand_ListsCostsAndRaisedLimitContinues(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	_, stdout, stderr := w.run("cost")
	require.Empty(t, stdout)
	require.Contains(t, stderr, "[forge] no costs")

	code, _, stderr := w.run("run", "--yes", "--trust", "--tokens", "9000", "add Add")
	require.Equal(t, 3, code, stderr)
	require.Contains(t, stderr, "--tokens")
	id := asked[api.RunsResult](w, "runs").Runs[0].RunID
	require.Contains(t, stderr, "forge resume "+id+" --tokens")
	code, _, stderr = w.run("resume", id, "--yes", "--tokens", "900000")
	require.Zero(t, code, stderr)
	w.played()

	run := asked[api.RunsResult](w, "runs").Runs[0]
	require.Positive(t, run.Tokens)
	require.NotNil(t, run.Cost)
	for _, by := range []string{"model", "run", "day", "node"} {
		costs := asked[api.CostResult](w, "cost", "--by", by)
		require.EqualValues(t, run.Tokens, costs.Total.Tokens, by)
		require.Equal(t, 4, costs.Total.Attempts, by)
	}
	require.Equal(t, id, asked[api.CostResult](w, "cost", "--by", "run", "--since", "1h").Rows[0].Name)
	require.Empty(t, asked[api.CostResult](w, "cost", "--run", "r-none").Rows)
	_, stdout, _ = w.run("cost", "--by", "node")
	require.Regexp(t, `(?m)^NODE +CALLS +TOKENS +CACHED +COST$`, stdout)
	require.Regexp(t, `(?m)^executor +2 `, stdout)
	require.Regexp(t, `(?m)^total +4 `, stdout)
	_, stdout, _ = w.run("log", id)
	require.Regexp(t, `model: \d+ → \d+ tokens, \S+ \(\d+ so far, \S+`, stdout)

	_, _, stderr = w.run("cache", "clear")
	require.Regexp(t, `\d+ cached answers were deleted`, stderr)
	_, _, stderr = w.run("cache", "clear")
	require.Contains(t, stderr, "the cache was empty")
}

func TestCostCommand_RejectsInvalidLimits(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	for says, args := range map[string][]string{
		"--tokens 0: want a number":                                {"run", "x", "--tokens", "0"},
		"--usd -1: want an amount of dollars":                      {"run", "x", "--usd", "-1"},
		"--usd NaN: want an amount of dollars":                     {"resume", "r-1", "--usd", "NaN"},
		"--minutes 0: want a number of minutes":                    {"resume", "r-1", "--minutes", "0"},
		`invalid argument "much" for "--usd" flag: invalid syntax`: {"run", "--usd", "much", "x"},
		"--by mood: want model, run, day":                          {"cost", "--by", "mood"},
		`--since: "soon" is not a duration`:                        {"cost", "--since", "soon"},
		`--since: "-1h" is not a duration`:                         {"cost", "--since=-1h"},
		"unknown command \"wipe\" for \"forge":                     {"cache", "wipe"},
	} {
		require.Contains(t, w.refused(2, args...), says)
	}
}

// A mistake in the user's own price file is reported, with the file and the fault, before anything is spent.
func TestPrices_ReportsAnInvalidPriceFile(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	file := filepath.Join(w.home, "prices.yaml")
	require.NoError(t, os.WriteFile(file, []byte("- {provider: openai, models: [a], input: -3, output: 1}\n"), 0o600))
	code, _, stderr := w.run("run", "--yes", "--trust", "add Add")
	require.Equal(t, 3, code)
	require.Contains(t, stderr, file)
	require.Contains(t, stderr, "input is -3")
	require.Equal(t, 1, strings.Count(w.refused(1, "cost"), "input is -3"))
}
