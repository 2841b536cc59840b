package index

import (
	"context"
	"fmt"
	"iter"

	"forge/codeintel"
)

// batchFiles is how many files get their outlines before the keeper chooses the next ones: the user may have edited others.
const batchFiles = 256

// outlining finds the outlines of files: on disk, or by parsing them.
type outlining struct {
	options  Options
	folder   *folder
	database *database // nil: none is kept
}

// outlined is the outline of a file.
type outlined struct {
	file    *file
	outline *codeintel.Outline // nil if the file is no longer what was indexed
	encoded []byte             // to be kept on disk; nil if it need not be
}

// askOutlines starts to find the outlines of the files that have waited longest, if no others are being found.
func (k *keeper) askOutlines(ctx context.Context) {
	if k.outlines.busy {
		return
	}
	files := k.catalog.nextWanting(batchFiles)
	if len(files) == 0 {
		return
	}
	o := outlining{k.options, k.index.folder, k.store.database}
	k.outlines.start(func() []outlined { return o.all(ctx, files) })
}

// addOutlines takes the outlines that were found.
func (k *keeper) addOutlines() {
	results, _ := k.outlines.take()
	for _, r := range results {
		f := r.file
		if !k.catalog.isCurrent(f) {
			continue
		}
		if r.outline == nil {
			k.unread.pending[f.Path] = true
			continue
		}
		with := *f
		with.Outline = r.outline
		k.catalog.move(f, &with)
		k.fresh = append(k.fresh, f.Path)
		k.store.setOutline(outlineKey{f.Hash, f.Language}, r.encoded)
	}
}

func (o outlining) all(ctx context.Context, files []*file) []outlined {
	kept := o.kept(ctx, files)
	results := make([]outlined, len(files))
	inTurn(len(files), 1, o.options.Workers, func(_ int, numbers iter.Seq[int]) {
		for i := range numbers {
			f := files[i]
			results[i].file = f
			if outline, err := decodeOutline(kept[outlineKey{f.Hash, f.Language}]); err == nil {
				results[i].outline = &outline
			} else if text, ok := o.text(f); ok && ctx.Err() == nil {
				results[i].outline, results[i].encoded = o.outline(ctx, f, text)
			}
		}
	})
	return results
}

// kept returns the encoded outlines that are kept on disk. What cannot be read is parsed again.
func (o outlining) kept(ctx context.Context, files []*file) map[outlineKey][]byte {
	if o.database == nil {
		return nil
	}
	hashes := make([]string, len(files))
	for i, f := range files {
		hashes[i] = f.Hash
	}
	return o.database.outlines(ctx, o.options.OutlinerVersion, hashes)
}

// text returns what was indexed of a file, unless the file has changed.
func (o outlining) text(f *file) (string, bool) {
	if f.cover != nil {
		return *f.cover, true
	}
	content, err := o.folder.read(f.Path)
	if err != nil || hashOf(content) != f.Hash {
		return "", false
	}
	return string(content), true
}

func (o outlining) outline(ctx context.Context, f *file, text string) (*codeintel.Outline, []byte) {
	full, err := o.parse(ctx, f.Language, text)
	if err != nil {
		return &codeintel.Outline{Language: f.Language, Broken: true}, nil // another time it may be fast enough
	}
	encoded := encodeOutline(codeintel.WithoutHidden(full, text, string(o.options.blank(f.Path, []byte(text)))))
	compact, err := decodeOutline(encoded) // it takes less memory
	if err != nil {
		return &codeintel.Outline{Language: f.Language, Broken: true}, nil // its spans make no sense
	}
	if f.cover != nil {
		encoded = nil // it may never be saved
	}
	return &compact, encoded
}

// parse calls the outliner. One that panics at a text does not end the program.
func (o outlining) parse(ctx context.Context, language codeintel.Language, text string) (_ codeintel.Outline, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("outline: panic: %v", fault)
		}
	}()
	return o.options.Outliner.Outline(ctx, language, text)
}
