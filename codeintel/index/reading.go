package index

import (
	"context"

	"forge/codeintel"
)

// segmentBytes is how many bytes of contents a segment has before it ends.
const segmentBytes = 8 << 20

// reading is what became of one path.
type reading struct {
	path string
	record
	same bool  // the content is what is indexed already
	file *file // nil if the content is the same or skipped
}

// reader reads files into segments, by several goroutines at once, while the keeper waits.
type reader struct {
	options   Options
	folder    *folder
	disk      map[string]*file // that of the catalog
	inverters []*inverter      // one for each worker, as long as anything is pending
}

// read reads some files. What it gives is cut short if ctx ends.
func (r *reader) read(ctx context.Context, names []string) [][]reading {
	for len(r.inverters) < r.options.Workers {
		r.inverters = append(r.inverters, newInverter(PartPath))
	}
	parts := make([][]reading, r.options.Workers)
	inTurn(len(names), r.options.Workers, func(worker int, next func() (from, to int)) {
		parts[worker] = r.readAll(ctx, r.inverters[worker], names, next)
	})
	return parts
}

// readAll reads files into segments, as next gives them out. It is called by several goroutines at once, while the keeper
// waits.
func (r *reader) readAll(ctx context.Context, v *inverter, names []string, next func() (from, to int)) []reading {
	visit := visitor{folder: r.folder}
	defer visit.close()
	var readings []reading
	placed := 0 // how many readings have a place
	for from, to := next(); from < to; from, to = next() {
		for _, name := range names[from:to] {
			if ctx.Err() != nil {
				return nil
			}
			readings = append(readings, r.readFile(&visit, v, name))
			if v.bytes > segmentBytes {
				placeAll(v, readings[placed:])
				placed = len(readings)
			}
		}
	}
	placeAll(v, readings[placed:])
	return readings
}

func (r *reader) readFile(visit *visitor, v *inverter, name string) reading {
	read := reading{path: name}
	read.seen = r.options.Now().UnixNano()
	content, at, err := visit.read(name)
	read.stamp = at
	if err != nil {
		read.reason = reasonOf(err)
		return read
	}
	if read.reason = reasonToSkip(name, content); read.reason != "" {
		return read
	}
	read.hash = hashOf(content)
	if known := r.disk[name]; known != nil && known.Hash == read.hash {
		read.same = true
		return read
	}
	v.addFile(name, read.hash, r.options.blank(name, content))
	read.file = &file{}
	return read
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

// readPending reads the words of some of the pending files.
func (k *keeper) readPending(ctx context.Context) {
	if len(k.unread.pending) == 0 {
		k.reader.inverters, k.unread.order, k.unread.awaited = nil, nil, 0
		return
	}
	parts := k.reader.read(ctx, k.unread.next())
	if ctx.Err() != nil {
		return
	}
	for _, part := range parts {
		k.addReadings(part)
	}
}

func (k *keeper) addReadings(readings []reading) {
	for _, r := range readings {
		switch {
		case !k.listed[r.path]:
			continue // it was forgotten while it was pending
		case r.reason == Vanished:
			k.forget(r.path)
			continue
		case r.reason == NotRegular && k.catalog.disk[r.path] != nil:
			k.index.inbox.put(func(r *requests) { r.refresh = true }) // there may be files in it
		}
		k.catalog.setRecord(r.path, r.record)
		k.garbage += int(r.size)
		if r.same {
			if f := k.catalog.disk[r.path]; k.catalog.jobs[f] == nil {
				k.catalog.want(f) // its outline may have been given up when it could not be read
			}
			continue
		}
		k.catalog.setDisk(r.path, r.file)
		if r.file != nil {
			k.store.add(r.file.words.in)
		}
	}
}
