package contracts

import (
	"context"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"forge/codeintel"
	"forge/engine/gate/general"
)

// mostRenamed is how many names of a folder are changed: each costs a check of all of it.
const mostRenamed = 10

// given is a name that one file gives and another one takes from it.
type given struct{ name, giver, taker string }

// taken finds names that are given by one file alone and taken from it by its own path: the giver is known without the resolution that is
// measured. Files that give more than can be read from them are left out, as they are never reported.
func (f folder) taken(ctx context.Context) (found []given, err error) {
	bound := map[string]codeintel.Bindings{}
	givers := map[string][]string{} // of a name
	for _, p := range f.paths {
		if !general.BindsNames(p) || general.IsAside(p) {
			continue
		}
		b, err := f.binder.Bindings(ctx, codeintel.LanguageOf(p), f.texts[p])
		if err != nil {
			return nil, err
		}
		bound[p] = b
		for _, name := range b.Exports {
			givers[name] = append(givers[name], p)
		}
	}
	for _, taker := range slices.Sorted(maps.Keys(bound)) {
		for _, t := range bound[taker].Imports {
			from := givers[t.Name]
			if len(from) != 1 || from[0] == taker || !named(t.Path, from[0]) || bound[from[0]].Open || len(bound[from[0]].Reexports) > 0 {
				continue
			}
			if !slices.ContainsFunc(found, func(g given) bool { return g.name == t.Name }) {
				found = append(found, given{t.Name, from[0], taker})
			}
		}
	}
	return found, nil
}

// named reports whether an import's path ends with the name of a file: "./a/b.js" and "a.b" with that of a/b.ts and a/b.py. The file must be
// of more than one sign, and stand for itself: index files and packages can be meant by many paths.
func named(imported, file string) bool {
	stem, _, _ := strings.Cut(path.Base(file), ".")
	last := strings.TrimSuffix(imported, path.Ext(imported))
	if strings.HasSuffix(file, ".py") {
		last = imported[strings.LastIndexByte(imported, '.')+1:]
	}
	return len(stem) > 1 && stem != "index" && stem != "__init__" && path.Base(last) == stem
}

// spread chooses at most so many, evenly.
func spread(all []given, most int) (chosen []given) {
	step := max(1, (len(all)+most-1)/most)
	for i := 0; i < len(all); i += step {
		chosen = append(chosen, all[i])
	}
	return chosen
}

// rename is the folder with a name changed in the file that gives it.
func (f folder) rename(g given) folder {
	changed := folder{paths: f.paths, texts: maps.Clone(f.texts), binder: f.binder}
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(g.name) + `\b`)
	changed.texts[g.giver] = word.ReplaceAllLiteralString(f.texts[g.giver], g.name+"Renamed")
	return changed
}
