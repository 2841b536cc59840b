// Package permission decides whether a tool call of a model may happen. It is pure: the same action, policy and consent always have
// the same decision.
//
//	Action ─► rules ─► risk ─► settings ─► user ─► command ─► paths ─► mode ─► repetition ─► strict      the strictest demand wins
//	                                                                                    │
//	                        Ask: a flag, a rule of the user, an earlier answer or this answer may allow it ◄─┘
//	                        AskStrict: only an answer to this very call may
//	                        Deny: nothing may
//
// The layer "command" judges the arguments of a command by tables of what programs do (command.go).
//
// Every decision, and every refused call, is a Row of the audit log, which is chained by hashes (audit.go).
//
// Invariants: a layer only tightens; Deny absorbs; a consent covers neither AskStrict nor Deny; a critical command is denied, unless a
// rule of the user is exactly that command; an Approval holds for the call that was shown, in its folder and run, until it expires, and
// once if it was given once.
package permission

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"forge/engine/mode"
)

// Verdict is whether a call may happen. The zero Verdict denies it, and a smaller one is stricter.
type Verdict int

// The verdicts.
const (
	Deny      Verdict = iota
	AskStrict         // the user must be asked about this very call
	Ask               // the user must have consented: now, earlier, or by a flag
	Allow
)

// String returns the verdict as the audit log has it.
func (v Verdict) String() string {
	if v < Deny || v > Allow {
		return "deny"
	}
	return [...]string{"deny", "ask-strict", "ask", "allow"}[v]
}

// Risk ranks the possible harm of a call.
type Risk = mode.Risk

// Effect is what a call touches besides its answer.
type Effect int

// The effects.
const (
	None    Effect = iota // nothing
	Read                  // reads files, or what is kept
	Write                 // changes files of the run's tree
	Exec                  // starts processes, in the run's tree
	Network               // leaves the machine
	Outside               // acts through another program, which the user has added: on anything
)

// String returns the effect for users and the wire.
func (e Effect) String() string {
	return [...]string{"none", "read", "write", "exec", "network", "outside"}[e]
}

// Kind is what an action is, for rules and flags.
type Kind string

// The kinds of actions.
const (
	Look     Kind = "look"     // reads the run's tree, its index or its history
	Edit     Kind = "edit"     // changes files of the run's tree
	Check    Kind = "check"    // runs the folder's compilers, linters and tests
	Command  Kind = "command"  // starts a program that the model names
	Web      Kind = "web"      // reads from the web
	MCP      Kind = "mcp"      // calls a tool of an MCP server
	Question Kind = "question" // asks the user; the run itself does that for nodes that may ask
)

// Agent is the part of a run that calls a tool.
type Agent string

// The agents.
const (
	Build Agent = "build" // writes changes
	Plan  Agent = "plan"  // looks at the folder before the work
	Debug Agent = "debug" // finds out about a tree by looking and running, and changes nothing that is kept
	Other Agent = "other" // may only look, such as a model that asks to see more before it answers
)

// Action is a call of a tool.
type Action struct {
	Kind      Kind
	Tool      string
	Resources []string // the paths that it would change, or what it reads: a path or an address
	Effect    Effect
	Risk      Risk
	Agent     Agent
	Argv      []string // of a Command: exactly what would be started
	Call      string   // its canonical form: equal for calls that ask for the same
	Folder    string   // the folder of the run
	Repeats   int      // how often the run has made this very call before, with nothing changed since
}

// Digest identifies the call in its folder: a change of one byte of the tool, the arguments or the folder changes it.
func (a Action) Digest() string { return digest(a.Tool, a.Call, a.Folder) }

// digest is the SHA-256 of texts, as hexadecimal digits. It is of their JSON, so that no two lists of texts are joined alike.
func digest(parts ...string) string {
	text, _ := json.Marshal(parts) // of strings
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Decision is what was decided about an action.
type Decision struct {
	Verdict Verdict
	Layer   string // that decided
	Code    string // the reason for programs; empty if the verdict is Allow by default
	Reason  string // for the model and the user, as a clause
	Digest  string // of the action
	Allowed int    `json:",omitempty"` // of a question: how often the user allowed the same call once
}

// Consent is what the user has agreed to, besides the flags of the policy.
type Consent struct {
	Standing *Grant    // an earlier answer that holds for the run or the folder; nil is none
	Answer   *Approval // the answer to the question about this call; nil before it was asked
	Used     bool      // the answer was used already
	Now      time.Time
}
