package flow

import "os"

func hostName() string {
	name, _ := os.Hostname() // unknown: then only the heartbeat shows a death
	return name
}

// born is not needed here: see isProcess.
func born(int) string { return "" }

// isProcess has no cheap answer here: the heartbeat shows a death.
func isProcess(int, string) bool { return true }
