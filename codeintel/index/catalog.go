package index

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// catalog is what is known of each path, on disk and as it is covered, and what of it has changed since the last view. It belongs to the
// keeper's goroutine.
type catalog struct {
	store    *store
	outlines bool // files are to have outlines

	known   map[string]record // by path: what was found on disk
	disk    map[string]*file  // by path: the files on disk that are indexed
	covers  map[string]cover  // by path
	live    map[*segment]int  // how many documents of a segment count; one without any is not in here
	wanting []*file           // files whose outlines are to be found, in this order; some may have changed since

	dirty   map[string]bool // paths that have changed since the last view
	urgent  bool            // not only outlines have changed since the last view
	reasons bool            // what is skipped has changed since the last view
}

func newCatalog(s *store, outlines bool) *catalog {
	return &catalog{
		store: s, outlines: outlines,
		known: map[string]record{}, disk: map[string]*file{}, covers: map[string]cover{}, live: map[*segment]int{},
		dirty: map[string]bool{},
	}
}

// record is what was found at a path on disk.
type record struct {
	stamp
	seen   int64  // when it was looked at, in nanoseconds of Unix time
	hash   string // empty if the file is skipped
	reason Reason // why it is skipped
}

// cover is a text that replaces a file.
type cover struct {
	file   *file // nil if the text is skipped
	reason Reason
}

// replace puts a file in the place of another one of the same path and layer. Either may be nil.
func (c *catalog) replace(old, by *file) {
	if by != nil {
		c.hold(by.words)
		c.hold(by.names)
		c.dirty[by.Path] = true
	}
	if old == nil {
		return
	}
	c.dirty[old.Path] = true
	c.release(old.words)
	c.release(old.names)
}

func (c *catalog) hold(p place) {
	if p.in != nil {
		c.live[p.in]++
	}
}

func (c *catalog) release(p place) {
	if p.in == nil {
		return
	}
	c.live[p.in]--
	if c.live[p.in] == 0 {
		delete(c.live, p.in)
		c.store.drop(p.in)
	}
}

// setDisk notes what is indexed of a path on disk; nil means nothing.
func (c *catalog) setDisk(path string, f *file) {
	old := c.disk[path]
	if f == nil && old == nil {
		return
	}
	c.urgent = true
	c.replace(old, f)
	if f == nil {
		delete(c.disk, path)
		return
	}
	c.disk[path] = f
	c.want(f)
}

// setCover notes what covers a path.
func (c *catalog) setCover(path string, by cover) {
	old, was := c.covers[path]
	c.urgent = true
	c.reasons = c.reasons || old.reason != by.reason || !was && c.known[path].reason != ""
	c.dirty[path] = true
	c.replace(old.file, by.file)
	c.covers[path] = by
	if by.file != nil {
		c.want(by.file)
	}
}

func (c *catalog) uncover(path string) {
	old := c.covers[path]
	c.urgent = true
	c.reasons = c.reasons || old.reason != "" || c.known[path].reason != ""
	c.dirty[path] = true
	c.replace(old.file, nil)
	delete(c.covers, path)
}

func (c *catalog) setRecord(path string, r record) {
	old := c.known[path]
	if old == r {
		return
	}
	c.reasons = c.reasons || old.reason != r.reason
	c.known[path] = r
	c.store.setRecord(path, r)
}

// forget drops all that is known of a path on disk.
func (c *catalog) forget(path string) {
	c.reasons = c.reasons || c.known[path].reason != ""
	c.setDisk(path, nil)
	delete(c.known, path)
	c.store.setRecord(path, record{})
}

// shown returns the file of a path in the view, or nil.
func (c *catalog) shown(path string) *file {
	if by, ok := c.covers[path]; ok {
		return by.file
	}
	return c.disk[path]
}

// want notes that a file may need an outline; what the user edits comes first.
func (c *catalog) want(f *file) {
	switch {
	case !c.outlines || f.Language == "" || f.Outline != nil:
	case f.cover != nil:
		c.wanting = slices.Insert(c.wanting, 0, f)
	default:
		c.wanting = append(c.wanting, f)
	}
}

// nextWanting takes up to n files whose outlines are to be found.
func (c *catalog) nextWanting(n int) (files []*file) {
	for len(c.wanting) > 0 && len(files) < n {
		if f := c.wanting[0]; c.isCurrent(f) {
			files = append(files, f)
		}
		c.wanting = c.wanting[1:]
	}
	return files
}

func (c *catalog) isCurrent(f *file) bool { return c.disk[f.Path] == f || c.covers[f.Path].file == f }

// move puts a file in the place of another one with the same content.
func (c *catalog) move(f, to *file) {
	c.replace(f, to)
	if to.cover != nil {
		c.covers[to.Path] = cover{file: to}
	} else {
		c.disk[to.Path] = to
	}
}

func (c *catalog) skipped() []Skipped {
	var skipped []Skipped
	for path, r := range c.known {
		if _, ok := c.covers[path]; !ok && r.reason != "" {
			skipped = append(skipped, Skipped{path, r.reason})
		}
	}
	for path, by := range c.covers {
		if by.reason != "" {
			skipped = append(skipped, Skipped{path, by.reason})
		}
	}
	slices.SortFunc(skipped, func(a, b Skipped) int { return cmp.Compare(a.Path, b.Path) })
	return skipped
}

// merged returns the files of the last view with what has changed since.
func (c *catalog) merged(files []*file) []*file {
	dirty := slices.Sorted(maps.Keys(c.dirty))
	merged := make([]*file, 0, len(files)+len(dirty))
	old := files
	for _, path := range dirty {
		n, found := slices.BinarySearchFunc(old, path, func(f *file, path string) int { return strings.Compare(f.Path, path) })
		merged, old = append(merged, old[:n]...), old[n:]
		if found {
			old = old[1:]
		}
		if f := c.shown(path); f != nil {
			merged = append(merged, f)
		}
	}
	return append(merged, old...)
}
