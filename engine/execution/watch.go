package execution

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
)

// The limits of a part of a plan: how long its nodes may work in one execution of a run of the default duration, more for each level of
// fan-out above it, and as a multiple of what the plan expects. A run that may take longer gives its parts more in proportion.
const (
	partLimit    = 15 * time.Minute
	levelLimit   = 5 * time.Minute
	timesPlanned = 3
)

// silence is how long nothing may be heard of a node: three times as long as a server may be silent (wire.Patience).
const silence = 15 * time.Minute

// glance is how often a node is looked at.
const glance = 10 * time.Second

// watch ends the work of nodes that take too long: of a part that has worked for longer than its limit, and of any node of which
// nothing was heard for too long. Waiting for the user or for a batch is no work, and a gate has a limit of its own.
type watch struct {
	run      string
	duration time.Duration // of the run
	log      *event.Log
	speech   *event.Speech

	mu   sync.Mutex // guards used
	used map[string]time.Duration
}

func (l *Execution) watch() *watch {
	return &watch{run: l.Run.ID, duration: l.params.Duration, log: l.Run.Log, speech: &l.Run.Speech, used: map[string]time.Duration{}}
}

// node is work.Env.Watch.
func (w *watch) node(ctx context.Context, n graph.Node, t work.Timing) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	go w.follow(ctx, n, t, &view{of: partOf(n.ID), seen: len(w.log.Since(0)), gates: map[string]bool{}}, end)
	return ctx, func() { end(nil) }
}

// limit returns how long a part may work.
func (w *watch) limit(t work.Timing) time.Duration {
	usual := partLimit + time.Duration(t.Levels)*levelLimit
	if w.duration > 0 {
		usual = time.Duration(float64(usual) * float64(w.duration) / float64(DefaultDuration))
	}
	return max(usual, timesPlanned*time.Duration(t.Expected)*time.Minute)
}

func (w *watch) follow(ctx context.Context, n graph.Node, t work.Timing, v *view, end context.CancelCauseFunc) {
	looks := time.NewTicker(glance)
	defer looks.Stop()
	quiet, most := time.Duration(0), max(silence, timesPlanned*time.Duration(t.Expected)*time.Minute)
	for {
		select {
		case <-ctx.Done():
			return
		case <-looks.C:
		}
		heard := v.look(w.log, w.speech)
		if v.waits(w.log) {
			quiet = 0
			continue
		}
		if quiet += glance; heard || len(v.gates) > 0 {
			quiet = 0
		}
		switch limit := w.limit(t); {
		case t.Part != "" && w.use(t.Part) >= limit:
			end(fmt.Errorf("the part %s has worked for %s, which is its limit. Go on where it is: forge resume %s", t.Part, limit, w.run))
			return
		case quiet >= most:
			end(fmt.Errorf("nothing was heard of %s for %s, so it was ended. Go on where it is: forge resume %s", n.ID, most, w.run))
			return
		}
	}
}

// use adds a glance to the time that a part has worked, and returns it.
func (w *watch) use(part string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.used[part] += glance
	return w.used[part]
}

// view is what is known of the nodes of a module while one of them works.
type view struct {
	of    string // the part; empty for the whole
	seen  int    // events
	said  int    // by models
	batch bool   // a call waits for a batch
	gates map[string]bool
}

func partOf(node string) string {
	part, _, found := strings.Cut(node, "/")
	if !found {
		return ""
	}
	return part
}

// look reads what has happened since the last look, and reports whether it was about the module.
func (v *view) look(log *event.Log, speech *event.Speech) (heard bool) {
	events := log.Since(v.seen)
	v.seen += len(events)
	for _, e := range events {
		heard = v.hear(e.Data) || heard
	}
	said := speech.Heard(func(node string) bool { return partOf(node) == v.of })
	heard, v.said = heard || said != v.said, said
	return heard
}

// hear reports whether an event is about the module.
func (v *view) hear(d event.Data) bool {
	var node string
	switch d := d.(type) {
	case event.ModelCalled:
		node = d.Node
		v.batch = v.batch && partOf(node) != v.of
	case event.BatchWaiting:
		node = d.Node
		v.batch = v.batch || partOf(node) == v.of
	case event.GateStarted:
		if node = d.Node; partOf(node) == v.of {
			v.gates[d.Gate] = true
		}
	case event.GateFinished:
		if node = d.Node; partOf(node) == v.of {
			delete(v.gates, d.Report.Gate)
		}
	case event.ToolUsed:
		node = d.Node
	case event.ModelWarming:
		node = d.Node
	case event.ModelWarmed:
		node = d.Node
	case event.NodeChanged:
		node = d.Node.ID
	case event.Answered:
		node = d.QuestionID
	default:
		return false
	}
	return partOf(node) == v.of
}

// waits reports whether the module waits for the user or for a batch.
func (v *view) waits(log *event.Log) bool {
	for _, q := range log.Standing().Questions {
		if q.Open && partOf(q.ID) == v.of {
			return true
		}
	}
	return v.batch
}
