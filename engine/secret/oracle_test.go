package secret

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"github.com/zricethezav/gitleaks/v8/detect"
	"pgregory.net/rapid"

	"forge/internal/sample"
)

// oneGitleaks is made once: making it writes variables of its module.
var oneGitleaks = sync.OnceValues(detect.NewDetectorDefaultConfig)

func gitleaks(t *testing.T) *detect.Detector {
	t.Helper()
	detector, err := oneGitleaks()
	require.NoError(t, err)
	return detector
}

// hit is what a rule finds in a text.
type hit struct{ Rule, Secret string }

func hits(text string) []hit {
	var all []hit
	for _, s := range rules().match("", text) {
		all = append(all, hit{s.name, text[s.start:s.end]})
	}
	return inOrder(all)
}

func inOrder(all []hit) []hit {
	slices.SortFunc(all, func(a, b hit) int { return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Secret, b.Secret)) })
	return slices.Compact(all)
}

// gitleaksHits is what gitleaks itself finds. It leaves out what a better rule has found, too; so do we, for comparison.
func gitleaksHits(detector *detect.Detector, text string) []hit {
	var all []hit
	for _, f := range detector.DetectString(text) {
		all = append(all, hit{f.RuleID, f.Secret})
	}
	return inOrder(all)
}

// TestEveryRuleFindsWhatGitleaksFinds makes texts that each rule may match, and asks gitleaks.
func TestEveryRuleFindsWhatGitleaksFinds(t *testing.T) {
	t.Parallel()
	detector := gitleaks(t)
	silent := map[string]bool{}
	for _, r := range rules().Rules {
		if r.Path != "" {
			continue // asked without a path, neither of us looks for it
		}
		silent[r.ID] = true
		texts := rapid.StringMatching(r.Regex)
		for seed := range sample.Count(1, 4) {
			sample := strings.NewReplacer("\u212a", "k", "\u017f", "s").Replace(texts.Example(seed)) // which only expressions take for k and s
			text := around(sample)
			want, got := gitleaksHits(detector, text), hits(text)
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

func around(sample string) string {
	return fmt.Sprintf("package p\n\n// before\nvar x = %s\n\n// after it\nfunc f() {}\n%s", sample, strings.Repeat("x := 1\n", 50))
}

// TestOnSourcesAsGitleaks compares on texts that people wrote.
func TestOnSourcesAsGitleaks(t *testing.T) {
	t.Parallel()
	detector := gitleaks(t)
	text := sources(t, sample.Count(50_000, 150_000), "crypto/tls", "net/http", "encoding")
	for _, section := range sections(text) {
		want := gitleaksHits(detector, section)
		got := slices.DeleteFunc(hits(section), func(h hit) bool { return strings.Contains(h.Rule, "generic") && !slices.Contains(want, h) })
		require.Empty(t, gocmp.Diff(want, got))
	}
}
