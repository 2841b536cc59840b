package repomap

import (
	"path"
	"strings"
)

// changelogs are the first files in which changes are noted.
func (m *Mapper) changelogs() (numbers []int32) {
	for i := range m.documents {
		if isChangelog(m.documents[i].Path) {
			numbers = append(numbers, int32(i))
		}
	}
	return numbers[:min(len(numbers), 2)]
}

// isChangelog reports whether a name is that of a file in which changes are noted.
func isChangelog(name string) bool {
	base := strings.ToLower(strings.TrimSuffix(path.Base(name), path.Ext(name)))
	return (path.Dir(name) == "." || path.Dir(name) == "docs") && (base == "changelog" || base == "changes" || base == "history" || base == "news")
}

// newest are the places of a changelog where a change is noted: its beginning, the end of its first chapter, and what is between them, in parts
// where that is long; none if it has no chapters and only refers to the changes elsewhere.
func newest(lines []string) []unit {
	const around, longest = 10, 60
	first, headings := 0, 0
	for i, line := range lines {
		is := strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "## ") || i+1 < len(lines) && isRule(lines[i+1]) && !isBlank(line)
		if !is || !strings.ContainsAny(line, "0123456789") && !strings.Contains(strings.ToLower(line), "unreleased") {
			continue
		}
		headings++
		switch {
		case headings == 1:
			first = i
			continue
		case i <= first+2*around:
			return []unit{{first: 0, last: i}}
		}
		all := []unit{{first: first, last: first + around}, {first: i - around, last: i}}
		part := longest
		if i-first > longest {
			part = around
		}
		for from := first + around + 1; from < i-around; from += part {
			all = append(all, unit{first: from, last: min(from+part, i-around) - 1, rank: 2 + (i-first)/longest})
		}
		return all
	}
	if headings == 0 {
		return nil
	}
	return []unit{{first: first, last: min(first+around, len(lines)-1)}}
}

// isRule reports whether a line underlines a heading, as Markdown and reStructuredText have it.
// https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#sections
func isRule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) > 2 && strings.Trim(line, line[:1]) == "" && strings.Contains("=-~^*+#\"'`:._", line[:1])
}

// likeEntries is what a part of a long chapter gains by what its entries have in common with the request: where a project sorts
// its entries, a new one is next to those.
func (e *excerpting) likeEntries(f *source, i int) float64 {
	if f.units[i].rank < 2 {
		return 0
	}
	return f.has(i, e.terms)
}
