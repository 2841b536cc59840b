package flow

import "os"

func hostName() string {
	name, _ := os.Hostname() // unknown: death is then seen by the heartbeat alone
	return name
}

// born is not needed here: see isProcess.
func born(int) string { return "" }

// isProcess cannot tell cheaply here: death is seen by the heartbeat.
func isProcess(int, string) bool { return true }
