package integrity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/patch"
)

// A part of tests is the same one under other attributes and comments, and gets the text that it had.
func TestSuites_OriginalTestsUnderAnotherComment(t *testing.T) {
	t.Parallel()
	all := Suites{{Gate: "test", IsTest: func(string) bool { return false }, Inline: func(_, text string) []gate.Part {
		at := max(0, strings.Index(text, "//"))
		if at == 0 {
			at = strings.Index(text, "mod tests")
		}
		return []gate.Part{{Start: at, End: len(text)}}
	}}}
	before := "fn a() {}\nmod tests {\n  assert(a());\n}\n"
	after := "fn a() { b() }\n/// Tests.\nmod tests {\n  return;\n  assert(a());\n}\n"
	f, ok := all.WithOriginalTests(patch.FileChange{Kind: patch.Update, Path: "a.rs", Before: before, After: after})
	require.True(t, ok)
	require.Equal(t, "fn a() { b() }\nmod tests {\n  assert(a());\n}\n", f.After)

	_, ok = all.WithOriginalTests(patch.FileChange{Kind: patch.Update, Path: "a.rs", Before: before, After: strings.Replace(after, "mod tests", "mod other", 1)})
	require.False(t, ok, "these are others")
}
