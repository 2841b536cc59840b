package patch

import "errors"

// applyHunks returns the text after the hunks of one file: all matched against the text before, or,
// where pairs of texts cannot be, one after the other.
func applyHunks(path, before string, hunks []Hunk) (string, []Match, error) {
	after, matches, err := applyTogether(path, before, hunks)
	if err == nil || len(hunks) < 2 || !literals(hunks) || !dependent(err) {
		return after, matches, err
	}
	if after, matches, ok := applyInTurn(path, before, hunks); ok {
		return after, matches, nil
	}
	return "", nil, err
}

// dependent reports whether hunks that fail together may have been meant one after the other: one names
// a text that another wrote.
func dependent(err error) bool {
	return errors.As(err, new(*NoMatchError)) || errors.As(err, new(*OverlapError))
}

// applyInTurn applies each hunk to what the ones before it left. One that does not fit the first text
// has nothing to be found by but what was written before it, so it must stand there exactly. Lines of
// matches are those of the text each hunk met.
func applyInTurn(path, before string, hunks []Hunk) (after string, matches []Match, ok bool) {
	after = before
	for _, h := range hunks {
		next, found, err := applyTogether(path, after, []Hunk{h})
		if err != nil {
			return "", nil, false
		}
		if _, _, alone := applyTogether(path, before, []Hunk{h}); alone != nil && found[0].Level > Exact {
			return "", nil, false
		}
		after, matches = next, append(matches, found...)
	}
	return after, matches, true
}
