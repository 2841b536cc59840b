package definitions

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

// The twin: a comparison that finds nothing would prove nothing.
func TestComparison_FindsPlantedDifferences(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "planted.py")
	require.NoError(t, os.WriteFile(name, []byte("class A:\n    def b(self): pass\n\nc = 1\n"), 0o600))
	truth := ask(t, []string{name}, "python3", "python.py")[0].Definitions
	require.Equal(t, []definition{{codeintel.Class, "A", 1, 2}, {codeintel.Method, "A.b", 2, 2}, {codeintel.Variable, "c", 4, 4}}, truth)
	source, err := os.ReadFile(name)
	require.NoError(t, err)

	tests := []struct {
		name               string
		plant              func([]definition) []definition
		recall, precision  float64
		example, threshold string
	}{
		{"a loss", func(all []definition) []definition { return all[:2] }, 2. / 3, 1, "missed variable c, to line 4", "recall 0.6667"},
		{"an invention", func(all []definition) []definition {
			return append(all, definition{codeintel.Function, "d", 5, 5})
		}, 1, 3. / 4, "extra function d, to line 5", "precision 0.7500"},
		{"a repetition", func(all []definition) []definition { return append(all, all[0]) }, 1, 3. / 4, "extra class A", "precision 0.7500"},
		{"another kind", func(all []definition) []definition {
			return append(all[:2], definition{codeintel.Constant, "c", 4, 4})
		}, 2. / 3, 2. / 3, "extra constant c", "recall 0.6667, precision 0.6667"},
		{"another line", func(all []definition) []definition {
			return append(all[:2], definition{codeintel.Variable, "c", 3, 4})
		}, 2. / 3, 2. / 3, "extra variable c", "recall 0.6667"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := comparison{kinds: map[codeintel.Kind]tally{}}
			c.add(name, truth, test.plant(ours(t, name, source)))
			require.InDelta(t, test.recall, c.total().recall(), 1e-9)
			require.InDelta(t, test.precision, c.total().precision(), 1e-9)
			require.Contains(t, c.examples[len(c.examples)-1], test.example)
			require.Contains(t, c.problems()[0], test.threshold)
		})
	}
}

// A kind that is lost altogether is noticed although it is a small part of all.
func TestComparison_FrequentKindMustReachTheLeast(t *testing.T) {
	t.Parallel()
	c := comparison{kinds: map[codeintel.Kind]tally{codeintel.Function: {both: 100_000}, codeintel.Enum: {missed: frequent}}}
	require.Len(t, c.problems(), 1)
	require.Contains(t, c.problems()[0], "enum: recall 0.0000")
	c.kinds[codeintel.Enum] = tally{missed: frequent - 1}
	require.Empty(t, c.problems())
}
