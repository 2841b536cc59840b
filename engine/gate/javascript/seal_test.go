package javascript

import (
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate/tool"
)

// unsigned is what a reporter said of what went wrong beside tests, as it is kept in recordings.
var unsigned = regexp.MustCompile(`(?m)^forge-broken - (.*)$`)

// sealed is what a runner would say whose reporter signs all of it: recordings and canned reports are taken for true.
func sealed(stdin io.Reader, stdout []byte) []byte {
	key, _ := io.ReadAll(stdin)
	s, text, r := seal{key: string(key)}, string(stdout), tool.Root{}
	var told strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, `{"t":"`) && !strings.HasPrefix(line, `{"t":"end"`) {
			told.WriteString(line)
		}
	}
	text = strings.ReplaceAll(text, `{"t":"end"}`, `{"t":"end","m":"`+s.sign(told.String())+`"}`)
	text = unsigned.ReplaceAllStringFunc(text, func(line string) string {
		list := unsigned.FindStringSubmatch(line)[1]
		return "forge-broken " + s.sign(list) + " " + list
	})
	var tests [][2]string
	if report, is := lastReport(text); is {
		for _, file := range report.TestResults {
			for _, a := range file.AssertionResults {
				tests = append(tests, [2]string{file.Name, strings.Join(append(nonEmpty(a.AncestorTitles), a.Title), " ")})
			}
		}
	}
	if report, is := lastMocha(text); is {
		for _, test := range report.Passes {
			tests = append(tests, [2]string{test.File, strings.Join(test.outcome(passed, r).titles, " ")})
		}
	}
	if tests == nil {
		return []byte(text)
	}
	list, _ := json.Marshal(tests)
	return []byte(text + "\nforge-seal " + s.sign(string(list)) + " " + string(list) + "\n")
}

// What nobody has signed with the key of this run has not passed.
func TestWhatIsNotSealed(t *testing.T) {
	t.Parallel()
	s := seal{key: "k"}
	const list, nameless = `[["a.test.js","s x"]]`, `[["a.test.js"," s  x"]]`
	for name, c := range map[string]struct {
		said string
		want state
	}{
		"signed":             {"forge-seal " + s.sign(list) + " " + list + "\n", passed},
		"not at all":         {"", unfinished},
		"a nameless suite":   {"forge-seal " + s.sign(nameless) + " " + nameless + "\n", passed},
		"by another key":     {"forge-seal " + seal{key: "l"}.sign(list) + " " + list + "\n", unfinished},
		"another list":       {"forge-seal " + s.sign("[]") + " " + list + "\n", unfinished},
		"a list without it":  {"forge-seal " + s.sign("[]") + " []\n", unfinished},
		"a list of nonsense": {"forge-seal " + s.sign("x") + " x\n", unfinished},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := tool.RootOf(write(t, nil))
			stdout := passing + c.said
			said := parseJest(stdout, "", r)
			s.doubt(&said, stdout, r)
			require.Equal(t, c.want, said.tests[0].state)
			require.Equal(t, c.want == unfinished, len(said.beside) == 1)
		})
	}
	// Nor is it told what went wrong by what is not signed.
	const broken = `[["a.test.js","s","Error: no\n    at a.test.js:2:3"]]`
	for stdout, want := range map[string]int{"forge-broken " + s.sign(broken) + " " + broken: 1, "forge-broken " + s.sign("") + " " + broken: 0} {
		var said results
		s.doubt(&said, stdout, tool.RootOf(write(t, nil)))
		require.Len(t, said.beside, want)
	}
	const event = `{"t":"pass","n":"x","d":0,"f":"a.test.js","l":1,"c":1}` + "\n"
	end := `{"t":"end","m":"` + s.sign(event) + `"}` + "\n"
	for stdout, want := range map[string]state{event + end: passed, event + event + end: unfinished, event + `{"t":"end"}`: unfinished, event + "noise\n" + end: passed} {
		r := tool.RootOf(write(t, nil))
		said := parseNode(stdout, r, func(string) bool { return true })
		s.doubtNode(&said, stdout, r)
		require.Equal(t, want, said.tests[0].state, stdout)
	}
}
