package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Parts that follow each other are one piece of work with --lite; parts that could be worked on side by side are not.
func TestPlanLite_WorksOnFollowingPartsAsOne(t *testing.T) {
	t.Parallel()
	const chained = `
- match: {node: planner}
  reply: {json: {explanation: Two steps., parts: [
    {id: sub, title: add Sub, objective: "func Sub(a, b int) int", files: [sub.go, sub_test.go], dependsOn: [], verify: [Sub subtracts], doneWhen: Sub is there, risk: low},
    {id: dist, title: add Dist, objective: "func Dist(a, b int) int uses Sub", files: [dist.go, dist_test.go], dependsOn: [sub], verify: [Dist is positive], doneWhen: Dist is there, risk: high}]}}`
	w := scripted(t, decideExecutor+chained+`
- match: {node: executor, contains: [You write tests, "In this order:\n1. sub: add Sub", "2. dist: add Dist", "Files: sub.go, sub_test.go, dist.go, dist_test.go", "Done when: Sub is there; Dist is there"]}
  reply: {json: {explanation: t, files: [{path: sub_test.go, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc TestSub(t *testing.T) {\n\tif Sub(3, 2) != 1 || Dist(2, 3) != 1 {\n\t\tt.Fatal(\"3-2\")\n\t}\n}\n"}]}}
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: i, files: [{path: sub.go, action: create, content: "package sum\n\n// Sub subtracts.\nfunc Sub(a, b int) int { return a - b }\n"}, {path: dist.go, action: create, content: "package sum\n\n// Dist is the distance.\nfunc Dist(a, b int) int { return max(Sub(a, b), Sub(b, a)) }\n"}]}}`+reviewPass, sumModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--lite", "add Sub and Dist")
	require.Zero(t, code, stdout+stderr)
	w.played()
	require.Contains(t, stderr, "plan: 1 part in 1 tier")
	require.Contains(t, stderr, "the 2 parts are worked on in order, as one piece of work")
	require.Contains(t, stderr, "risk high")
	require.Contains(t, stderr, "not changed, although the plan says so: dist_test.go")
	require.Contains(t, w.read("dist.go"), "func Dist")

	w = scripted(t, decideExecutor+planOfThree, sumModule())
	code, stdout, stderr = w.run("run", "--trust", "--lite", "add Add, Mul and Both")
	require.Equal(t, 3, code, stdout+stderr)
	require.Contains(t, stderr, "plan: 3 parts in 2 tiers")
	require.Contains(t, stderr, "each part is worked on by itself: lite is for at most 4 parts that follow each other")
}
