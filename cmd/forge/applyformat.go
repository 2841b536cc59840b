package main

import (
	"maps"
	"slices"

	"forge/patch"
)

// The notations of edits, as people and programs name them.
const (
	formatAuto = "auto"
	formatV4A  = "v4a"
)

// parsers read the text of an edit.
var parsers = map[string]func(text string) (patch.Patch, error){
	formatAuto: patch.Parse,
	formatV4A:  patch.Parse,
}

// formats are the names of all notations, in order.
func formats() []string { return slices.Sorted(maps.Keys(parsers)) }
