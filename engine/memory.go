package engine

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"forge/engine/workspace"
	"forge/memory"
)

// opensMemory opens the memory of one folder, once.
type opensMemory func() (*memory.Project, error)

// Memory gives what Forge keeps from run to run for a folder, and through it what holds for all folders: one for
// each folder, open until Close. No process is started; both files are made on first use. Text of the calls of
// models is not kept by what it gives, only its length: nothing here knows which of it is secret.
func (e *Engine) Memory(ctx context.Context, root string) (*memory.Project, error) {
	if err := workspace.CheckRoot(root); err != nil {
		return nil, err
	}
	dir, err := workspace.ProjectDir(e.options.StateDir, root)
	if err != nil {
		return nil, err
	}
	open, err := e.memoryIn(dir, root)
	if err != nil {
		return nil, err
	}
	m, err := open()
	if err != nil {
		e.forgetMemory(dir)
		return nil, e.inState(err)
	}
	return m, ctx.Err()
}

// memoryIn gives what opens the memory of a folder below projects, once.
func (e *Engine) memoryIn(dir, root string) (opensMemory, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errClosed
	}
	if open, ok := e.memories[dir]; ok {
		return open, nil
	}
	open := sync.OnceValues(func() (*memory.Project, error) { return e.openMemory(dir, root) })
	e.memories[dir] = open
	return open, nil
}

func (e *Engine) openMemory(dir, root string) (*memory.Project, error) {
	ctx := context.WithoutCancel(e.ctx)
	m, err := memory.Open(ctx, e.options.StateDir, filepath.Base(dir), memory.Options{Now: e.options.Now})
	if err != nil {
		return nil, err
	}
	for _, note := range append(m.Notes(), m.Global.Notes()...) {
		e.note(note)
	}
	if err := m.Global.Register(ctx, m.ID(), filepath.Base(root), root); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func (e *Engine) forgetMemory(dir string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.memories, dir)
}

// closeMemories closes what was opened. Nobody asks for another any more.
func (e *Engine) closeMemories() {
	e.mu.Lock()
	opened := e.memories
	e.memories = nil
	e.mu.Unlock()
	for _, open := range opened {
		if m, err := open(); err == nil {
			_ = m.Close() // what was written is on disk
		}
	}
}
