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

// prover walks a tree once: a folder is one piece of work.
type prover struct {
	root    string
	known   map[string]held
	want    gitdir.Listing
	folders map[string]bool
	mode    fs.FileMode // of folders

	turns chan struct{}  // limits concurrent folders to the number of processors
	all   sync.WaitGroup // the unfinished folders

	mu    sync.Mutex // guards the fields below
	files map[string]held
	err   error // the first error; it ends the walk
}

func unproven(want gitdir.Listing) map[string]held {
	files := make(map[string]held, len(want))
	for name, l := range want {
		files[name] = held{Leaf: l}
	}
	return files
}

// walk records the stamps of verified files, and removes the others.
func (p *prover) walk() error {
	p.turns, p.files = make(chan struct{}, runtime.GOMAXPROCS(0)), unproven(p.want)
	p.visit(".")
	p.all.Wait()
	return p.err
}

// visit checks a folder and those below it, each in its turn.
func (p *prover) visit(dir string) {
	p.all.Go(func() {
		p.turns <- struct{}{}
		defer func() { <-p.turns }()
		if p.ended() {
			return
		}
		proven, below, err := p.folder(dir)
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, name := range proven {
			p.files[name] = p.known[name]
		}
		if p.err == nil {
			p.err = err
		}
		for _, name := range below {
			p.visit(name)
		}
	})
}

func (p *prover) ended() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err != nil
}

// folder checks the entries of one folder: it returns the verified files, and the wanted folders, and removes all others.
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

// reopen restores the original mode of a folder: a test may have changed it.
func (p *prover) reopen(name string, info fs.FileInfo) error {
	if info.Mode() == p.mode {
		return nil
	}
	return restoreMode(filepath.Join(p.root, filepath.FromSlash(name)), p.mode)
}

// holds reports whether a file is the wanted one.
func (p *prover) holds(name string, info fs.FileInfo) bool {
	h, known := p.known[name]
	wanted, ok := p.want[name]
	return known && ok && h.Leaf == wanted && h.stamp != (gitdir.Stamp{}) && h.stamp == gitdir.StampOf(info)
}

func restoreMode(folder string, mode fs.FileMode) error {
	return os.Chmod(folder, mode&(fs.ModePerm|fs.ModeSetgid|fs.ModeSetuid|fs.ModeSticky))
}
