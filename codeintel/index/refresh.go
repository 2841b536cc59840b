package index

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"time"
)

// apply does what was asked for, except reading files: their paths are pending then.
func (k *keeper) apply(ctx context.Context, asked requests) {
	k.cover(asked.covers)
	refresh := asked.refresh
	for name := range asked.changed {
		if _, ok := k.catalog.known[name]; ok && path.Base(name) != ".gitignore" {
			k.unread.pending[name] = true
		} else {
			refresh = true // it may be a directory, or not be meant to be indexed: the source knows
		}
	}
	if refresh {
		k.err = k.refresh(ctx)
	}
	k.unread.prioritize(asked.sooner)
}

// cover makes a segment of the texts that cover files now.
func (k *keeper) cover(texts map[string]*string) {
	v := newInverter(PartPath)
	var files []*file
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		if text == nil {
			k.catalog.uncover(name)
			continue
		}
		content := []byte(*text)
		if reason := reasonToSkip(name, content); reason != "" {
			k.catalog.setCover(name, cover{reason: reason})
			continue
		}
		v.addFile(name, hashOf(content), k.options.blank(name, content))
		files = append(files, &file{cover: text})
	}
	if len(files) == 0 {
		return
	}
	words := v.finish()
	words.cover = true
	for i, f := range files {
		f.setWords(place{words, uint32(i)})
		k.catalog.setCover(f.Path, cover{file: f})
	}
}

// refresh asks the source for all files, and looks which of them have changed.
func (k *keeper) refresh(ctx context.Context) error {
	names, err := k.options.Source.Files(ctx)
	if err != nil {
		return fmt.Errorf("list the files to index: %w", err)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	listed := make(map[string]bool, len(names))
	for _, name := range names {
		listed[name] = true
	}
	for name := range k.catalog.known {
		if !listed[name] {
			k.forget(name)
		}
	}
	k.listed = listed
	for i, found := range k.statAll(ctx, names) {
		k.compare(names[i], found)
	}
	k.dropLoaded()
	return nil
}

// forget drops all that is known of a path on disk.
func (k *keeper) forget(path string) {
	k.catalog.forget(path)
	delete(k.listed, path)
	delete(k.unread.pending, path)
}

// found is what a look at a path gave.
type found struct {
	stamp
	err error
}

func (k *keeper) statAll(ctx context.Context, names []string) []found {
	all := make([]found, len(names))
	inTurn(len(names), 64, k.options.Workers, func(_ int, numbers iter.Seq[int]) {
		v := visitor{folder: k.index.folder}
		defer v.close()
		for i := range numbers {
			if ctx.Err() == nil {
				all[i].stamp, all[i].err = v.stat(names[i])
			}
		}
	})
	return all
}

// compare decides whether a file must be read.
func (k *keeper) compare(name string, at found) {
	if at.err != nil {
		k.catalog.setDisk(name, nil)
		k.catalog.setRecord(name, record{stamp: at.stamp, reason: reasonOf(at.err)})
		return
	}
	r, ok := k.catalog.known[name]
	if !ok || r.stamp != at.stamp || !r.isSure() {
		k.unread.pending[name] = true
		return
	}
	if r.hash == "" || k.catalog.disk[name] != nil {
		return
	}
	words, ok := k.loaded[name]
	if !ok || words.document().hash != r.hash {
		k.unread.pending[name] = true
		return
	}
	f := &file{}
	f.setWords(words)
	k.catalog.setDisk(name, f)
}

// sureAfter is how much later than its last change a file must have been looked at for its stamp to show every
// change since: clocks of file systems tick slowly, by up to two seconds.
const sureAfter = 2 * time.Second

// isSure reports whether an equal stamp means an equal content. What could not be read is tried again.
func (r record) isSure() bool {
	return r.isKept() && r.changed+int64(sureAfter) < r.seen
}

// isKept reports whether a record is of a content, rather than of a failure to get at it.
func (r record) isKept() bool {
	return r.hash != "" || r.reason == Binary || r.reason == Minified
}
