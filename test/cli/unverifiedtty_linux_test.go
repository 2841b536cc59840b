package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

func TestUnverified_ATerminalAsksAndTheDefaultIsNo(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(1, map[string]struct {
		typed string
		code  int
		left  string
	}{
		"nothing typed": {"", 1, ""},
		"yes":           {"1", 0, wrongAdd},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, decideExecutor+writeTests+mistaken, sumModule())
			p := w.sit("run", "--trust", "--max-attempts", "1", "add Add")
			p.sees("not verified: the run did not accept this change")
			p.sees("the model says: It multiplies.")
			p.sees("Apply this unverified change to 2 files?")
			p.sees("3) Nothing (default)")
			p.types(c.typed)
			code, screen := p.leaves()
			require.Equal(t, c.code, code, screen)
			require.Equal(t, c.left, w.read("add.go"))
		})
	}
}
