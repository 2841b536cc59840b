// Package failpoint names the places where a process may die. A test kills the real program at each of them and checks
// that nothing was lost, or makes it panic there and checks its output.
//
// A place is named by a constant where it is, and passed by Hit. Nothing happens there unless Arm chose it.
//
// # Bugs
//
// ReportBug reports what must not happen but can be survived: a panic in a handler, a state the
// code believes impossible. In tests it panics, so that it cannot be overlooked.
package failpoint

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

// Environment is the variable that the program arms a place from: "NAME", or "NAME:3" for the third
// time it is passed; "NAME:3:TEXT" panics with the text instead of dying.
const Environment = "FORGE_FAILPOINT"

type armed struct {
	name  string
	panic string // the text; empty: die
	left  atomic.Int64
}

var chosen atomic.Pointer[armed]

// Arm makes the process die or panic at a place, as Environment demands. An empty text disarms.
func Arm(text string) error {
	if text == "" {
		chosen.Store(nil)
		return nil
	}
	name, count, counted := strings.Cut(text, ":")
	count, broken, _ := strings.Cut(count, ":")
	n := 1
	if counted {
		var err error
		if n, err = strconv.Atoi(count); err != nil || n < 1 {
			return fmt.Errorf("%s: want NAME, NAME:COUNT or NAME:COUNT:TEXT, not %q", Environment, text)
		}
	}
	a := &armed{name: name, panic: broken}
	a.left.Store(int64(n))
	chosen.Store(a)
	return nil
}

// Hit passes a place. It costs a load when nothing is armed.
func Hit(name string) {
	a := chosen.Load()
	if a == nil || a.name != name || a.left.Add(-1) != 0 {
		return
	}
	if a.panic != "" {
		panic(a.panic)
	}
	die()
}

// Armed reports whether a place is chosen. It is for places at which a test takes away something that the machine has.
func Armed(name string) bool {
	a := chosen.Load()
	return a != nil && a.name == name
}

// die ends the process as kill -9 does: nothing deferred runs, nothing is flushed.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {} // the signal is on its way
}
