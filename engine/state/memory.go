package state

import (
	"context"
	"errors"
	"path/filepath"

	"forge/engine/workspace"
	"forge/memory"
)

// Memory returns what Forge remembers of a folder from run to run, and through it what holds for all folders. It is open until Close. No
// process is started; both files are made on first use.
func (s *State) Memory(ctx context.Context, root string) (*memory.Project, error) {
	if err := workspace.CheckRoot(root); err != nil {
		return nil, err
	}
	dir, err := workspace.ProjectDir(s.options.Dir, root)
	if err != nil {
		return nil, err
	}
	m, err := s.memories.Get(dir, func() (*memory.Project, error) { return s.openMemory(context.WithoutCancel(ctx), dir, root) })
	if errors.Is(err, ErrClosed) {
		return nil, err
	}
	if err != nil {
		return nil, s.Explain(err)
	}
	return m, ctx.Err()
}

func (s *State) openMemory(ctx context.Context, dir, root string) (*memory.Project, error) {
	m, err := memory.Open(ctx, s.options.Dir, filepath.Base(dir), memory.Options{Now: s.options.Now})
	if err != nil {
		return nil, err
	}
	for _, note := range append(m.Notes(), m.Global.Notes()...) {
		s.Notify(note)
	}
	if err := m.Global.Register(ctx, m.ID(), filepath.Base(root), root); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}
