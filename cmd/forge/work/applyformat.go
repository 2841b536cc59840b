package work

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"forge/internal/inert"
	"forge/patch"
	"forge/patch/match"
)

// formatAuto detects the notation of the edit.
const formatAuto = "auto"

// parsers are the parsers of edits, by the name of the notation.
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

// formats are the names of all notations, sorted.
func formats() []string { return slices.Sorted(maps.Keys(parsers)) }

// replacement is an entry of an edit that is a list.
type replacement struct {
	Path    *string `json:"path"`
	Search  *string `json:"search"`
	Replace *string `json:"replace"`
}

// parseEdit parses an edit: a string in the notation, a list of actions, or a list of replacements.
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

// locatedAnswer is a hunk that matches nowhere, with its probable place.
type locatedAnswer struct {
	Path   string  `json:"path"`
	Hunk   int     `json:"hunk"`   // from 1, in the order of the patch
	Line   int     `json:"line"`   // from 1, of the first line of before
	Score  float64 `json:"score"`  // likeness of the lines, from 0 to 1
	Before string  `json:"before"` // the current lines
	After  string  `json:"after"`  // the lines that replace them
}

// unconfirmedError reports that the user did not confirm the probable place of a hunk.
type unconfirmedError struct {
	hunk    match.Unconfirmed
	refusal error // of the patch as it is
}

func (e *unconfirmedError) Error() string {
	return fmt.Sprintf("hunk %d of %s matches nowhere and was not confirmed at line %d, so nothing was applied; your files are unchanged", e.hunk.Hunk, e.hunk.Path, e.hunk.Line)
}

func (e *unconfirmedError) Unwrap() error { return e.refusal }

// confirmLocated asks about each hunk of a rejected patch that matches nowhere but resembles existing text. It returns the hunks
// only if all are confirmed, else the reason why nothing is applied. It does not ask if a confirmation would not help. --yes does
// not confirm, because the user has not seen the place.
func (a *application) confirmLocated(ctx context.Context, p patch.Patch, files patch.Files, refusal error) ([]match.Unconfirmed, error) {
	located, err := locateOver(p, files)
	if err != nil || len(located) == 0 {
		return nil, refusal
	}
	if a.flags.fuzzy {
		return located, nil
	}
	a.outcome.Unconfirmed = locatedAnswers(located)
	if !a.Interactive || a.flags.yes || a.flags.dryRun {
		a.showLocated(located)
		return nil, refusal
	}
	fmt.Fprintf(a.Err, "[forge] %s\n", inert.Text(refusal.Error()))
	for _, u := range located {
		if err := a.confirmHunk(ctx, u, refusal); err != nil {
			return nil, err
		}
	}
	a.outcome.Unconfirmed = nil
	return located, nil
}

// confirmHunk asks about one hunk; without consent it returns why nothing is applied.
func (a *application) confirmHunk(ctx context.Context, u match.Unconfirmed, refusal error) error {
	agreed, err := a.Confirm(ctx, fmt.Sprintf("%s:%d is %d %% similar to the text that hunk %d expects. Apply it here?", u.Path, u.Line, percent(u.Score), u.Hunk), u.Unified(3))
	if err == nil && !agreed {
		return &unconfirmedError{u, refusal}
	}
	return err
}

// showLocated shows hunks without asking about them.
func (a *application) showLocated(located []match.Unconfirmed) {
	for _, u := range located {
		fmt.Fprintf(a.Err, "[forge] hunk %d of %s matches nowhere; line %d is %d %% similar, where it would change:\n%s",
			u.Hunk, inert.Text(u.Path), u.Line, percent(u.Score), inert.Text(u.Unified(3)))
	}
	fmt.Fprintln(a.Err, "[forge] to apply such a hunk, confirm it in a terminal, or use --allow-fuzzy to apply all of them")
}

func locatedAnswers(located []match.Unconfirmed) []locatedAnswer {
	answers := make([]locatedAnswer, len(located))
	for i, u := range located {
		answers[i] = locatedAnswer(u)
	}
	return answers
}

// percent rounds down, so that only equal texts have 100 %.
func percent(score float64) int { return int(100 * score) }
