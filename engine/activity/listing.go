package activity

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"forge/engine/step"
)

// Limits of the list of files that a model sees.
const (
	maxListed  = 400 // paths of a small tree that are examined one by one
	fewFiles   = 60  // files of a tree that are named one by one
	maxFolders = 30
	maxTop     = 16 // files at the top that are named
)

// listing returns the files of a tree; for a large one, its folders with their numbers of files.
func listing(paths []string) step.Listing {
	list := step.Listing{Paths: paths[:min(len(paths), maxListed)], Total: len(paths)}
	if len(paths) > fewFiles {
		list.Folders = folders(paths)
	}
	return list
}

// folders returns a line for each folder, down to a depth at which there are not too many, and one for the files at the top.
func folders(paths []string) []string {
	best := counted(paths, 1)
	for depth := 2; depth <= 4; depth++ {
		deeper := counted(paths, depth)
		if len(deeper) > maxFolders {
			break
		}
		best = deeper
	}
	names := make([]string, 0, len(best))
	for name := range best {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) > maxFolders { // too many even at the first depth: keep those with most files
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(best[b], best[a]) })
		names = names[:maxFolders]
		slices.Sort(names)
	}
	var lines []string
	if top := atTop(paths); len(top) > 0 {
		lines = append(lines, strings.Join(top[:min(len(top), maxTop)], ", ")+more(len(top)-maxTop))
	}
	for _, name := range names {
		lines = append(lines, fmt.Sprintf("%s/ (%d)", name, best[name]))
	}
	return lines
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" … and %d more", n)
}

func atTop(paths []string) (top []string) {
	for _, p := range paths {
		if !strings.Contains(p, "/") {
			top = append(top, p)
		}
	}
	return top
}

// counted returns the number of files below each folder, down to a depth.
func counted(paths []string, depth int) map[string]int {
	counts := map[string]int{}
	for _, p := range paths {
		if folder := path.Dir(p); folder != "." {
			parts := strings.Split(folder, "/")
			counts[strings.Join(parts[:min(len(parts), depth)], "/")]++
		}
	}
	return counts
}
