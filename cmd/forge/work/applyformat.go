package work

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"forge/patch"
)

// formatAuto is the notation that is found out by looking at the edit.
const formatAuto = "auto"

// parsers read the text of an edit, by the name of its notation.
var parsers = map[string]func(text string) (patch.Patch, error){
	formatAuto:                  parseAny,
	string(patch.V4A):           patch.Parse,
	string(patch.SearchReplace): patch.ParseSearchReplace,
	string(patch.UnifiedDiff):   patch.ParseUnified,
	string(patch.Actions):       patch.ParseActions,
}

func parseAny(text string) (patch.Patch, error) {
	p, _, err := patch.ParseAny(text)
	return p, err
}

// formats are the names of all notations, in order.
func formats() []string { return slices.Sorted(maps.Keys(parsers)) }

// replacement is an entry of an edit that is a list.
type replacement struct {
	Path    *string `json:"path"`
	Search  *string `json:"search"`
	Replace *string `json:"replace"`
}

// parseEdit reads an edit: a string in the notation, a list of actions or one of replacements.
func parseEdit(format string, edit json.RawMessage) (patch.Patch, error) {
	var text string
	if err := json.Unmarshal(edit, &text); err == nil {
		return parsers[format](text)
	}
	if format == string(patch.Actions) || format == formatAuto && holdsActions(edit) {
		return patch.ParseActions(string(edit))
	}
	var list []replacement
	if err := json.Unmarshal(edit, &list); err != nil {
		return patch.Patch{}, &requestError{"edit is neither a string nor a list of {path, search, replace}, all of them strings, nor a list of actions"}
	}
	if format != formatAuto && format != string(patch.SearchReplace) {
		return patch.Patch{}, &requestError{fmt.Sprintf("edit is a list, but format %s is written as a string", format)}
	}
	replacements := make([]patch.Replacement, len(list))
	for i, r := range list {
		if r.Path == nil || r.Search == nil || r.Replace == nil {
			return patch.Patch{}, &requestError{fmt.Sprintf("edit has no path, no search or no replace in its entry %d", i+1)}
		}
		replacements[i] = patch.Replacement{Path: *r.Path, Search: *r.Search, Replace: *r.Replace}
	}
	return patch.FromReplacements(replacements)
}

// holdsActions distinguishes an action list, as it is or in an object, from a list of replacements.
func holdsActions(edit json.RawMessage) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(edit, &fields) == nil {
		return fields["action"] != nil || fields["actions"] != nil || fields["files"] != nil
	}
	var list []map[string]json.RawMessage
	if json.Unmarshal(edit, &list) != nil || len(list) == 0 {
		return false
	}
	return list[0]["action"] != nil && list[0]["search"] == nil
}
