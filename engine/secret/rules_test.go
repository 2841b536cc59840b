package secret

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"github.com/zricethezav/gitleaks/v8/config"
)

var update = flag.Bool("update", false, "rewrite rules.json from the module of gitleaks")

// TestTheRulesAreGitleaks writes the rules as data, and holds the file against that.
func TestTheRulesAreGitleaks(t *testing.T) {
	t.Parallel()
	want := rulesOfGitleaks(t)
	if *update {
		require.NoError(t, os.WriteFile("rules.json", want, 0o600))
	}
	got, err := os.ReadFile("rules.json")
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(string(want), string(got)), "run go test ./engine/secret -update")
}

func rulesOfGitleaks(t *testing.T) []byte {
	t.Helper()
	detector := gitleaks(t)
	set := ruleset{Allow: allowances(detector.Config.Allowlists)}
	for _, id := range slices.Sorted(maps.Keys(detector.Config.Rules)) {
		from := detector.Config.Rules[id]
		require.Empty(t, from.RequiredRules, "%s: rules that need others are not known here", id)
		require.False(t, from.SkipReport, "%s: nor those that only others need", id)
		if from.Regex == nil {
			continue // it is about the name of a file alone
		}
		r := &rule{ID: from.RuleID, Regex: from.Regex.String(), Group: from.SecretGroup, Entropy: from.Entropy, Keywords: from.Keywords, Allow: allowances(from.Allowlists)}
		if from.Path != nil {
			r.Path = from.Path.String()
		}
		for _, k := range from.Keywords {
			require.GreaterOrEqual(t, len(k), keyBytes-1, "%s: a keyword is too short to be looked up", id)
		}
		set.Rules = append(set.Rules, r)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	require.NoError(t, encoder.Encode(set))
	return b.Bytes()
}

func allowances(from []*config.Allowlist) (all []*allowance) {
	for _, a := range from {
		to := &allowance{All: a.MatchCondition == config.AllowlistMatchAnd, Target: a.RegexTarget, StopWords: slices.Sorted(slices.Values(a.StopWords))}
		for _, e := range a.Paths {
			to.Paths = append(to.Paths, e.String())
		}
		for _, e := range a.Regexes {
			to.Regexes = append(to.Regexes, e.String())
		}
		for i, w := range to.StopWords {
			to.StopWords[i] = strings.ToLower(w)
		}
		all = append(all, to)
	}
	return all
}

// A key with a short word in it, as chance gives to one in a hundred, is a key; words with hyphens between them are none.
func TestAWordByChanceDoesNotHideAKey(t *testing.T) {
	t.Parallel()
	key := "q7Rz9aBootK3x8TmW2pL5vY1nD4sG6hJ0cF8eQ4x7"
	shown, _ := New().Text("aws_secret_access_key = " + key + "\n")
	require.NotContains(t, shown, key)
	for _, words := range []string{"client-auth2-boot-v1-token3-file", "test-app-1-bucket-2-name-3-x-1"} {
		text := "secret_name = " + words + "\n"
		shown, _ := New().Text(text)
		require.Equal(t, text, shown)
	}
}
