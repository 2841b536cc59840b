package main

import (
	"os"
	"runtime/debug"
)

// softMemory is how much memory the program tries to stay below: what reading a large folder leaves behind is then
// collected sooner, at no cost in time that could be measured. A folder that needs more gets more.
const softMemory = 220 << 20

// limitMemory sets the limit, unless the environment sets another.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemory)
	}
}
