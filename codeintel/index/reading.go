package index

import (
	"context"
	"iter"

	"forge/codeintel"
)

// segmentBytes is how many bytes of contents a segment has before it ends.
const segmentBytes = 8 << 20

// reading is the result of reading one path.
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
	inverters []*inverter      // one for each worker, while anything is pending
	merging   map[*segment]bool
}

// read reads files, which a number of workers share. It returns fewer if ctx ends.
func (r *reader) read(ctx context.Context, names []string, workers int) (all []reading) {
	for len(r.inverters) < workers {
		r.inverters = append(r.inverters, newInverter(PartPath))
	}
	parts := make([][]reading, workers)
	inTurn(len(names), 16, workers, func(worker int, numbers iter.Seq[int]) {
		parts[worker] = r.readAll(ctx, r.inverters[worker], names, numbers)
	})
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// readAll reads some files into segments.
func (r *reader) readAll(ctx context.Context, v *inverter, names []string, numbers iter.Seq[int]) []reading {
	visit := visitor{folder: r.folder}
	defer visit.close()
	var readings []reading
	placed := 0 // how many readings have a place
	for i := range numbers {
		if ctx.Err() != nil {
			return nil
		}
		readings = append(readings, r.readFile(&visit, v, names[i]))
		if v.bytes > segmentBytes {
			placeAll(v, readings[placed:])
			placed = len(readings)
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
	known := r.disk[name]
	unchanged := known != nil && known.Hash == read.hash
	if unchanged && !r.merging[known.words.in] {
		read.same = true
		return read
	}
	v.addFile(name, read.hash, r.options.blank(name, content))
	read.file = &file{}
	if unchanged {
		*read.file = *known
	}
	return read
}

// placeAll ends a segment, which holds the files of some readings.
func placeAll(v *inverter, readings []reading) {
	if len(v.documents) == 0 {
		return
	}
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
	k.readFiles(ctx, k.unread.next(), k.options.Workers)
}

func (k *keeper) readFiles(ctx context.Context, names []string, workers int) {
	readings := k.reader.read(ctx, names, workers)
	if ctx.Err() != nil {
		return
	}
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
			k.catalog.want(k.catalog.disk[r.path]) // its outline may have been given up when it could not be read
			continue
		}
		k.catalog.setDisk(r.path, r.file)
		if r.file != nil {
			k.store.add(r.file.words.in)
		}
	}
}
