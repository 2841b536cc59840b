package match

import (
	"errors"
	"slices"

	"forge/patch"
)

// applyHunks returns the text after the hunks of one file: matching ones, and confirmed ones that match nowhere.
//
// Invariant: a confirmation is only used when everything else has failed, so that it never changes the result of hunks that match.
func applyHunks(path, before string, hunks []patch.Hunk, confirmed confirmer) (string, []patch.Match, error) {
	after, matches, err := applyMatched(path, before, hunks)
	if confirmed == nil || !errors.As(err, new(*NoMatchError)) {
		return after, matches, err
	}
	return applyTogether(path, before, hunks, confirmed)
}

// applyMatched returns the text after matching hunks: all are matched against the text before, or, for pairs of texts that fail, in
// sequence.
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

// dependent reports whether failing hunks may depend on each other: one searches for a text that another wrote.
func dependent(err error) bool {
	return errors.As(err, new(*NoMatchError)) || errors.As(err, new(*OverlapError))
}

// applyInTurn applies each hunk to the result of the ones before it. A hunk that does not match the first text must match exactly in what
// was written before it. Lines of matches are those of the text that each hunk was applied to.
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
