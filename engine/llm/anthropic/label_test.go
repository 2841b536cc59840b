package anthropic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestLabel_NamesOfRequests(t *testing.T) {
	t.Parallel()
	hexadecimal := strings.Repeat("0a", 20)
	tests := map[string]struct{ label, key, want string }{
		"both":              {"run-1", "item_2", "Fkrun-1item_2"},
		"no label":          {"", "item", "Akitem"},
		"the longest":       {strings.Repeat("l", 31), strings.Repeat("k", 31), "fk" + strings.Repeat("l", 31) + strings.Repeat("k", 31)},
		"hexadecimal":       {"ABC", hexadecimal, "DkABC" + hexadecimal},
		"packed":            {strings.Repeat("l", 26), hexadecimal, "ah" + strings.Repeat("l", 26) + "CgoKCgoKCgoKCgoKCgoKCgoKCgo"},
		"upper case stays":  {"l", strings.ToUpper(hexadecimal), "Bkl" + strings.ToUpper(hexadecimal)},
		"a label of digits": {"00", "11", "Ck0011"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := nameOf(test.label, test.key)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestLabel_NamesComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.StringMatching(`[a-zA-Z0-9_-]{0,34}`).Draw(t, "label")
		key := rapid.OneOf(rapid.StringMatching(`[a-zA-Z0-9_-]{1,28}`), rapid.StringMatching(`[0-9a-f]{40}`), rapid.StringMatching(`[0-9a-f]{1,28}`)).Draw(t, "key")
		name, err := nameOf(label, key)
		require.NoError(t, err)
		require.Regexp(t, `^[a-zA-Z0-9_-]{1,64}$`, name)
		gotLabel, gotKey, ok := parseName(name)
		require.True(t, ok)
		require.Equal(t, [2]string{label, key}, [2]string{gotLabel, gotKey})
	})
}

func FuzzLabel_ParseName(f *testing.F) {
	for _, seed := range []string{"", "A", "Akx", "Fkrun-1item_2", "_k", "zzz", "Bhl!", "request-1", "😀kx"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		label, key, ok := parseName(name)
		if ok && nameable.MatchString(name) && name[1:2] == asItIs {
			again, err := nameOf(label, key)
			if err == nil && again[1:2] == asItIs {
				require.Equal(t, name, again)
			}
		}
	})
}

func FuzzLabel_Family(f *testing.F) {
	for _, seed := range []string{"", "claude-", "claude-3-5-sonnet-20241022", "us.anthropic.claude-opus-4-20250514-v1:0", "claude-99-99", "claude-opus-256"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, model string) {
		line, version, known := parse(model)
		require.Equal(t, known, strings.Contains(strings.ToLower(model), "claude-"))
		require.Equal(t, strings.ToLower(line), line)
		require.True(t, version >= 0 && version <= 9999, "%d", version)
		if taken := familyOf(model); known && version >= 407 {
			require.False(t, taken.temperature)
			require.True(t, taken.format && taken.adaptive)
		}
	})
}
