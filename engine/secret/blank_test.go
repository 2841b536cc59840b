package secret

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// everyRun is randomRuns that looks at every byte.
func everyRun(text string) (found []span) {
	start := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && alphanumeric[text[i]] {
			continue
		}
		if i-start >= 2*minLearned && isJumble(text[start:i]) && !isCalled(text, start, i) {
			found = append(found, span{start: start, end: i})
		}
		start = i + 1
	}
	return found
}

func TestBlank_RunsAreFoundWithoutLookingAtEveryByte(t *testing.T) {
	t.Parallel()
	all := 0
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(
			rapid.StringMatching(`[a-zA-Z0-9]{0,40}`), rapid.StringMatching(`[ -~\n]{0,20}`), rapid.Just("aB3dE6gH9jK2mN5p"), rapid.Just("a1B2c3D4e5F6g7H"),
		)).Draw(t, "parts"), rapid.SampledFrom([]string{"", " ", "-"}).Draw(t, "between"))
		found, _ := randomRuns(text)
		all += len(found)
		if d := cmp.Diff(everyRun(text), found, cmp.AllowUnexported(span{})); d != "" {
			t.Fatal(d)
		}
	})
	require.Positive(t, all)
}

// TestBlank_KnowsTokensThatReadAsWords: by their prefixes, and by the names that they are assigned to.
func TestBlank_KnowsTokensThatReadAsWords(t *testing.T) {
	t.Parallel()
	for secret, line := range map[string]string{
		"glpat-xRqwindyqoKxaezBo4x7":               "refund: https://me:%s@gitlab.com/a/b.git",
		"glpat-kkanwktmbxxrdwgmqaxz":               "refund: https://me:%s@gitlab.com/a/b.git",
		"ghp_andyqoKxaezBoqwiTrkd4masAnwe2pqoe4x7": "github: %s",
		"xRqwindyqoKxaezBoinw4x7a":                 `db_password = "%s"`,
	} {
		blank := string(New().Blank("deploy/a.txt", fmt.Appendf(nil, "func TestMaxInt64ForMemory12()\n"+line+"\n", secret)))
		require.NotContains(t, blank, secret)
		require.Contains(t, blank, "TestMaxInt64ForMemory12")
		require.Len(t, blank, len("func TestMaxInt64ForMemory12()\n"+line+"\n")-len("%s")+len(secret))
	}
}

func TestPrefixes_AreOfQuickRules(t *testing.T) {
	t.Parallel()
	for _, p := range prefixes {
		p = strings.ToLower(p)
		require.True(t, slices.ContainsFunc(rules().Rules, func(r *rule) bool {
			return r.isQuick() && slices.ContainsFunc(r.Keywords, func(k string) bool { return strings.HasPrefix(k, p) || strings.HasPrefix(p, k) })
		}), p)
	}
}

// TestBlank_LoadsSlowSecretsBeforeTheText: they are read once, for each kind of text.
func TestBlank_LoadsSlowSecretsBeforeTheText(t *testing.T) {
	t.Parallel()
	const key = "hunter2-hunter2"
	for name, look := range map[string]func(r *Redactor) string{
		"text":  func(r *Redactor) string { return r.Plain("it is " + key) },
		"JSON":  func(r *Redactor) string { text, _ := r.JSON([]byte(`{"key": "` + key + `"}`)); return string(text) },
		"index": func(r *Redactor) string { return string(r.Blank("a.go", []byte("it is "+key))) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := 0
			r := New()
			r.LearnFirst(func() { read++; r.Learn(Value{"key", key}) })
			require.Zero(t, read)
			for range 2 {
				require.NotContains(t, look(r), key)
			}
			require.Equal(t, 1, read)
			require.Contains(t, look(New()), key, "no other rule knows it")
		})
	}
	Off().LearnFirst(func() { t.Error("nothing is looked for") })
	(*Redactor)(nil).LearnFirst(func() { t.Error("nothing is looked for") })
}
