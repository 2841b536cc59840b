package integrity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestRewritten_Merged(t *testing.T) {
	t.Parallel()
	const (
		head   = "package m\n\nfunc TestKey(t *testing.T) {\n\tparse(t, `{\"1x\":null}`, \"expected a number at line 1 column 2\")\n"
		second = "}\n\nfunc TestLeadingSpace(t *testing.T) {\n\tinput := `{\" 123\":null}`\n\tparse(t, input, \"unexpected space in a key at line 1 column 3\")\n}\n"
	)
	for what, c := range map[string]struct{ after, want string }{
		"its text, with another message": {head + "\tinput := `{\" 123\":null}`\n\tparse(t, input, \"expected a number at line 1 column 2\")\n}\n", "m.TestKey"},
		"nothing of it":                  {head + "}\n", ""},
		"another text":                   {head + "\tif Weather() != \"sunny\" || Moon() != \"full\" {\n\t\tt.Skip(\"come back later\")\n\t}\n}\n", ""},
	} {
		all := Suites{{Gate: "test", IsTest: func(string) bool { return true }}}
		r := all.Rewritten(patch.ChangeSet{Files: []patch.FileChange{{Path: "m_test.go", Before: head + second, After: c.after}}})
		require.Equal(t, c.want, r.Merged("m.TestLeadingSpace", []string{"m.TestKey"}), what)
	}
}
