package terminal

import (
	"strings"

	"forge/engine/event"
)

// ways are the commands that get the user past the end of a run, by remedy. RUN is its id.
var ways = map[event.Remedy]string{
	event.RemedyKey:    "forge setup stores a key; then: forge resume RUN",
	event.RemedyModel:  "forge models lists the models; then: forge resume RUN --model NAME",
	event.RemedyLimit:  "forge resume RUN with --tokens, --usd or --minutes raises the limit",
	event.RemedyTrust:  "forge trust trusts the folder; then run the task again",
	event.RemedyTask:   "run a task in other words: forge run",
	event.RemedyWait:   "later: forge resume RUN",
	event.RemedyAnswer: "forge resume RUN asks the question again",
}

// wayOut returns the line with what helps after a run, or "".
func wayOut(run string, r event.Remedy) string {
	way := ways[r]
	if way == "" {
		return ""
	}
	return "what helps: " + strings.ReplaceAll(way, "RUN", run)
}
