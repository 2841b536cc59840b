// Package impure has everything that the code of a run may not have.
package impure

import (
	"io"
	"maps"
	"math/rand"
	"net/http"
	"os"
	"sync"
	"time"

	"forge/engine/workspace"
)

type table map[string]int

func run(named table, plain map[string]int) {
	var mu sync.Mutex
	go mu.Lock()
	done := make(chan bool)
	for range plain {
		rand.Int()
	}
	for range named {
		io.EOF.Error()
	}
	for range new(workspace.Snapshot).Unsaved {
		io.EOF.Error()
	}
	for range maps.Keys(plain) {
		os.Getpid()
	}
	time.Now()
	time.Sleep(1)
	select {
	case <-time.After(1):
	case done <- http.DefaultClient == nil:
	}
}
