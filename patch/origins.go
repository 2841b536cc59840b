package patch

import "path"

// Origins returns for files that s creates or moves the path that each has come from. Of a created one it is that of a file that s deletes and
// that has most of its text, as git sees renames: the result of a run has no moves. Two files may have come from one.
func (s ChangeSet) Origins() map[string]string {
	from := map[string]string{}
	var gone []deleted
	for _, f := range s.Files {
		switch f.Kind {
		case Move:
			from[f.Path] = f.From
		case Delete:
			gone = append(gone, deleted{f, countLines(f.Before)})
		case Create, Update:
		}
	}
	if len(gone) == 0 {
		return from
	}
	for _, f := range s.Files {
		if f.Kind != Create {
			continue
		}
		if origin := originOf(f, gone); origin != "" {
			from[f.Path] = origin
		}
	}
	return from
}

// deleted is a deleted file, with how often it has each line.
type deleted struct {
	FileChange
	lines map[string]int
}

// originOf returns the path of the deleted file that is most like a created one; empty if none has most of its text.
func originOf(f FileChange, gone []deleted) (origin string) {
	best := 0
	prefer := func(d deleted, same int) { // the name decides between equals
		if same *= 2; path.Base(d.Path) == path.Base(f.Path) {
			same++
		}
		if same > best {
			origin, best = d.Path, same
		}
	}
	for _, d := range gone {
		if d.Before == f.After {
			prefer(d, len(f.After))
		}
	}
	if origin != "" { // nothing is more like it, and comparing takes time
		return origin
	}
	lines := countLines(f.After)
	for _, d := range gone {
		if most := max(len(d.Before), len(f.After)); 2*min(len(d.Before), len(f.After)) >= most {
			if same := inCommon(lines, d.lines); 2*same >= most {
				prefer(d, same)
			}
		}
	}
	return origin
}

func countLines(text string) map[string]int {
	counts := map[string]int{}
	for _, line := range SplitLines(text) {
		counts[line]++
	}
	return counts
}

// inCommon adds up the bytes of the lines that two texts have in common, in any order.
func inCommon(a, b map[string]int) (bytes int) {
	for line, n := range a {
		bytes += min(n, b[line]) * len(line)
	}
	return bytes
}
