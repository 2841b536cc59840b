package flow

import (
	"os"
	"time"
)

// Owner is a process. The zero value is no process.
type Owner struct {
	Host string // the machine since its boot, or the namespace of process numbers on it
	PID  int
	Born string // start time of the process as the system reports it, if it does: process numbers are reused
}

// ThisProcess returns the owner for this process.
func ThisProcess() Owner {
	return Owner{Host: hostName(), PID: os.Getpid(), Born: born(os.Getpid())}
}

// The times of a lease: how often it is renewed, how often its owner checks for requests, and after how long without
// renewal the owner counts as dead. A death is noticed within deadAfter, or at once on the same machine. A process that
// is seen alive may be slow, for example on a stalled disk: it counts as dead after stuckAfter.
const (
	renewEvery = 500 * time.Millisecond
	lookEvery  = 200 * time.Millisecond
	deadAfter  = 2 * time.Second
	stuckAfter = 10 * time.Second
)

// isAlive reports whether the owner works on its run, as seen by a process on host at a time. A heartbeat in the
// future, after a clock was set back, does not count: a living owner soon writes a new one. An owner that was wrongly
// taken for dead is fenced.
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

// Alive reports whether the owner is a living process of this machine. A process with other process numbers, such as
// one in a container, counts as dead.
func (o Owner) Alive() bool {
	return o != (Owner{}) && o.Host == hostName() && isProcess(o.PID, o.Born)
}
