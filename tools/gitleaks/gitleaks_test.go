// Package gitleaks compares engine/secret with gitleaks, whose rules it has: that rules.json is what gitleaks v8 knows, and
// that the same texts have the same secrets for both.
package gitleaks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/build"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
	"pgregory.net/rapid"

	"forge/engine/secret"
	"forge/internal/testkit"
)

var update = flag.Bool("update", false, "rewrite engine/secret/rules.json from the module of gitleaks")

// rulesFile is the data that is kept, relative to this folder.
const rulesFile = "../../engine/secret/rules.json"

// ruleset, rule and allowance are rules.json, field for field in the order of engine/secret.
type (
	ruleset struct {
		Allow []allowance `json:"allow"`
		Rules []rule      `json:"rules"`
	}
	rule struct {
		ID       string      `json:"id"`
		Regex    string      `json:"regex"`
		Path     string      `json:"path,omitempty"`
		Group    int         `json:"group,omitempty"`
		Entropy  float64     `json:"entropy,omitempty"`
		Keywords []string    `json:"keywords,omitempty"`
		Allow    []allowance `json:"allow,omitempty"`
	}
	allowance struct {
		All       bool     `json:"all,omitempty"`
		Target    string   `json:"target,omitempty"`
		Paths     []string `json:"paths,omitempty"`
		Regexes   []string `json:"regexes,omitempty"`
		StopWords []string `json:"stopwords,omitempty"`
	}
)

// newDetector makes the detector once: making it writes variables of its module.
var newDetector = sync.OnceValues(detect.NewDetectorDefaultConfig)

func detector(t *testing.T) *detect.Detector {
	t.Helper()
	d, err := newDetector()
	require.NoError(t, err)
	return d
}

func TestRules_AreThoseOfGitleaks(t *testing.T) {
	t.Parallel()
	want := rulesJSON(t, rulesOfGitleaks(t))
	if *update {
		require.NoError(t, os.WriteFile(rulesFile, want, 0o600))
	}
	got, err := os.ReadFile(rulesFile)
	require.NoError(t, err)
	require.Empty(t, gocmp.Diff(string(want), string(got)), "run go -C tools test ./gitleaks -update")
}

func rulesJSON(t *testing.T, set ruleset) []byte {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	require.NoError(t, encoder.Encode(set))
	return b.Bytes()
}

func rulesOfGitleaks(t *testing.T) ruleset {
	t.Helper()
	from := detector(t).Config
	set := ruleset{Allow: allowances(from.Allowlists)}
	for _, id := range slices.Sorted(maps.Keys(from.Rules)) {
		r := from.Rules[id]
		require.Empty(t, r.RequiredRules, "%s: engine/secret has no rules that need others", id)
		require.False(t, r.SkipReport, "%s: engine/secret has no rules that only others need", id)
		if r.Regex == nil {
			continue // it is about the name of a file alone
		}
		one := rule{ID: r.RuleID, Regex: r.Regex.String(), Group: r.SecretGroup, Entropy: r.Entropy, Keywords: r.Keywords, Allow: allowances(r.Allowlists)}
		if r.Path != nil {
			one.Path = r.Path.String()
		}
		set.Rules = append(set.Rules, one)
	}
	return set
}

func allowances(from []*config.Allowlist) (all []allowance) {
	for _, a := range from {
		to := allowance{All: a.MatchCondition == config.AllowlistMatchAnd, Target: a.RegexTarget, StopWords: slices.Sorted(slices.Values(a.StopWords))}
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

// hit is what a rule finds in a text.
type hit struct{ Rule, Secret string }

func ourHits(text string) []hit {
	var all []hit
	for _, m := range secret.Matches("", text) {
		all = append(all, hit{m.Rule, text[m.Start:m.End]})
	}
	return inOrder(all)
}

func inOrder(all []hit) []hit {
	slices.SortFunc(all, func(a, b hit) int { return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Secret, b.Secret)) })
	return slices.Compact(all)
}

// gitleaksHits is what gitleaks finds. It leaves out what a better rule has found.
func gitleaksHits(d *detect.Detector, text string) []hit {
	var all []hit
	for _, f := range d.DetectString(text) {
		all = append(all, hit{f.RuleID, f.Secret})
	}
	return inOrder(all)
}

// TestMatches_AreThoseOfGitleaksForEveryRule makes texts that each rule may match, and asks gitleaks.
func TestMatches_AreThoseOfGitleaksForEveryRule(t *testing.T) {
	t.Parallel()
	d := detector(t)
	silent := map[string]bool{}
	for _, r := range rulesOfGitleaks(t).Rules {
		if r.Path != "" {
			continue // without a path, neither looks for it
		}
		silent[r.ID] = true
		texts := rapid.StringMatching(r.Regex)
		for seed := range testkit.Cases(1, 4) {
			example := strings.NewReplacer("\u212a", "k", "\u017f", "s").Replace(texts.Example(seed)) // which only expressions take for k and s
			text := around(example)
			want, got := gitleaksHits(d, text), ourHits(text)
			for _, h := range want {
				require.Contains(t, got, h, "%s: %q", r.ID, text)
				silent[h.Rule] = silent[h.Rule] && h.Rule != r.ID
			}
			for _, h := range got {
				if !strings.Contains(h.Rule, "generic") { // gitleaks leaves it out beside a better one
					require.Contains(t, want, h, "%s: %q", r.ID, text)
				}
			}
		}
	}
	for id, is := range silent {
		if is {
			t.Log("no example of this rule was a secret to gitleaks:", id)
		}
	}
}

func around(example string) string {
	return fmt.Sprintf("package p\n\n// before\nvar x = %s\n\n// after it\nfunc f() {}\n%s", example, strings.Repeat("x := 1\n", 50))
}

// TestMatches_AreThoseOfGitleaksInSources compares on the sources of Go's own library.
func TestMatches_AreThoseOfGitleaksInSources(t *testing.T) {
	t.Parallel()
	d := detector(t)
	for _, text := range sources(t, testkit.Cases(50_000, 150_000), "crypto/tls", "net/http", "encoding") {
		want := gitleaksHits(d, text)
		got := slices.DeleteFunc(ourHits(text), func(h hit) bool { return strings.Contains(h.Rule, "generic") && !slices.Contains(want, h) })
		require.Empty(t, gocmp.Diff(want, got))
	}
}

// sources are files of Go's own library, about so many bytes together.
func sources(t *testing.T, size int, folders ...string) (all []string) {
	t.Helper()
	for _, folder := range folders {
		require.NoError(t, filepath.WalkDir(filepath.Join(build.Default.GOROOT, "src", folder), func(name string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || size <= 0 {
				return err
			}
			text, err := os.ReadFile(name)
			all, size = append(all, string(text)), size-len(text)
			return err
		}))
	}
	require.NotEmpty(t, all)
	return all
}
