package index

import "context"

// load reads the index that is on disk. The first refresh finds out which parts still hold.
func (k *keeper) load(ctx context.Context) {
	records, segments := k.store.load(ctx)
	for path, r := range records {
		k.catalog.known[path] = r
	}
	k.segments = segments
	for _, in := range segments {
		for at, d := range in.documents {
			if _, ok := k.loaded[d.path]; !ok && k.catalog.known[d.path].hash == d.hash {
				k.loaded[d.path] = place{in, uint32(at)}
			}
		}
	}
}

// dropLoaded forgets what was loaded and no file has any more.
func (k *keeper) dropLoaded() {
	for _, in := range k.segments {
		if k.catalog.live[in] == 0 {
			k.store.drop(in)
		}
	}
	k.loaded, k.segments = nil, nil
}

// saveAll hands all that is known to the store again.
func (k *keeper) saveAll() {
	for path, r := range k.catalog.known {
		k.store.setRecord(path, r)
	}
	for _, f := range k.catalog.disk {
		k.store.add(f.words.in)
		if f.Outline != nil {
			k.store.setOutline(f.Hash, f.Language, encodeOutline(*f.Outline))
		}
	}
}
