package llm

import "strings"

// NodeRole is what a node asks as, whichever part of a plan it works on: "executor" of "executor" and of "pay/executor". Models are chosen
// by it.
func NodeRole(node string) string {
	return node[strings.LastIndexByte(node, '/')+1:]
}
