package dialogue

import (
	"slices"
	"strings"

	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// disown has the tests of this run rewritten if the implementing model reports that one of them is wrong, and names its file: tests
// are frozen for that model, and a model of this run wrote them. They must be seen to fail again, and tests from before the run are
// kept as always. It happens once in a run: the second time, the user is asked.
func (p *Phase) disown(said string) (step.Outcome, bool) {
	if p.Name != work.PhaseImplementation || p.Tests.Written == nil || p.Tests.Disowned || p.Now.Number >= p.Run.AllAttempts() {
		return step.Outcome{}, false
	}
	own := slices.ContainsFunc(p.Tests.Written.Files, func(f patch.FileChange) bool { return p.Run.Project.IsTest(f.Path) && judge.NamesFile(said, f.Path) })
	if !own {
		return step.Outcome{}, false
	}
	p.Tests.Disown()
	return step.Outcome{Signal: step.Retryable, Reason: "the model says that a test of this run is wrong, so the tests are written anew: " + strings.TrimSpace(said)}, true
}
