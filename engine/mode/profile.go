package mode

// Profile is a way to ask a model for a change. All profiles return the same kind of result, which passes through the same gates.
type Profile string

// The profiles.
const (
	// Completion asks once for the whole change.
	Completion Profile = "completion"
	// TestsFirst asks for tests, sees them fail, and asks for the implementation.
	TestsFirst Profile = "tdd"
	// ToolUse asks turn by turn for actions, shows the model their results, and ends when the model reports that
	// it is done. If the work has tests first, they are written and seen to fail before the first turn.
	ToolUse Profile = "tooluse"
)

// Way is how a change is requested: with which profile, and whether failing tests come first.
type Way struct {
	Profile  Profile
	RedTests bool
}

// Choose decides how a change is requested. The user's choice takes precedence, then the mode's preference, then the work:
// a task that needs tests (a fix, a feature) gets them first, any other is one completion.
//
// requiresTests comes from the task's classification; a recipe whose work can have no failing test has none, regardless of
// the profile.
func Choose(asked Profile, m Mode, r Recipe, requiresTests bool) Way {
	red := r.TestsFirst() && (requiresTests || r == TDD || asked == TestsFirst)
	switch {
	case asked == Completion && r != TDD:
		return Way{Profile: Completion}
	case asked == ToolUse || asked == "" && m.Profile == ToolUse:
		return Way{Profile: ToolUse, RedTests: red}
	case red:
		return Way{Profile: TestsFirst, RedTests: true}
	}
	return Way{Profile: Completion}
}
