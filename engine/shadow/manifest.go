package shadow

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"sync"

	"forge/engine/gitdir"
)

// held is a file of a scratch tree: its state in the commit, and its stamp after Forge wrote it. Without a stamp
// its content is unknown.
type held struct {
	gitdir.Leaf
	stamp gitdir.Stamp
}

// manifest is the known content of a scratch tree: all files of a commit. A file that it does not name, or that
// has another stamp now, may contain anything.
type manifest struct {
	commit string
	tree   string // of the commit; set only for the workspace
	files  map[string]held
}

// listing returns the commit that the manifest describes.
func (m manifest) listing() gitdir.Listing {
	files := make(gitdir.Listing, len(m.files))
	for name, h := range m.files {
		files[name] = h.Leaf
	}
	return files
}

// manifestVersion is the format of the file; others are invalid.
const manifestVersion = 2

// errManifest means that a list of files is unusable.
var errManifest = errors.New("the list of files is missing, damaged or of another start of the machine")

// write writes the manifest to a file: numbers and texts one after the other (see encoder), and a hash of them, to
// detect a truncated file.
func (m manifest) write(name string) error {
	e := encoder{out: make([]byte, 0, 160*len(m.files)+256)}
	e.number(manifestVersion)
	for _, text := range []string{gitdir.BootID(), m.commit, m.tree} {
		e.text(text)
	}
	e.number(uint64(len(m.files)))
	for path, h := range m.files {
		e.text(path)
		e.text(h.Mode)
		e.text(h.ID)
		e.stamp(h.stamp)
	}
	sum := sha256.Sum256(e.out)
	return gitdir.ReplaceFile(name, append(e.out, sum[:]...))
}

// readManifest reads a file of write, if it was written since the machine's boot.
func readManifest(name string) (manifest, error) {
	content, err := os.ReadFile(name) //nolint:gosec // our own file
	if err != nil {
		return manifest{}, errors.Join(errManifest, err)
	}
	return parseManifest(content, gitdir.BootID())
}

func parseManifest(content []byte, boot string) (manifest, error) {
	end := len(content) - sha256.Size
	if end < 0 || sha256.Sum256(content[:end]) != [sha256.Size]byte(content[end:]) {
		return manifest{}, errManifest
	}
	d := decoder{in: content[:end]}
	if d.number() != manifestVersion || boot == "" || d.text() != boot {
		return manifest{}, errManifest
	}
	m := manifest{commit: d.text(), tree: d.text()}
	count := d.number()
	if count > uint64(len(content)) {
		return manifest{}, errManifest
	}
	m.files = make(map[string]held, count)
	for range count {
		path := d.text()
		m.files[path] = held{gitdir.Leaf{Mode: d.text(), ID: d.text()}, d.stamp()}
	}
	if d.failed || len(d.in) > 0 {
		return manifest{}, errManifest
	}
	return m, nil
}

// encoder writes numbers as varints and texts after their lengths.
type encoder struct{ out []byte }

func (e *encoder) number(n uint64) { e.out = binary.AppendUvarint(e.out, n) }

func (e *encoder) text(s string) {
	e.number(uint64(len(s)))
	e.out = append(e.out, s...)
}

func (e *encoder) stamp(s gitdir.Stamp) {
	e.number(uint64(s.Mode))
	for _, n := range []int64{s.Size, s.Modified, s.Changed} {
		e.out = binary.AppendVarint(e.out, n)
	}
	e.number(s.Device)
	e.number(s.Node)
}

// decoder reads the output of an encoder. After a failure it returns only zeros.
type decoder struct {
	in     []byte
	failed bool
}

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.in)
	d.skip(size)
	return n
}

func (d *decoder) signed() int64 {
	n, size := binary.Varint(d.in)
	d.skip(size)
	return n
}

func (d *decoder) skip(size int) {
	if size <= 0 {
		d.in, d.failed = nil, true
		return
	}
	d.in = d.in[size:]
}

func (d *decoder) text() string {
	n := d.number()
	if n > uint64(len(d.in)) {
		d.in, d.failed = nil, true
		return ""
	}
	text := string(d.in[:n])
	d.in = d.in[n:]
	return text
}

func (d *decoder) stamp() gitdir.Stamp {
	return gitdir.Stamp{
		Mode: fs.FileMode(d.number()), Size: d.signed(), Modified: d.signed(), Changed: d.signed(), //nolint:gosec // as written
		Device: d.number(), Node: d.number(),
	}
}

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
