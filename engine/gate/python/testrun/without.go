package testrun

import (
	"fmt"
	"strings"

	"forge/internal/lazyregexp"
)

// importStatement is an import at the top level of a module, over all of its lines: "import a, b as c", "from a import (b, c)".
var importStatement = lazyregexp.New(`(?m)^(?:import[ \t]+(?P<modules>[\w., \t]+)|from[ \t]+(?P<from>\.*[\w.]*)[ \t]+import[ \t]+(?P<names>\([^)]*\)|[^\n#(\\]+))[ \t]*(?:#[^\n]*)?$`)

// Without returns the text of a file of tests in which the imports in the lines given, which fail, import what is there and leave out what is not;
// each other line is where it was. A test that uses a name that is not there fails by itself then, and the others run. It is not ok where a line
// is in no import at the top level.
func Without(text string, faults []int) (rest string, ok bool) {
	rest = text
	for _, fault := range faults {
		if rest, ok = withoutImport(rest, fault); !ok {
			return "", false
		}
	}
	return rest, rest != text
}

// withoutImport makes each name of the import in a line one that may be missing.
func withoutImport(text string, fault int) (string, bool) {
	for _, at := range importStatement.FindAllStringSubmatchIndex(text, -1) {
		first := 1 + strings.Count(text[:at[0]], "\n")
		lines := strings.Count(text[at[0]:at[1]], "\n")
		if fault < first || fault > first+lines {
			continue
		}
		var tries []string
		if at[2] >= 0 {
			for _, name := range importedNames(text[at[2]:at[3]]) {
				tries = append(tries, "import "+name)
			}
		} else {
			for _, name := range importedNames(text[at[6]:at[7]]) {
				tries = append(tries, "from "+text[at[4]:at[5]]+" import "+name)
			}
		}
		for i, try := range tries {
			tries[i] = fmt.Sprintf(`exec("try:\n %s\nexcept Exception: pass")`, try)
		}
		return text[:at[0]] + strings.Join(tries, "; ") + strings.Repeat("\n", lines) + text[at[1]:], len(tries) > 0
	}
	return "", false
}

var comment = lazyregexp.New(`#[^\n]*`)

// importedNames are the names of an import: "b", "c as d".
func importedNames(list string) (names []string) {
	for name := range strings.SplitSeq(strings.Trim(comment.ReplaceAllString(list, ""), "() \t\n"), ",") {
		if name = strings.Join(strings.Fields(name), " "); name != "" {
			names = append(names, name)
		}
	}
	return names
}
