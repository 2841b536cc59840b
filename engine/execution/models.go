package execution

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/mode"
	"forge/engine/pipeline"
	"forge/engine/plan"
	"forge/engine/spend"
	"forge/engine/step"
)

// Choose chooses the model of the node that writes. Events and lists name it as the model of the run.
func Choose(ctx context.Context, c llm.Chooser, folder string) (llm.Choice, error) {
	return c.Choose(ctx, llm.Need{Node: pipeline.Writing, Folder: folder})
}

// pay opens the ledger and sets the limits of the run: those it was begun with, and those that the user raised since.
func (l *Execution) pay(ctx context.Context) error {
	models, err := l.host.Calls.Models(ctx)
	if err != nil {
		return err
	}
	l.models = models
	ledger := models.Ledger
	allowed, err := ledger.Allowed(ctx, l.Run.ID)
	if err != nil {
		return l.host.State.Explain(err)
	}
	if allowed == (spend.Limits{}) {
		allowed = spend.Limits{Tokens: int64(l.params.Tokens), MicroUSD: l.params.MicroUSD}
	}
	if l.raised.Tokens > 0 {
		allowed.Tokens = int64(l.raised.Tokens)
	}
	if l.raised.MicroUSD > 0 {
		allowed.MicroUSD = l.raised.MicroUSD
	}
	return l.host.State.Explain(ledger.Allow(ctx, l.Run.ID, allowed))
}

// addUp adds to the result of a run what it has spent.
func (l *Execution) addUp(o *Outcome) {
	if l.models == nil {
		return
	}
	total, err := l.models.Ledger.Spent(context.Background(), l.Run.ID)
	if err != nil {
		l.host.State.Notify(err.Error())
		return
	}
	o.Tokens, o.Cached, o.Cost = int(total.Tokens), total.Usage.CacheRead, total.Cost
}

// windows returns the context windows, in tokens, of the models of the nodes. They are journaled, so that a replay fits its requests to the
// same windows although the models may have changed.
func (p Params) windows(ctx context.Context, f flow.Flow) (map[string]int, error) {
	if !p.Windows {
		return nil, nil
	}
	return step.ActivityWindows.Call(ctx, f, atStart, "windows", pipeline.Asking())
}

// Choose is the function Choose, and notifies the user of the chooser's notices. A chooser returns each notice once.
func (h *Host) Choose(ctx context.Context, c llm.Chooser, folder string) (llm.Choice, error) {
	choice, err := Choose(ctx, c, folder)
	for _, notice := range choice.Notices {
		h.State.Notify(notice)
	}
	return choice, err
}

// Local reports whether nothing of the run may leave this machine, whatever the settings allow: the request or its mode says so.
func (p Params) Local() bool {
	m, err := mode.Lookup(p.Mode)
	return p.Offline || err == nil && m.Offline
}

// reach returns a context in which the checks of a run that is offline download nothing.
func (p Params) reach(ctx context.Context) context.Context {
	if p.Local() {
		return checks.Offline(ctx)
	}
	return ctx
}

// chooser chooses the models of the run: of this machine if it is offline, and the one that the user named, if any.
func (l *Execution) chooser() llm.Chooser { return named{l.host.Chooser, l.params} }

// named chooses models as the parameters of a run demand.
type named struct {
	llm.Chooser
	params Params
}

// Choose implements llm.Chooser.
func (c named) Choose(ctx context.Context, n llm.Need) (llm.Choice, error) {
	n.Offline, n.Model = c.params.Local(), c.params.Model
	return c.Chooser.Choose(ctx, n)
}

// Focus is what the user pointed at; the zero Focus is the whole folder.
type Focus struct {
	Path               string // relative to the root
	StartLine, EndLine int    // from 1, inclusive; 0 means the whole file
	Diagnostics        []string
	// Since is the commit that a review compares the folder with: a branch, a tag or an id; empty is the one that is checked out.
	Since string `json:",omitempty"`
}

// In returns the focus without the lines beyond the end of text, the text of its file. It fails, with an error for users, if the focus
// begins beyond the end.
func (f Focus) In(text string) (Focus, error) {
	if f.StartLine == 0 {
		return f, nil
	}
	lines := 0
	for range strings.Lines(text) {
		lines++
	}
	if f.StartLine > max(lines, 1) {
		return f, fmt.Errorf("%s has %s: there is no line %d", f.Path, event.Count(lines, "line"), f.StartLine)
	}
	f.EndLine = min(f.EndLine, max(lines, 1))
	return f, nil
}

// Limits are what a run may use. A run that would exceed them is blocked, and can be resumed with higher ones. Zero means the default.
type Limits struct {
	Tokens   int           // of all requests and answers; the default is DefaultTokens
	MicroUSD int64         // millionths of a US dollar; the default is no limit
	Duration time.Duration // of one execution of the run; the default is DefaultDuration
}

// Or fills up what l leaves open.
func (l Limits) Or(o Limits) Limits {
	if l.Tokens <= 0 {
		l.Tokens = o.Tokens
	}
	if l.MicroUSD <= 0 {
		l.MicroUSD = o.MicroUSD
	}
	if l.Duration <= 0 {
		l.Duration = o.Duration
	}
	return l
}

// The limits of a run that names none.
const (
	DefaultTokens   = 1_000_000
	DefaultDuration = 30 * time.Minute
)

// Plan is whether and how a task is cut into parts.
type Plan struct {
	Wanted bool
	Inline bool        // sub-tasks of a part are not worked on side by side
	Lite   bool        `json:",omitempty"` // a small plan whose parts follow each other is worked on as one
	Given  []plan.Part `json:",omitempty"` // the user's own plan; without it a model makes one
}

// title is a task as one short line.
func title(task string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(task), "\n")
	if runes := []rune(line); len(runes) > 72 {
		return string(runes[:71]) + "…"
	}
	return line
}

// scope returns whether a path is in the folder of the focus; without a focus, or with one at the root, every path is.
func scope(f Focus) func(string) bool {
	dir := path.Dir(f.Path)
	if f.Path == "" || dir == "." {
		return func(string) bool { return true }
	}
	return func(p string) bool { return strings.HasPrefix(p, dir+"/") }
}
