package activity

import (
	"context"
	"fmt"
	"sync"
	"time"

	"forge/engine/permission"
	"forge/engine/step"
	"forge/engine/tool"
)

// Permits decides about the tool calls of one run, and keeps a record of each decision. Its methods may be called from any goroutine; of
// nil, they decide by the strictest policy.
type Permits struct {
	Policy permission.Policy
	Grants []tool.Grants // all of them must allow a call: those that the run began with, and those of now
	Folder string        // of the run
	Run    string        // its id
	Book   Book          // nil keeps nothing

	mu   sync.Mutex
	used map[string]bool // approvals that held once, by their keys; guarded by mu
}

// Book keeps the user's answers, and the audit log.
type Book interface {
	// Standing returns the answer that holds for a call in a run; nil if there is none.
	Standing(digest, run string, now time.Time) (*permission.Grant, error)
	// Keep keeps an answer that holds longer than one call.
	Keep(ctx context.Context, g permission.Grant) error
	// Record appends a row to the audit log.
	Record(ctx context.Context, r permission.Row) error
	// Approvals counts how often the user allowed a call once.
	Approvals(digest string) int
}

// decide decides about a call, and records the decision: what cannot be recorded is denied.
func (p *Permits) decide(ctx context.Context, t tool.Tool, c step.ToolCall, now time.Time) (permission.Action, permission.Decision) {
	if p == nil {
		p = &Permits{}
	}
	action := t.Action(c.Agent, p.Folder, c.Args)
	action.Repeats = c.Repeats
	policy := p.Policy
	for _, g := range p.Grants {
		policy.Settings = append(policy.Settings, g.Settings(t, c.Args))
	}
	if n := len(p.Grants); n > 0 {
		policy.Rules = p.Grants[n-1].Permissions
	}
	consent := permission.Consent{Answer: c.Answer, Now: now}
	var err error
	if p.Book != nil && c.Answer == nil {
		consent.Standing, err = p.Book.Standing(action.Digest(), p.Run, now)
	}
	consent.Used = c.Answer != nil && p.wasUsed(*c.Answer)
	d := policy.Decide(action, consent)
	if err == nil && d.Verdict == permission.Allow && d.Layer == "answer" {
		err = p.keep(ctx, action, *c.Answer, now)
	}
	if p.Book != nil && d.Verdict == permission.Ask {
		d.Allowed = p.Book.Approvals(d.Digest)
	}
	scope := permission.Scope("")
	if c.Answer != nil {
		scope = c.Answer.Scope
	}
	if err == nil {
		err = p.record(ctx, action, string(c.Args), d, scope, now)
	}
	if err != nil {
		return action, permission.Decision{Verdict: permission.Deny, Layer: "audit", Code: "audit", Digest: d.Digest, Reason: fmt.Sprintf("nothing is done that cannot be recorded: %v", err)}
	}
	return action, d
}

// wasUsed reports whether an approval was used in this process, and marks it.
func (p *Permits) wasUsed(a permission.Approval) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used == nil {
		p.used = map[string]bool{}
	}
	was := p.used[a.Key()]
	p.used[a.Key()] = true
	return was
}

// keep keeps an answer that holds for the run or the folder.
func (p *Permits) keep(ctx context.Context, a permission.Action, given permission.Approval, now time.Time) error {
	if p.Book == nil || given.Scope == permission.Once {
		return nil
	}
	return p.Book.Keep(ctx, permission.Grant{
		Tool: a.Tool, Shown: a.Call, Digest: a.Digest(), Scope: given.Scope, Run: p.Run, Given: now.UTC(), Expires: given.Expires,
	})
}

// unknown records a call of a tool that does not exist.
func (p *Permits) unknown(ctx context.Context, c step.ToolCall, now time.Time) {
	a := permission.Action{Tool: c.Tool, Agent: c.Agent, Call: string(c.Args)}
	d := permission.Decision{Verdict: permission.Deny, Layer: "tools", Code: "unknown_tool", Reason: "there is no such tool", Digest: a.Digest()}
	_ = p.record(ctx, a, a.Call, d, "", now) // nothing is done either way
}

// maxRecorded limits how much of a call is kept in a row, in bytes.
const maxRecorded = 2000

// record appends a decision to the audit log.
func (p *Permits) record(ctx context.Context, a permission.Action, call string, d permission.Decision, scope permission.Scope, now time.Time) error {
	if p == nil || p.Book == nil {
		return nil
	}
	return p.Book.Record(ctx, permission.Row{
		Time: now, Run: p.Run, Agent: a.Agent, Tool: a.Tool, Call: call[:min(len(call), maxRecorded)], Digest: d.Digest,
		Verdict: d.Verdict.String(), Layer: d.Layer, Code: d.Code, Reason: d.Reason, Scope: scope,
	})
}
