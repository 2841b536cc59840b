package overseer

// Action is one thing that a model had done: an edit, or a call of a tool.
type Action struct {
	Tool   string // "edit", or the name of the tool
	Result string // a digest of what came of it: the same result is the same digest
	Class  string // of the error; empty where it succeeded
}

// How loops are seen. The window and the failures in a row are seed 001's, the repeated result is ours.
const (
	failureWindow  = 6  // actions in which failures are looked for
	failuresInARow = 3  // of the same class
	resultWindow   = 10 // actions in which repetitions are looked for
	mostRepeated   = 5  // times the same tool may come to the same result in it
)

// Looping says why a model that took these actions, oldest first, goes in a circle; it is empty where it does not.
func Looping(actions []Action) string {
	switch {
	case failsAlike(actions):
		return "the same kind of error came three times in a row: " + actions[len(actions)-1].Class
	case repeats(actions):
		return actions[len(actions)-1].Tool + " came to the same more than five times in ten"
	case cycle(actions) > 0:
		return "the same few actions come again and again"
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

// repeats reports whether the last action came to its result more often than it may.
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

// cycle is the length of a cycle of two or three different actions that was gone through twice just now; 0 is none.
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

// newest are the last n, or all where there are fewer.
func newest[T any](all []T, n int) []T { return all[max(0, len(all)-n):] }
