package match_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
	"forge/patch/match"
)

// located returns where a hunk that must not match is located in a text, and what would come of it.
func located(t *testing.T, text string, hunk ...string) (*match.Located, string) {
	t.Helper()
	_, err := one(text, hunk...)
	var failed *match.NoMatchError
	require.ErrorAs(t, err, &failed)
	if failed.Located == nil {
		return nil, ""
	}
	after, err := patch.Apply(text, []patch.Edit{failed.Located.Edit})
	require.NoError(t, err)
	return failed.Located, after
}

func TestLocated_IsTheLikelyPlace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		hunk       []string
		line       int
		want       string
	}{
		{"a removed line is misremembered", shop, []string{"@@", " func open() {", " \tlock()", " ", "-\tcuont := 0", "+\tcount := 2", " \tadd(count)"}, 1,
			"func open() {\n\tlock()\n\n\tcount := 2\n\tadd(count)\n\treturn\n}\n\nfunc close() {\n\tlock()\n\n\tcount := 1\n\tsub(count)\n\treturn\n}\n"},
		{"alone", "x\nreturn total\ny\n", []string{"@@", "-return totals", "+return 0"}, 2, "x\nreturn 0\ny\n"},
		{"stored as it is", "\ufeffx\r\nreturn total", []string{"@@", " x", "-return totals", "+return 0", "+// end"}, 1, "\ufeffx\r\nreturn 0\r\n// end"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, after := located(t, tt.text, tt.hunk...)
			require.NotNil(t, got)
			require.Equal(t, tt.line, got.Line)
			require.Greater(t, got.Score, 0.6)
			require.Less(t, got.Score, 1.0)
			require.Equal(t, tt.want, after)
		})
	}
}

func TestLocated_NeedsSimilarText(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		hunk []string
	}{
		"nothing alike":           {shop, []string{"@@", "-öäü", "+x"}},
		"two places alike":        {"return total1\n-\nreturn total2\n", []string{"@@", "-return totals", "+return 0"}},
		"beyond the end":          {"a\nb\n", []string{"@@", " b", "-c", "+d"}},
		"equal places, all wrong": {"a\nx1\n\na\nx2\n", []string{"@@", " a", "-x3", "+y"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := located(t, tt.text, tt.hunk...)
			require.Nil(t, got)
		})
	}
}
