package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"forge/engine/flow"
	"forge/engine/shadow"
	"forge/engine/workspace"
)

// project is what Forge keeps of the runs of one folder:
//
//	projects/<hash>/
//	    runs.db          the runs and their journals (engine/flow)
//	    runs/<id>.jsonl  the events of each run
type project struct {
	dir    string
	texts  shadow.Texts
	open   func() (*flow.Store, error) // once
	opened atomic.Pointer[flow.Store]
}

// project gives what is kept of the runs of a folder. Nothing is opened or made yet.
func (e *Engine) project(root string) (*project, error) {
	if err := workspace.CheckRoot(root); err != nil {
		return nil, err
	}
	dir, err := workspace.ProjectDir(e.options.StateDir, root)
	if err != nil {
		return nil, err
	}
	return e.projectIn(dir)
}

// projectIn gives what is kept in a folder below projects.
func (e *Engine) projectIn(dir string) (*project, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errClosed
	}
	if p, ok := e.projects[dir]; ok {
		return p, nil
	}
	p := &project{dir: dir, texts: shadow.TextsOf(e.options.StateDir, filepath.Base(dir))}
	p.open = sync.OnceValues(func() (*flow.Store, error) {
		if err := os.MkdirAll(filepath.Join(dir, "runs"), 0o700); err != nil {
			return nil, e.inState(err)
		}
		store, err := flow.OpenStore(context.WithoutCancel(e.ctx), filepath.Join(dir, "runs.db"), flow.Options{
			Now: e.options.Now, Note: e.note, Vault: vault{p.texts, e.secrets},
		})
		if err != nil {
			e.forgetProject(dir) // the next one tries again
			return nil, e.inState(fmt.Errorf("open the runs of this folder: %w", err))
		}
		p.opened.Store(store)
		return store, nil
	})
	e.projects[dir] = p
	return p, nil
}

func (e *Engine) forgetProject(dir string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.projects, dir)
}

// note tells a person what they should know.
func (e *Engine) note(text string) {
	if e.options.Notice != nil {
		e.options.Notice(text)
	}
}

// store opens the runs of a folder.
func (p *project) store() (*flow.Store, error) { return p.open() }

// known opens the runs of a folder if there are any; else it is nil.
func (p *project) known() (*flow.Store, error) {
	if _, err := os.Stat(filepath.Join(p.dir, "runs.db")); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return p.open()
}

// events is the file of a run's events.
func (p *project) events(id string) string { return filepath.Join(p.dir, "runs", id+".jsonl") }

// answer is the file with what a run answered.
func (p *project) answer(id string) string { return filepath.Join(p.dir, "runs", id+".md") }

// closeProjects closes what was opened. Nothing works on a run any more.
func (e *Engine) closeProjects() {
	for _, p := range e.projects {
		if store := p.opened.Load(); store != nil {
			_ = store.Close() // what was committed is on disk
		}
	}
}
