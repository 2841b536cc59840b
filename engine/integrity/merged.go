package integrity

// Merged returns the test that a removed one became a part of: a test of the same file that stays, and whose added lines have mostly the text
// of the removed one. now are the tests that pass with the change. Empty if there is none.
func (r Rewritten) Merged(test string, now []string) string {
	unit := r.unit(test)
	for _, f := range r.files {
		if !touches(f, test, unit) {
			continue
		}
		old := body(f.Before, unit)
		for _, p := range r.places(f.After, f.Path, now) {
			if p.unit != unit && line(f.Before, p.unit) >= 0 && alike(old, added(body(f.Before, p.unit), body(f.After, p.unit))) {
				return p.test
			}
		}
	}
	return ""
}

// added returns the lines that the second text has more often than the first.
func added(before, after []string) (lines []string) {
	left := map[string]int{}
	for _, l := range before {
		left[l]++
	}
	for _, l := range after {
		if left[l]--; left[l] < 0 {
			lines = append(lines, l)
		}
	}
	return lines
}
