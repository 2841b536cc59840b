package general

import (
	"path"
	"slices"
	"strings"
)

// maxNamed limits the names in a message.
const maxNamed = 6

// instead lists the existing names, the nearest first.
func instead(name string, names []string, verb string) string {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "default" || strings.HasPrefix(n, "__") })
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return "; it " + verb + "s nothing"
	}
	slices.SortStableFunc(names, func(a, b string) int { return far(name, a) - far(name, b) })
	more := ""
	if len(names) > maxNamed {
		names, more = names[:maxNamed], ", …"
	}
	return "; it " + verb + "s " + strings.Join(names, ", ") + more
}

// beside returns the file with the name nearest to a missing one, or "".
func (c *checker) beside(missing string) string {
	base := path.Base(stem(missing))
	best, least := "", min(3, max(1, len(base)/2))
	for _, name := range c.Paths {
		if folderOf(name) != folderOf(missing) || !BindsNames(name) {
			continue
		}
		if d := far(base, path.Base(stem(name))); d < least {
			best, least = path.Base(name), d
		}
	}
	if best == "" {
		return ""
	}
	return "; there is " + best
}

// far returns the edit distance of two names in bytes, ignoring case. A name is near to its prefixes, however long it is.
func far(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if len(a) > 2 && len(b) > 2 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
		return 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			before, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, before+cost)
		}
	}
	return row[len(b)]
}
