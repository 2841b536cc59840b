package match

import (
	"errors"
	"slices"

	"forge/patch"
)

// applyHunks returns the text after the hunks of one file, matched or, where they match nowhere, confirmed.
//
// Invariant: a confirmation is asked for only when everything else has failed, so that it never changes what
// becomes of hunks that match.
func applyHunks(path, before string, hunks []patch.Hunk, confirmed confirmer) (string, []patch.Match, error) {
	after, matches, err := applyMatched(path, before, hunks)
	if confirmed == nil || !errors.As(err, new(*NoMatchError)) {
		return after, matches, err
	}
	return applyTogether(path, before, hunks, confirmed)
}

// applyMatched returns the text after hunks that match: all the text before, or, where pairs of texts cannot,
// one after the other.
func applyMatched(path, before string, hunks []patch.Hunk) (string, []patch.Match, error) {
	after, matches, err := applyTogether(path, before, hunks, nil)
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
func applyInTurn(path, before string, hunks []patch.Hunk) (after string, matches []patch.Match, ok bool) {
	after = before
	for _, h := range hunks {
		next, found, err := applyTogether(path, after, []patch.Hunk{h}, nil)
		if err != nil {
			return "", nil, false
		}
		if _, _, alone := applyTogether(path, before, []patch.Hunk{h}, nil); alone != nil && found[0].Level > patch.Exact {
			return "", nil, false
		}
		after, matches = next, append(matches, found...)
	}
	return after, matches, true
}

// literals reports whether all hunks were made of pairs of texts.
func literals(hunks []patch.Hunk) bool {
	return !slices.ContainsFunc(hunks, func(h patch.Hunk) bool { return h.Literal == nil })
}
