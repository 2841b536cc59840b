package mode

// Profile is a way to ask a model for a change. All of them give the same kind of answer, and the result goes
// through the same gates.
type Profile string

// The profiles.
const (
	// Completion asks once for the whole change.
	Completion Profile = "completion"
	// TestsFirst asks for tests, sees them fail, and asks for the implementation.
	TestsFirst Profile = "tdd"
	// ToolUse asks turn by turn for actions, shows the model what came of them, and ends when it says that it is
	// done. Where the work has tests first, those are written and seen to fail before the first turn.
	ToolUse Profile = "tooluse"
)

// Way is how a change is asked for: by which profile, and whether tests that fail come first.
type Way struct {
	Profile  Profile
	RedTests bool
}

// Choose decides how a change is asked for. What the user asked for wins, then what the mode prefers, then the work: a task
// that needs tests (a fix, a feature) gets them first, any other is one completion.
//
// requiresTests is what is known of the task itself (its classification); a recipe whose work can have no failing test has
// none, whatever anybody asks for.
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
