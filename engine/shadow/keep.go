package shadow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"forge/engine/gitdir"
	"forge/internal/failpoint"
)

// The states that later ones are based on: of the files on disk, and of the buffers over them.
const (
	diskRef    = "refs/forge/disk"
	overlayRef = "refs/forge/overlay"
)

// keep commits the files on disk, and the unsaved texts over them, and returns the second commit, or the first without
// texts. It runs one git, which reads contents and the differences from the last snapshot; a first snapshot becomes one
// pack, not a file for each. Date and author are fixed, so that equal content is the same snapshot.
func (ss *Snapshots) keep(ctx context.Context, known manifest, take taking, texts map[string]string) (string, []gitdir.Skipped, error) {
	changed := known.commit == "" || len(take.fresh) > 0 || len(take.gone) > 0
	if !changed && len(texts) == 0 {
		return known.commit, nil, nil
	}
	in := &stream{dir: ss.dir, known: known, take: take, texts: texts, now: take.all, buffers: slices.Sorted(maps.Keys(texts))}
	failpoint.Hit(failRefWrite)
	// Synced: git does not rewrite existing objects, and the ledger refers to them.
	out, err := ss.dir.Import(ctx, in, []string{"core.fsync=loose-object,pack,pack-metadata", "core.fsyncMethod=batch", "core.compression=1"},
		[]string{"--force", "--depth=0"}, []string{diskRef, overlayRef})
	if err != nil {
		return "", nil, err
	}
	failpoint.Hit(failRefWritten)
	next, overlay, err := in.parse(out)
	if err != nil {
		return "", nil, err
	}
	if changed {
		if err := ss.disk.store(ss.diskFile(), next); err != nil {
			return "", nil, err
		}
	}
	failpoint.Hit(failSnapshotListed)
	if len(texts) > 0 {
		return overlay, in.skipped, nil
	}
	return next.commit, in.skipped, nil
}

// stream is the input of git fast-import, generated as it is read, so that only one file is in memory at a time.
// First the contents, each answered by its id, then the commits. See git-fast-import(1).
type stream struct {
	dir     *gitdir.Dir
	known   manifest
	take    taking
	texts   map[string]string
	buffers []string        // the paths of texts, sorted
	now     map[string]held // the expected state of the disk, without the ids that git has yet to return

	chunk   bytes.Buffer
	at      int      // how many of fresh and buffers are read
	marks   []string // the paths of the sent contents, fresh ones first
	fresh   int      // how many of marks are from the disk
	skipped []gitdir.Skipped
	ended   bool
}

// Read never fails: an unreadable file is omitted.
func (s *stream) Read(p []byte) (int, error) {
	for s.chunk.Len() == 0 {
		switch {
		case s.ended:
			return 0, io.EOF
		case s.at < len(s.take.fresh):
			s.file(s.take.fresh[s.at])
		case s.at < len(s.take.fresh)+len(s.buffers):
			name := s.buffers[s.at-len(s.take.fresh)]
			s.blob(name, []byte(s.texts[name]))
		default:
			s.commits()
			s.ended = true
		}
		s.at++
	}
	return s.chunk.Read(p)
}

func (s *stream) file(name string) {
	got, reason, ok := readFile(s.dir, name)
	if !ok {
		delete(s.now, name)
		if reason != "" {
			s.skipped = append(s.skipped, gitdir.Skipped{Path: name, Reason: reason})
		}
		return
	}
	s.now[name] = held{Leaf: got.leaf, stamp: got.stamp}
	s.blob(name, got.content)
	s.fresh++
}

func (s *stream) blob(name string, content []byte) {
	s.marks = append(s.marks, name)
	fmt.Fprintf(&s.chunk, "blob\nmark :%d\ndata %d\n", len(s.marks), len(content))
	s.chunk.Write(content)
	fmt.Fprintf(&s.chunk, "\nget-mark :%d\n", len(s.marks))
}

// commits writes both commits from the tree of the last snapshot: fast-import has no other form for a commit without a
// parent that differs little from another.
func (s *stream) commits() {
	s.commit(diskRef, len(s.marks)+1)
	if len(s.texts) > 0 {
		s.commit(overlayRef, len(s.marks)+2)
		for i := s.fresh; i < len(s.marks); i++ {
			name := s.marks[i]
			mode := gitdir.PlainMode
			if h, ok := s.now[name]; ok && h.Mode == gitdir.ProgramMode {
				mode = h.Mode
			}
			fmt.Fprintf(&s.chunk, "M %s :%d %s\n", mode, i+1, gitdir.QuotePath(name))
		}
		fmt.Fprintf(&s.chunk, "\nget-mark :%d\n", len(s.marks)+2)
	}
	s.chunk.WriteString("done\n")
}

func (s *stream) commit(ref string, mark int) {
	fmt.Fprintf(&s.chunk, "commit %s\nmark :%d\ncommitter Forge <forge@localhost> 0 +0000\ndata 9\nsnapshot\n\n", ref, mark)
	if s.known.commit == "" {
		s.chunk.WriteString("deleteall\n")
	} else {
		fmt.Fprintf(&s.chunk, "M 040000 %s \"\"\n", s.known.tree)
	}
	// Removals first: a former file may be a folder now, and vice versa.
	for _, name := range slices.Concat(s.take.gone, s.take.fresh) {
		if _, was := s.known.files[name]; was {
			fmt.Fprintf(&s.chunk, "D %s\n", gitdir.QuotePath(name))
		}
	}
	for i, name := range s.marks[:s.fresh] {
		fmt.Fprintf(&s.chunk, "M %s :%d %s\n", s.now[name].Mode, i+1, gitdir.QuotePath(name))
	}
	if ref == diskRef {
		fmt.Fprintf(&s.chunk, "\nget-mark :%d\nls :%d \"\"\n", mark, mark)
	}
}

// errImport means that git's answer is not in the format of git-fast-import's documentation.
var errImport = errors.New("git's answer to a snapshot could not be understood")

// parse parses git's answer: an id for each content, the commit of the disk and its tree, and the commit with the buffers.
func (s *stream) parse(out string) (next manifest, overlay string, err error) {
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	want := len(s.marks) + 2
	if len(s.texts) > 0 {
		want++
	}
	if !s.ended || len(lines) != want {
		return manifest{}, "", errImport
	}
	for i, name := range s.marks[:s.fresh] {
		h := s.now[name]
		h.ID = lines[i]
		s.now[name] = h
	}
	rest := lines[len(s.marks):]
	tree := strings.Fields(rest[1])
	if len(tree) != 3 || tree[1] != "tree" {
		return manifest{}, "", errImport
	}
	ids := append(slices.Clone(lines[:len(s.marks)+1]), tree[2])
	if len(s.texts) > 0 {
		overlay = rest[2]
		ids = append(ids, overlay)
	}
	if !slices.ContainsFunc(ids, func(id string) bool { return !gitdir.IsObjectID(id) }) {
		return manifest{commit: rest[0], tree: tree[2], files: s.now}, overlay, nil
	}
	return manifest{}, "", errImport
}
