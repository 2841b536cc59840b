package run

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An example of documentation is only listed before a change. One that fails without the change too is not charged with it, and one that the change breaks is.
func TestRun_ChargesExamplesThatTheChangeBreaks(t *testing.T) {
	t.Parallel()
	const hello = "\npub fn hello() -> &'static str {\n    \"hello\"\n}\n"
	code := func(states, returns string) string {
		return "/// ```\n/// assert_eq!(m::one(), " + states + ");\n/// ```\npub fn one() -> i32 {\n    " + returns + "\n}\n"
	}
	for name, c := range map[string]struct {
		states, returns string
		exit            int
	}{
		"it fails anyway":      {"2", "1", 0},
		"the change breaks it": {"1", "3", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := folder(t, map[string]string{
				"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": code(c.states, "1"),
				"tests/m.rs": "#[test]\nfn positive() {\n    assert!(m::one() > 0);\n}\n",
			})
			exit, stderr := w.changed([2]string{"tests/hello.rs", "#[test]\nfn hello() {\n    assert_eq!(m::hello(), \"hello\");\n}\n"},
				[2]string{"src/lib.rs", code(c.states, c.returns) + hello})
			require.Equal(t, c.exit, exit, stderr)
			require.Contains(t, stderr, "1 example of the documentation listed, not run")
			if c.exit != 0 {
				require.Contains(t, stderr, "m::doc")
			}
		})
	}
}
