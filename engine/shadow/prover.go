package shadow

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"sync"

	"forge/engine/gitdir"
)

// prover walks over a tree once, with one worker for each processor: a folder is one piece of work.
type prover struct {
	root    string
	known   map[string]held
	want    gitdir.Listing
	folders map[string]bool
	mode    fs.FileMode // of folders

	mu      sync.Mutex // guards all below
	more    *sync.Cond // the queue has grown, or the walk is over
	queue   []string   // folders that nobody works on yet
	pending int        // folders that are in the queue or worked on
	files   map[string]held
	err     error // the first; it ends the walk
}

func unproven(want gitdir.Listing) map[string]held {
	files := make(map[string]held, len(want))
	for name, l := range want {
		files[name] = held{Leaf: l}
	}
	return files
}

// walk fills files with the stamps of what is proven, and removes what is not.
func (p *prover) walk() error {
	p.more = sync.NewCond(&p.mu)
	p.queue, p.pending, p.files = []string{"."}, 1, unproven(p.want)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for dir, ok := p.next(); ok; dir, ok = p.next() {
				proven, below, err := p.folder(dir)
				p.done(proven, below, err)
			}
		})
	}
	workers.Wait()
	return p.err
}

// next waits for a folder to work on; not ok is the end of the walk.
func (p *prover) next() (dir string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.queue) == 0 && p.pending > 0 && p.err == nil {
		p.more.Wait()
	}
	if p.pending == 0 || p.err != nil {
		return "", false
	}
	last := len(p.queue) - 1
	dir, p.queue = p.queue[last], p.queue[:last]
	return dir, true
}

func (p *prover) done(proven, below []string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range proven {
		p.files[name] = p.known[name]
	}
	p.queue = append(p.queue, below...)
	p.pending += len(below) - 1
	if p.err == nil {
		p.err = err
	}
	p.more.Broadcast()
}

// folder looks at what is in one folder: it gives the files that are proven, and the folders that are wanted, and removes
// all else.
func (p *prover) folder(dir string) (proven, below []string, err error) {
	entries, err := os.ReadDir(filepath.Join(p.root, filepath.FromSlash(dir)))
	if err != nil {
		return nil, nil, err
	}
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		info, err := entry.Info()
		switch {
		case err != nil:
			return nil, nil, err
		case info.IsDir() && p.folders[name]:
			below = append(below, name)
			err = p.reopen(name, info)
		case !info.IsDir() && p.holds(name, info):
			proven = append(proven, name)
		default:
			err = removeAll(filepath.Join(p.root, filepath.FromSlash(name)))
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return proven, below, nil
}

// reopen gives a folder the mode that it was made with: a test may have closed it.
func (p *prover) reopen(name string, info fs.FileInfo) error {
	if info.Mode() == p.mode {
		return nil
	}
	return restoreMode(filepath.Join(p.root, filepath.FromSlash(name)), p.mode)
}

// holds reports whether a file is what want has there.
func (p *prover) holds(name string, info fs.FileInfo) bool {
	h, known := p.known[name]
	wanted, ok := p.want[name]
	return known && ok && h.Leaf == wanted && h.stamp != (gitdir.Stamp{}) && h.stamp == gitdir.StampOf(info)
}

func restoreMode(folder string, mode fs.FileMode) error {
	return os.Chmod(folder, mode&(fs.ModePerm|fs.ModeSetgid|fs.ModeSetuid|fs.ModeSticky))
}
