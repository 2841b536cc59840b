package overseer

// Action is one action of a model: an edit, or a tool call.
type Action struct {
	Tool   string // "edit", or the name of the tool
	Result string // digest of the result: equal results have equal digests
	Class  string // class of the error; empty if it succeeded
}

// The limits for loops. The window and the failures in a row are from seed 001, the repeated result is ours.
const (
	failureWindow  = 6  // number of actions in which failures are counted
	failuresInARow = 3  // of the same class
	resultWindow   = 10 // number of actions in which repetitions are counted
	mostRepeated   = 5  // how often a tool may have the same result in it
)

// Looping returns why a model with these actions, oldest first, is in a loop; empty if it is not.
func Looping(actions []Action) string {
	switch {
	case failsAlike(actions):
		return "the same kind of error occurred three times in a row: " + actions[len(actions)-1].Class
	case repeats(actions):
		return actions[len(actions)-1].Tool + " had the same result more than five times in ten"
	case cycle(actions) > 0:
		return "the same few actions are repeated"
	}
	return ""
}

// failsAlike reports whether the last actions of the window failed in the same way.
func failsAlike(actions []Action) bool {
	window := newest(actions, failureWindow)
	if len(window) < failuresInARow {
		return false
	}
	class := window[len(window)-1].Class
	for _, a := range window[len(window)-failuresInARow:] {
		if class == "" || a.Class != class {
			return false
		}
	}
	return true
}

// repeats reports whether the last action had its result more often than allowed.
func repeats(actions []Action) bool {
	if len(actions) == 0 {
		return false
	}
	last, times := actions[len(actions)-1], 0
	for _, a := range newest(actions, resultWindow) {
		if a.Tool == last.Tool && a.Result == last.Result {
			times++
		}
	}
	return times > mostRepeated
}

// cycle returns the length of a cycle of two or three different actions that was just repeated; 0 if there is none.
func cycle(actions []Action) int {
	for length := 2; length <= 3; length++ {
		tail := newest(actions, 2*length)
		if len(tail) < 2*length {
			return 0
		}
		same, varied := true, false
		for i := range length {
			same = same && tail[i].Tool == tail[i+length].Tool && tail[i].Result == tail[i+length].Result
			varied = varied || tail[i] != tail[0]
		}
		if same && varied {
			return length
		}
	}
	return 0
}

// newest returns the last n, or all if there are fewer.
func newest[T any](all []T, n int) []T { return all[max(0, len(all)-n):] }
