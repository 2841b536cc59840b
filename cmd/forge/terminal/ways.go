package terminal

import (
	"strings"

	"forge/engine/remedy"
)

// ways are the commands that get the user past the end of a run, by remedy. RUN is its id.
var ways = map[remedy.Remedy]string{
	remedy.Key:    "forge setup stores a key; then: forge resume RUN",
	remedy.Model:  "forge models lists the models; then: forge resume RUN --model NAME",
	remedy.Limit:  "forge resume RUN with --tokens, --usd or --minutes raises the limit",
	remedy.Trust:  "forge trust trusts the folder; then run the task again",
	remedy.Task:   "run a task in other words: forge run",
	remedy.Wait:   "later: forge resume RUN",
	remedy.Answer: "forge resume RUN asks the question again",
}

// wayOut returns the line with what helps after a run, or "".
func wayOut(run string, r remedy.Remedy) string {
	way := ways[r]
	if way == "" {
		return ""
	}
	return "what helps: " + strings.ReplaceAll(way, "RUN", run)
}
