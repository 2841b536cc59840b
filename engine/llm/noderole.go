package llm

import "strings"

// NodeRole returns the role of a node, without the part of a plan: "executor" for "executor" and for "pay/executor". It determines
// the model.
func NodeRole(node string) string {
	return node[strings.LastIndexByte(node, '/')+1:]
}
