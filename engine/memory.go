package engine

import (
	"context"
	"errors"
	"path/filepath"

	"forge/engine/workspace"
	"forge/memory"
)

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
	kept, _, ok := e.memories.once(dir, func() *single[*memory.Project] { return &single[*memory.Project]{} })
	if !ok {
		return nil, errClosed
	}
	m, err := kept.get(func() (*memory.Project, error) { return e.openMemory(dir, root) })
	if err != nil {
		return nil, e.inState(err)
	}
	return m, ctx.Err()
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

// closeMemories closes what was opened.
func (e *Engine) closeMemories() {
	for _, kept := range e.memories.close() {
		if m, is := kept.close(); is {
			_ = m.Close() // what was written is on disk
		}
	}
}
