package golang

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWeights_CountPackagesToCompile(t *testing.T) {
	t.Parallel()
	all := []listed{
		{path: "a"},
		{path: "b", imports: []string{"a", "fmt"}},
		{path: "c", imports: []string{"b", "a"}, testsUse: []string{"testing", "c"}},
		{path: "x", imports: []string{"y"}},
		{path: "y", imports: []string{"x"}}, // they do not compile
	}
	of := map[string]int{"a": 0, "b": 1, "c": 2}
	require.Equal(t, map[string]int{"a": 1, "b": 3, "c": 4}, weights(all, of, wantBuilds))
	require.Equal(t, map[string]int{"a": 1, "b": 3, "c": 5}, weights(all, of, wantTests))
	require.NotZero(t, weights(all, map[string]int{"x": 1}, wantBuilds)["x"])
}

// Of packages at the same distance the one that needs least is the first: the command that everything is compiled into is the last.
func TestSplit_BeginsWithTheLightest(t *testing.T) {
	t.Parallel()
	all := []listed{{path: "cmd", imports: []string{"a", "b", "heavy"}}, {path: "a"}, {path: "b", imports: []string{"a"}}, {path: "c", imports: []string{"b"}}, {path: "heavy"}}
	s := selection{packages: all[:4], far: map[string]int{"a": 0, "b": 1, "cmd": 1, "c": 2}}
	s.weight = weights(all, s.far, wantBuilds)
	first, rest := s.split(func(listed) bool { return true })
	require.Equal(t, []string{"a"}, first)
	require.Equal(t, [][]string{{"b"}, {"cmd", "c"}}, rest)
}
