package imports

import (
	"slices"
	"strings"

	"forge/codeintel"
)

// maxRustPaths bounds into how many paths the groups of one import are taken apart.
const maxRustPaths = 1000

// rustPaths takes an import apart into the paths it stands for: "a::{b, c as d, self}" into a::b, a::c and a.
func rustPaths(need codeintel.Import) [][]string {
	text := strings.TrimPrefix(strings.TrimSpace(need.Path), "::")
	if module, ok := strings.CutPrefix(text, "mod "); ok {
		text = "self::" + module
	}
	var written []string
	for _, name := range need.Names {
		written = append(written, text+"::"+name)
	}
	if len(need.Names) == 0 || strings.Contains(text, "{") {
		written = []string{text}
	}
	var paths [][]string
	for _, path := range written {
		paths = appendRustPaths(paths, nil, path)
	}
	return paths
}

// appendRustPaths takes a path with groups apart. Every part of a group is shorter than the group, so that this ends.
func appendRustPaths(paths [][]string, prefix []string, text string) [][]string {
	if len(paths) >= maxRustPaths {
		return paths
	}
	before, group, ok := strings.Cut(text, "{")
	path := append(slices.Clone(prefix), rustSegments(before)...)
	if !ok {
		if len(path) > 1 && path[len(path)-1] == "self" {
			path = path[:len(path)-1] // what stands before it
		}
		return append(paths, path)
	}
	for _, part := range splitGroup(group) {
		if strings.TrimSpace(part) != "" { // a comma may be the last
			paths = appendRustPaths(paths, path, part)
		}
	}
	return paths
}

// rustSegments returns the names of a path. A name given by "as" is none of them, nor is "*".
func rustSegments(text string) []string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), " as ")
	var names []string
	for name := range strings.SplitSeq(text, "::") {
		name = strings.TrimPrefix(strings.TrimSpace(name), "r#")
		if name != "" && name != "*" {
			names = append(names, name)
		}
	}
	return names
}

// splitGroup cuts what follows "{" at its commas, up to its "}".
func splitGroup(text string) []string {
	var parts []string
	depth, from := 0, 0
	for at := range len(text) {
		switch text[at] {
		case '{':
			depth++
		case ',', '}':
			if depth == 0 {
				parts = append(parts, text[from:at])
				from = at + 1
			}
			if text[at] == '}' {
				depth--
			}
		}
		if depth < 0 {
			return parts
		}
	}
	return append(parts, text[from:])
}
