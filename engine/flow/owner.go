package flow

import (
	"os"
	"time"
)

// Owner is a process. The zero value is nobody.
type Owner struct {
	Host string // the machine since it was started, or the part of it that numbers its own processes
	PID  int
	Born string // when the process was started, as the system says it, if it does: numbers are used again
}

// ThisProcess is the owner that this process is.
func ThisProcess() Owner {
	return Owner{Host: hostName(), PID: os.Getpid(), Born: born(os.Getpid())}
}

// Of a lease: how often it is renewed, how often its owner looks for requests, and after how long without renewal
// the owner counts as dead. A death is known within deadAfter, or at once on the same machine. A process that is seen to
// live may be slow, as on a disk that stalls: it counts as dead after stuckAfter.
const (
	renewEvery = 500 * time.Millisecond
	lookEvery  = 200 * time.Millisecond
	deadAfter  = 2 * time.Second
	stuckAfter = 10 * time.Second
)

// isAlive reports whether the owner works on its run, as seen by a process on host at a time. A clock that was set back
// counts as no sign of life: whoever lives soon gives a new one. Whoever was taken for dead is fenced.
func (o Owner) isAlive(host string, heartbeat, at time.Time) bool {
	silence := at.Sub(heartbeat).Abs()
	switch {
	case o == Owner{} || silence > stuckAfter:
		return false
	case o.Host != host || o.Born == "":
		return silence <= deadAfter && (o.Host != host || isProcess(o.PID, o.Born))
	default:
		return isProcess(o.PID, o.Born)
	}
}
