package golang

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

// b is imported by c, and by the tests of d.
func TestHopeful_OmitsTestsOfUncompiledPackages(t *testing.T) {
	t.Parallel()
	tree := module(t)
	tools := toolsFor(machine())
	tools.known, tools.built = &listings{}, &perTree[compilation]{}
	change := gate.Scope{Changed: []string{"a/a.go"}, Reach: gate.ReachWide}
	suite := newTest(tools, time.Minute)
	hasty := newBuild(tools, time.Minute, time.Nanosecond)
	require.Equal(t, "1 package built: 2 of 2 packages that only import what has changed were not checked, there was no time", hasty.RunIn(t.Context(), tree, change).Summary)
	report := suite.RunIn(t.Context(), tree, change)
	require.Equal(t, []string{"example.com/m/a.Test_a"}, report.Held)
	require.Equal(t, "3 of 3 packages that only import what has changed were not checked, there was no time", report.Notice)

	patient := newBuild(tools, time.Minute, time.Minute)
	require.Equal(t, "3 packages built, of 5: those that the change concerns", patient.RunIn(t.Context(), tree, change).Summary)
	report = suite.RunIn(t.Context(), tree, change)
	require.Len(t, report.Held, 4, "the twin: what was compiled is tested")
	require.Empty(t, report.Notice)

	tools.built.keep(tree.Dir(), "another", compilation{left: []string{"example.com/m/b"}})
	require.Len(t, suite.RunIn(t.Context(), tree, change).Held, 4, "it was another tree")
}

func TestHopeful_KeepsTheTimeThatCompilingLeft(t *testing.T) {
	t.Parallel()
	tree := module(t)
	tools := toolsFor(machine())
	tools.known, tools.built = &listings{}, &perTree[compilation]{}
	suite := newTest(tools, time.Minute)
	change := gate.Scope{Changed: []string{"b/b.go"}, Reach: gate.ReachWide}
	require.Len(t, suite.RunIn(t.Context(), tree, change).Held, 3)
	_, state := tools.packages(t.Context(), tree, tools.patterns(t.Context(), tree))
	tools.built.keep(tree.Dir(), state, compilation{spent: time.Minute})
	report := suite.RunIn(t.Context(), tree, change)
	require.Equal(t, []string{"example.com/m/b.Test_b"}, report.Held)
	require.Equal(t, gate.Pass, report.Verdict)
}
