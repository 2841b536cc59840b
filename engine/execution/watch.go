package execution

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
)

// Patience limits how long nodes may work in one execution of a run. The zero Patience has the default limits. A plan that expects a part to
// take long raises both for it: to three times the expected minutes.
type Patience struct {
	// Part limits a part of a plan, plus a third for each level of fan-out above it. 0 is partLimit in a run of the default duration, and in
	// proportion to the duration in others.
	Part time.Duration
	// Silence limits the time without an event or streamed text of a node's module; 0 is usualSilence.
	Silence time.Duration
}

const (
	partLimit    = 15 * time.Minute
	levelPart    = 3                // 5 minutes of 15
	timesPlanned = 3                // what the plan expects of a part, at least
	usualSilence = 15 * time.Minute // three requests of which a server may be silent (wire.Patience)
)

// glance is the interval at which a node is checked; it is shorter if a limit is less than four of them.
const glance = 10 * time.Second

// watch ends the work of nodes that take too long: of a part that has worked for longer than its limit, and of any node that was silent for
// too long. Waiting for the user, a batch or a gate does not count; gates have their own limits.
type watch struct {
	run      string
	part     time.Duration // see Patience
	silence  time.Duration
	glance   time.Duration
	log      *event.Log
	liveText *event.LiveText

	mu   sync.Mutex // guards used
	used map[string]time.Duration
}

func (l *Execution) watch(p Patience) *watch { return newWatch(l.Run, p, l.params.Duration) }

// newWatch watches a run that may take a duration; 0 is the default.
func newWatch(run *Run, p Patience, duration time.Duration) *watch {
	w := &watch{run: run.ID, part: p.Part, silence: cmp.Or(p.Silence, usualSilence), log: run.Log, liveText: &run.LiveText, used: map[string]time.Duration{}}
	if w.part == 0 {
		w.part = time.Duration(partLimit.Seconds() * float64(cmp.Or(duration, DefaultDuration)) / DefaultDuration.Seconds())
	}
	w.glance = min(glance, w.part/4, w.silence/4)
	return w
}

// node is work.Env.Watch.
func (w *watch) node(ctx context.Context, n graph.Node, t work.Timing) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	go w.follow(ctx, n, t, &view{of: partOf(n.ID), seen: len(w.log.Since(0)), gates: map[string]bool{}}, end)
	return ctx, func() { end(nil) }
}

// limit returns how long a part may work.
func (w *watch) limit(t work.Timing) time.Duration {
	usual := w.part + time.Duration(t.Levels)*w.part/levelPart
	return max(usual, timesPlanned*time.Duration(t.Expected)*time.Minute)
}

func (w *watch) follow(ctx context.Context, n graph.Node, t work.Timing, v *view, end context.CancelCauseFunc) {
	looks := time.NewTicker(w.glance)
	defer looks.Stop()
	quiet, most := time.Duration(0), max(w.silence, timesPlanned*time.Duration(t.Expected)*time.Minute)
	for {
		select {
		case <-ctx.Done():
			return
		case <-looks.C:
		}
		heard := v.look(w.log, w.liveText)
		if v.waits(w.log) {
			quiet = 0
			continue
		}
		if quiet += w.glance; heard {
			quiet = 0
		}
		switch limit := w.limit(t); {
		case t.Part != "" && w.use(t.Part) >= limit:
			end(fmt.Errorf("the part %s has worked for %s, which is its limit. Resume it: forge resume %s", t.Part, limit, w.run))
			return
		case quiet >= most:
			end(fmt.Errorf("%s was silent for %s, so Forge stopped it. Resume it: forge resume %s", n.ID, most, w.run))
			return
		}
	}
}

// use adds a glance to the time that a part has worked, and returns it.
func (w *watch) use(part string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.used[part] += w.glance
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

// partOf returns the part that a node is of; empty for the whole.
func partOf(node string) string { return node[:max(0, strings.IndexByte(node, '/'))] }

// look reads what has happened since the last look, and reports whether it was about the module.
func (v *view) look(log *event.Log, speech *event.LiveText) (heard bool) {
	events := log.Since(v.seen)
	v.seen += len(events)
	for _, e := range events {
		heard = v.hear(e.Data) || heard
	}
	said := speech.Received(func(node string) bool { return partOf(node) == v.of })
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

// waits reports whether the module waits for the user, for a batch or for a gate.
func (v *view) waits(log *event.Log) bool {
	for _, q := range log.Standing().Questions {
		if q.Open && partOf(q.ID) == v.of {
			return true
		}
	}
	return v.batch || len(v.gates) > 0
}
