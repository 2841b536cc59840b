package execution

import (
	"context"
	"fmt"
	"os"
	"time"

	"forge/engine/state"
	"forge/memory"
)

// collectedEvery is how often the memory of a folder is collected without being asked: when a run ends there, once a day.
const collectedEvery = 24 * time.Hour

// runMemory is what a run writes into the memory of its folder: its task, specifications, what gates taught, and that it began and ended.
type runMemory struct {
	host    *Host
	run     *Run
	params  Params
	project *state.Project
	fenced  func() bool // another process has taken the run over
}

// memory is what the run writes into the memory of its folder.
func (l *Execution) memory() *runMemory {
	return &runMemory{host: l.host, run: l.Run, params: l.params, project: l.project, fenced: l.fenced}
}

// reopen notes in memory that the run goes on: what it keeps for the run stays.
func (l *runMemory) reopen(ctx context.Context) {
	l.note(ctx, "goes on", (*memory.Project).BeginRun)
}

// end notes in memory that the run has ended: what it keeps for the run goes a day later.
func (l *runMemory) end(ctx context.Context) {
	l.note(ctx, "has ended", (*memory.Project).EndRun)
}

func (l *runMemory) note(ctx context.Context, what string, note func(*memory.Project, context.Context, string) error) {
	m, err := l.host.State.Memory(ctx, l.params.Root)
	if err == nil {
		err = note(m, ctx, l.run.ID)
	}
	if err != nil {
		l.host.State.Notify(fmt.Sprintf("memory could not be told that run %s %s: %v", l.run.ID, what, err))
	}
}

// collect removes what has lived its time in the folder's memory, once a day. How the run ended is kept before:
// a process that dies here takes nothing of it away.
func (l *runMemory) collect(ctx context.Context) {
	now, stamp := l.host.Now(), l.project.CollectedFile()
	if last, err := os.Stat(stamp); err == nil && now.Sub(last.ModTime()) < collectedEvery {
		return
	}
	m, err := l.host.State.Memory(ctx, l.params.Root)
	if err == nil {
		_, err = m.GC(ctx, now)
	}
	if err != nil {
		l.host.State.Notify(fmt.Sprintf("what has lived its time could not be removed from memory: %v", err))
		return
	}
	if err := os.WriteFile(stamp, nil, 0o600); err == nil {
		_ = os.Chtimes(stamp, now, now) // else it has the time of the system, which is as good
	}
}
