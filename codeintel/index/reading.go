package index

import (
	"context"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"forge/codeintel"
)

const (
	roundFiles   = 1024    // files that are read before requests are heard again
	segmentBytes = 8 << 20 // of contents, after which a segment ends
)

// reading is what became of one path.
type reading struct {
	path string
	record
	same bool  // the content is what is indexed already
	file *file // nil if the content is the same or skipped
}

// readPending reads the words of some of the pending files.
func (k *keeper) readPending(ctx context.Context) {
	if len(k.pending) == 0 {
		k.inverters, k.queue, k.awaited = nil, nil, 0
		return
	}
	names := k.nextRound()
	parts := make([][]reading, k.options.Workers)
	inTurn(len(names), k.options.Workers, func(worker int, next func() (from, to int)) {
		parts[worker] = k.readAll(ctx, k.inverters[worker], names, next)
	})
	if ctx.Err() != nil {
		return
	}
	for _, part := range parts {
		k.addReadings(part)
	}
}

// nextRound takes paths from those that are pending: source code first, since most questions are about it.
func (k *keeper) nextRound() []string {
	for len(k.inverters) < k.options.Workers {
		k.inverters = append(k.inverters, newInverter(PartPath))
	}
	k.lineUp()
	size := min(len(k.queue), roundFiles)
	if k.awaited > 0 {
		size = min(size, k.awaited)
		k.awaited, k.came = k.awaited-size, true
	}
	names := slices.Sorted(slices.Values(k.queue[:size])) // segments are in order of paths
	k.queue = k.queue[len(names):]
	for _, name := range names {
		delete(k.pending, name)
	}
	return names
}

// lineUp makes the queue anew when other paths are pending.
func (k *keeper) lineUp() {
	if len(k.queue) != len(k.pending) {
		k.queue, k.awaited = inReadingOrder(maps.Keys(k.pending)), 0
	}
}

// inReadingOrder puts source code first, and then what is asked for less often: tests, what tests read, and what is in no
// programming language.
func inReadingOrder(names iter.Seq[string]) []string {
	var byRank [4][]string
	for name := range names {
		rank := readingRank(name)
		byRank[rank] = append(byRank[rank], name)
	}
	for _, names := range byRank {
		slices.Sort(names)
	}
	return slices.Concat(byRank[:]...)
}

func readingRank(name string) int {
	switch {
	case codeintel.LanguageOf(name) == "":
		return 3
	case strings.Contains(name, "testdata/"):
		return 2
	case isTest(name):
		return 1
	}
	return 0
}

// isTest tells whether a path is called as tests are in most languages. Where it is wrong, a file is read a moment sooner
// or later.
func isTest(name string) bool {
	folder, base := path.Split("/" + name)
	return strings.Contains(folder, "/test/") || strings.Contains(folder, "/tests/") || strings.Contains(folder, "/__tests__/") ||
		strings.HasPrefix(base, "test_") || strings.Contains(base, "_test.") || strings.Contains(base, ".test.") || strings.Contains(base, ".spec.")
}

// readAll reads files into segments, as next gives them out. It is called by several goroutines at once, while the keeper
// waits.
func (k *keeper) readAll(ctx context.Context, v *inverter, names []string, next func() (from, to int)) []reading {
	visit := visitor{folder: k.folder}
	defer visit.close()
	var readings []reading
	placed := 0 // how many readings have a place
	for from, to := next(); from < to; from, to = next() {
		for _, name := range names[from:to] {
			if ctx.Err() != nil {
				return nil
			}
			readings = append(readings, k.readFile(&visit, v, name))
			if v.bytes > segmentBytes {
				placeAll(v, readings[placed:])
				placed = len(readings)
			}
		}
	}
	placeAll(v, readings[placed:])
	return readings
}

func (k *keeper) readFile(visit *visitor, v *inverter, name string) reading {
	r := reading{path: name}
	r.seen = k.options.Now().UnixNano()
	content, at, err := visit.read(name)
	r.stamp = at
	if err != nil {
		r.reason = reasonOf(err)
		return r
	}
	if r.reason = reasonToSkip(name, content); r.reason != "" {
		return r
	}
	r.hash = hashOf(content)
	if known := k.disk[name]; known != nil && known.Hash == r.hash {
		r.same = true
		return r
	}
	v.addFile(name, r.hash, k.options.blank(name, content))
	r.file = &file{}
	return r
}

// placeAll ends a segment, which holds the files of some readings.
func placeAll(v *inverter, readings []reading) {
	words, at := v.finish(), uint32(0)
	for _, r := range readings {
		if r.file != nil {
			r.file.setWords(place{words, at})
			at++
		}
	}
}

// setWords makes a file of a document of a segment.
func (f *file) setWords(p place) {
	d := p.document()
	f.words = p
	f.Path, f.Language, f.Hash = d.path, codeintel.LanguageOf(d.path), d.hash
	f.Size, f.Lines, f.Words = d.size, d.lines, d.words
}

func (k *keeper) addReadings(readings []reading) {
	for _, r := range readings {
		switch {
		case !k.listed[r.path]:
			continue // it was forgotten while it was pending
		case r.reason == Vanished:
			k.forget(r.path)
			continue
		case r.reason == NotRegular && k.disk[r.path] != nil:
			k.inbox.put(func(r *requests) { r.refresh = true }) // there may be files in it
		}
		k.setRecord(r.path, r.record)
		k.garbage += int(r.size)
		if r.same {
			if f := k.disk[r.path]; k.jobs[f] == nil {
				k.want(f) // its outline may have been given up when it could not be read
			}
			continue
		}
		k.setDisk(r.path, r.file)
		if r.file != nil {
			k.store.add(r.file.words.in)
		}
	}
}
