package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"forge/engine/gate"
	"forge/engine/pipeline/judge"
	"forge/internal/lazyregexp"
)

// near is how many lines apart two issues about the same code element may be.
const near = 5

// grave are the categories of an error that blocks a release even if only one lens reports it: faults that no test shows, so that
// the other lenses may well have looked elsewhere.
var grave = []string{"silent-failure", "contract-mismatch", "schema-drift", "silent-production-failure"}

// remark is an issue that a lens reports.
type remark struct {
	judge.Issue
	Element  string `json:"element" jsonschema:"name of the function, type, field or variable it is about"`
	Evidence string `json:"evidence" jsonschema:"the line of code that shows it, copied"`
	lens     string
}

// finding is an issue of a final review: the remarks of all lenses that found it.
type finding struct {
	judge.Issue          // the gravest remark, and among equals that of the first lens
	Lenses      []string // the names of the lenses that reported it, in their order
	MustFix     bool     // it blocks the release
}

// agree puts remarks about the same fault together, and decides which block a release: those of at least two lenses, and errors of one
// lens in a category of grave. All others are advisory. Remarks are about the same fault if they are in the same file, at most 5 lines
// apart, and about the same code element. Findings are ordered by path and line, those that block first.
func agree(remarks []remark) (findings []finding) {
	for len(remarks) > 0 {
		group := []remark{remarks[0]}
		remarks = slices.Clone(remarks[1:])
		for i := 0; i < len(group); i++ { // the group grows while it is read
			remarks = slices.DeleteFunc(remarks, func(r remark) bool {
				same := group[i].same(r)
				if same {
					group = append(group, r)
				}
				return same
			})
		}
		findings = append(findings, conclude(group))
	}
	byRank(findings)
	return findings
}

// byRank sorts findings by path and line, those that block first.
func byRank(findings []finding) {
	slices.SortStableFunc(findings, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), strings.Compare(a.Path, b.Path), cmp.Compare(a.StartLine, b.StartLine))
	})
}

// rank orders findings: those that block come first.
func (f finding) rank() int {
	if f.MustFix {
		return 0
	}
	return 1
}

// same reports whether two remarks are about the same fault.
func (r remark) same(other remark) bool {
	apart := r.StartLine - other.StartLine
	return r.Path == other.Path && apart <= near && apart >= -near && r.sharesElement(other)
}

// named matches names of code in a text: in backticks, with an underscore, dot or parentheses, or with a capital letter inside.
var named = lazyregexp.New("`([^`]+)`|\\b([A-Za-z]\\w*(?:_\\w+|\\.\\w+|[a-z][A-Z]\\w*|\\w*\\(\\))[\\w.()]*)")

// elements returns the code elements that a remark names: the one it states, or else those in its message.
func (r remark) elements() (names []string) {
	if name := bare(r.Element); name != "" {
		return []string{name}
	}
	for _, found := range named.Regexp().FindAllStringSubmatch(r.Message, -1) {
		if name := bare(found[1] + found[2]); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// kinds are words that may follow a name: "the Total method".
var kinds = []string{"function", "method", "field", "variable", "parameter", "argument", "constant", "type", "class", "struct", "interface", "column", "table", "property", "key"}

// What may follow a name in its place: type parameters and arguments, then its own parameters and its type.
var (
	generic   = lazyregexp.New(`\[[^\]]*\]|<[^>]*>+`)
	signature = lazyregexp.New(`(\w)\(.*|: .*`)
)

// bare returns a name as the lenses have in common, without package, receiver, parameters, sigils and quotes: "(*Cart).Total()", "func (c Cart) Total() int",
// "Cart#Total", "$this->Total" and "the method `Total`" are "Total".
func bare(name string) string {
	name = signature.Regexp().ReplaceAllString(generic.Regexp().ReplaceAllString(name, ""), "$1")
	words := strings.FieldsFunc(name, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '-' })
	words = slices.DeleteFunc(words, func(word string) bool { return strings.Trim(word, "-") == "" })
	if n := len(words); n > 1 && strings.HasSuffix(name, " "+words[n-1]) && slices.Contains(kinds, words[n-1]) {
		words = words[:n-1]
	}
	if len(words) == 0 {
		return ""
	}
	return strings.Trim(words[len(words)-1], "-")
}

func (r remark) sharesElement(other remark) bool {
	theirs := other.elements()
	return slices.ContainsFunc(r.elements(), func(name string) bool { return slices.Contains(theirs, name) })
}

// conclude makes one finding of the remarks about a fault.
func conclude(group []remark) finding {
	first := group[0]
	f := finding{}
	for _, r := range group {
		if !slices.Contains(f.Lenses, r.lens) {
			f.Lenses = append(f.Lenses, r.lens)
		}
		if r.weight() > first.weight() {
			first = r
		}
	}
	f.Issue = first.Issue
	f.MustFix = len(f.Lenses) > 1 || first.weight() == blocking
	return f
}

// blocking is the weight of a remark that blocks a release by itself.
const blocking = 2

// weight orders the remarks about a fault: an error that blocks by itself, any other error, a warning.
func (r remark) weight() int {
	switch {
	case r.Severity != "error":
		return 0
	case slices.Contains(grave, category(r.Category)):
		return blocking
	}
	return 1
}

// category returns a category as lists have it: models also write "silent production failure".
func category(said string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(said), func(c rune) bool { return c == ' ' || c == '_' || c == '-' }), "-")
}

// issue returns the finding as an issue: it is an error if it blocks, and its message names the lenses.
func (f finding) issue() judge.Issue {
	i := f.Issue
	i.Category, i.Severity = category(i.Category), "warning"
	if f.MustFix {
		i.Severity = "error"
	}
	i.Message = fmt.Sprintf("%s (%s)", strings.TrimSpace(i.Message), strings.Join(f.Lenses, ", "))
	return i
}

// finalReport returns the report of a final review. answered is the number of lenses that gave a usable answer, looked is the number of files that every lens was shown.
func finalReport(findings []finding, answered, looked int) gate.Report {
	issues := make([]judge.Issue, len(findings))
	must := 0
	for i, f := range findings {
		issues[i] = f.issue()
		if f.MustFix {
			must++
		}
	}
	verdict := "RELEASE CLEAR"
	if must > 0 {
		verdict = "RELEASE BLOCKED"
	}
	summary := fmt.Sprintf("%s: %d must be fixed, %d advisory, from %d lenses", verdict, must, len(findings)-must, answered)
	return judge.ReportOn(issues, must == 0, summary, looked)
}
