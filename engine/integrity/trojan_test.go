package integrity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestControl_AsksAboutDeceptiveCharacters(t *testing.T) {
	t.Parallel()
	for text, why := range map[string]string{
		"if a { /* \u202e } \u2066 */":            "reorder",
		"access := \"user\u2066\"":                "reorder",
		"a\u200bb := 1":                           "not shown",
		"x = 'a\u2060b'":                          "not shown",
		"const \u3164 = 1":                        "not shown",
		"note \U000e0069\U000e0067\U000e006e":     "not shown",
		"v\U000e0101\U000e0102":                   "not shown",
		"key\ufeff = 1":                           "not shown",
		"latin\u200dword":                         "not shown",
		"print(\"\x1b[2K\")":                      "control",
		"// a\x08b":                               "control",
		"a\rhidden":                               "control",
		"pаypal.com":                              "look the same",
		"func sсan() {}":                          "look the same",
		"let Αdmin = 1":                           "look the same",
		"\U0001f3f4 and far away \U000e0067 text": "not shown",
	} {
		for _, kind := range []patch.Kind{patch.Create, patch.Update} {
			v := ControlOf(patch.FileChange{Kind: kind, Path: "src/a.go", After: "first\n" + text + "\n"})
			require.Equal(t, ControlAsk, v.Level, "%q", text)
			require.Contains(t, v.Reason, why, "%q", text)
		}
		here := patch.FileChange{Kind: patch.Update, Path: "src/a.go", Before: text + "\nb\n", After: text + "\nc\n"}
		require.Equal(t, ControlNone, ControlOf(here).Level, "%q was there already", text)
	}
}

func TestControl_AsksAboutDeceptiveNames(t *testing.T) {
	t.Parallel()
	for name, deceptive := range map[string]bool{
		"src/mаin.go": true, ".fоrge/config.yaml": true, ".ｇit/hooks/x": true, "src/a\u2066.go": true, "docs/Привет.md": false, "日本語/ファイル.txt": false, "naïve.go": false, "src/main.go": false,
	} {
		v := ControlOf(patch.FileChange{Kind: patch.Create, Path: name, After: "x\n"})
		require.Equal(t, deceptive, v.Deceptive, name)
		require.Equal(t, deceptive, v.Level == ControlAsk, name)
		require.False(t, ControlOf(patch.FileChange{Kind: patch.Update, Path: name, Before: "a\n", After: "b\n"}).Deceptive, "the file is there already: %s", name)
	}
}

func TestControl_LeavesOrdinaryWritingAlone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Ünïcode — “quotes” … ½ → ≤", "日本語のテキスト", "Привет, мир", "Καλημέρα κόσμε", "שלום עולם", "مرحبا بالعالم", "می\u200cخواهم", "क्\u200dष", "👩\u200d💻 and 👨🏽\u200d🚀",
		"🏳\ufe0f\u200d🌈", "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "Δt = μ·σx + λ2", "π_half := 1.57", "tab\there", "page\fbreak",
		"windows line\r", "naïve café", "x₁ = 2", "vitamin-С и A", "ö", "АБВ_test", "IP-адрес", "α-blend",
	} {
		v := ControlOf(patch.FileChange{Kind: patch.Create, Path: "src/a.md", After: text + "\n"})
		require.Equal(t, ControlNone, v.Level, "%q: %s", text, v.Reason)
	}
	marked := patch.FileChange{Kind: patch.Create, Path: "a.cs", After: "\ufeffclass A {}\n"}
	require.Equal(t, ControlNone, ControlOf(marked).Level, "a byte order mark begins the file")
}
