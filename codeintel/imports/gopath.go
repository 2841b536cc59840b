package imports

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"forge/codeintel"
)

// folderInGOPATH finds a package as it was done before there were modules.
func (r *goResolver) folderInGOPATH(imported string) (string, bool) {
	candidates := []string{imported, "src/" + imported}
	if rest, ok := strings.CutPrefix(imported+"/", r.prefix+"/"); ok && r.prefix != "" {
		candidates = append(candidates, strings.TrimSuffix(rest, "/"))
	}
	for _, folder := range candidates {
		if _, ok := r.packages[folder]; ok {
			return folder, true
		}
	}
	return "", false
}

// guessGoPrefix guesses under which path the root is imported, in a tree without go.mod: if many files import
// "example.com/a/b/x" and there are folders x, y and z, that is "example.com/a/b". It is the prefix that explains
// the most folders; of equal ones the first in order. Import paths without a dot in their first part are those of
// the standard library and say nothing.
func (r *goResolver) guessGoPrefix() string {
	explained := map[string]map[string]bool{}
	for i := range r.tree.files {
		file := &r.tree.files[i]
		if _, inModule := r.owners[folderOf(file.Path)]; inModule || file.Language != codeintel.LanguageGo {
			continue
		}
		for _, need := range file.Imports {
			r.vote(explained, need.Path)
		}
	}
	prefixes := slices.Sorted(maps.Keys(explained))
	if len(prefixes) == 0 {
		return ""
	}
	return slices.MaxFunc(prefixes, func(a, b string) int {
		return cmp.Compare(len(explained[a]), len(explained[b]))
	})
}

// vote notes which prefix would make an import path a folder of the tree: the one that leaves the longest path.
func (r *goResolver) vote(explained map[string]map[string]bool, imported string) {
	host, _, _ := strings.Cut(imported, "/")
	if !strings.Contains(host, ".") || strings.HasPrefix(host, ".") {
		return
	}
	for at := range len(imported) {
		if imported[at] != '/' {
			continue
		}
		prefix, folder := imported[:at], imported[at+1:]
		if _, ok := r.packages[folder]; !ok {
			continue
		}
		if explained[prefix] == nil {
			explained[prefix] = map[string]bool{}
		}
		explained[prefix][folder] = true
		return
	}
}
