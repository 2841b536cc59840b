package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// release is a file of testdata/releases: two commits, what each lens answers about their difference, and what the program makes of it. Its parts:
//
//	before/PATH, after/PATH   the files of both commits; with a part crlf, their lines end as on Windows
//	contracts, failures, …    the answer of a lens: lines "PATH:LINE severity category | element | message", each above its indented evidence,
//	                          or "says: TEXT" for an answer of no use. "LENS, twice": it answers that again when it is asked again;
//	                          "LENS, again": its second answer. The part ruling is the answer about ties, "upheld NUMBERS: reason".
//	planted                   the defects, "PATH:LINE must-fix|advisory|missed what it is"
//	want                      "exit CODE: the summary", what is printed, and what is said of answers and evidence that do not count
type release struct {
	name          string
	before, after map[string]string
	script        string
	planted       []plantedDefect
	code          int
	summary       string
	printed       string   // on standard output
	notes         []string // on standard error
}

type plantedDefect struct{ place, outcome string }

func readRelease(t *testing.T, file string) *release {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	r := &release{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), before: map[string]string{}, after: map[string]string{}}
	ends := "\n"
	for _, part := range archive.Files {
		text := string(part.Data)
		kind, path, _ := strings.Cut(part.Name, "/")
		lens, manner, _ := strings.Cut(part.Name, ", ")
		switch {
		case part.Name == "crlf":
			ends = "\r\n"
		case kind == "before":
			r.before[path] = text
		case kind == "after":
			r.after[path] = text
		case part.Name == "planted":
			for _, line := range lines(text) {
				defect := regexp.MustCompile(`^(.*:\d+) (must-fix|advisory|missed) +\S`).FindStringSubmatch(line)
				require.NotNil(t, defect, line)
				r.planted = append(r.planted, plantedDefect{defect[1], defect[2]})
			}
		case part.Name == "want":
			r.expects(t, lines(text))
		case lens == "ruling":
			r.plays(t, "review", "Two reviewers of a release disagree", ruling(text), manner)
		case lens == "contracts" || lens == "failures" || lens == "clarity":
			r.plays(t, lens+"/review", "as one of three reviewers", remarks(t, text), manner)
		default:
			t.Fatalf("%s: no part is called %s", file, part.Name)
		}
	}
	for _, files := range []map[string]string{r.before, r.after} {
		for path, text := range files {
			files[path] = strings.ReplaceAll(text, "\n", ends)
		}
	}
	return r
}

// plays adds an answer to the script of all releases, whose requests are told apart by the tag that is reviewed.
func (r *release) plays(t *testing.T, node, asked string, reply any, manner string) {
	t.Helper()
	kind := "json"
	if text, is := reply.(string); is {
		kind, reply = "text", strings.TrimSpace(text)
	}
	times := 1
	if manner == "twice" {
		times = 2
	}
	entry, err := json.Marshal(map[string]any{
		"match": map[string]any{"node": node, "contains": []string{"all changes since " + r.name, asked}}, "times": times, "reply": map[string]any{kind: reply},
	})
	require.NoError(t, err)
	r.script += "\n- " + string(entry)
}

// remarks is the answer of a lens.
func remarks(t *testing.T, text string) any {
	t.Helper()
	if says, is := strings.CutPrefix(text, "says: "); is {
		return says
	}
	issues := []map[string]any{}
	for line := range strings.Lines(text) {
		if evidence, is := strings.CutPrefix(line, "\t"); is {
			issues[len(issues)-1]["evidence"] = strings.TrimSuffix(evidence, "\n")
			continue
		}
		remark := regexp.MustCompile(`^(.*):(\d+) (error|warning) (.*?) \| (.*?) \| (.*)\n`).FindStringSubmatch(line)
		require.NotNil(t, remark, line)
		at, _ := strconv.Atoi(remark[2])
		issues = append(issues, map[string]any{"path": remark[1], "startLine": at, "endLine": at, "severity": remark[3], "category": remark[4], "element": remark[5], "message": remark[6]})
	}
	return map[string]any{"summary": "Looked.", "issues": issues}
}

// ruling is the answer of the model that decides about ties.
func ruling(text string) any {
	if says, is := strings.CutPrefix(text, "says: "); is {
		return says
	}
	numbers, reason, _ := strings.Cut(strings.TrimPrefix(text, "upheld"), ":")
	upheld := []int{}
	for _, field := range strings.Fields(numbers) {
		n, _ := strconv.Atoi(field)
		upheld = append(upheld, n)
	}
	return map[string]any{"upheld": upheld, "reason": strings.TrimSpace(reason)}
}

func (r *release) expects(t *testing.T, want []string) {
	t.Helper()
	_, err := fmt.Sscanf(want[0], "exit %d:", &r.code)
	require.NoError(t, err, want[0])
	_, r.summary, _ = strings.Cut(want[0], ": ")
	for _, line := range want[1:] {
		if evidence, is := strings.CutPrefix(line, "left out: "); is {
			lens, place, _ := strings.Cut(evidence, " ")
			path, quoted, _ := strings.Cut(place, ` "`)
			r.notes = append(r.notes, fmt.Sprintf("an issue was left out, because its evidence is not in %s: %q", path, strings.TrimSuffix(quoted, `"`)), lens+": an issue was left out")
		} else if lens, is := strings.CutPrefix(line, "no answer: "); is {
			r.notes = append(r.notes, lens+" gave no usable answer")
		} else if said, is := strings.CutPrefix(line, "ruling: "); is {
			r.notes = append(r.notes, said)
		} else {
			r.printed += line + "\n"
		}
	}
}

// committed makes a repository of the release: its first commit has the release's name as a tag, its second commit is checked out.
func (r *release) committed(t *testing.T, w *world) {
	t.Helper()
	w.put(r.before)
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "before")
	w.git("tag", r.name)
	w.put(r.after)
	for path := range r.before {
		if _, kept := r.after[path]; !kept {
			w.git("rm", "-q", path)
		}
	}
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "after")
}

// check reports whether each planted defect is on a line that exists, and in what was printed as the table says.
func (r *release) check(t *testing.T) {
	t.Helper()
	all := maps.Clone(r.before)
	maps.Copy(all, r.after)
	for _, defect := range r.planted {
		at := strings.LastIndex(defect.place, ":")
		line, _ := strconv.Atoi(defect.place[at+1:])
		require.LessOrEqual(t, line, strings.Count(all[defect.place[:at]], "\n"), defect.place)
		rank := map[string]string{"must-fix": ": error: ", "advisory": ": warning: ", "missed": ": "}[defect.outcome]
		require.Equal(t, defect.outcome != "missed", strings.Contains(r.printed, defect.place+rank), "%s %s", defect.place, defect.outcome)
	}
}

// Forty defects are planted in twenty releases, in as many languages. What must be fixed, what is advisory, what is left out and the exit code
// are exactly what the rules of docs/runs.md make of the answers of three lenses.
func TestReviewCommand_FindsPlantedDefectsByTheRules(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/releases/*.txtar")
	require.NoError(t, err)
	releases, outcomes := make([]*release, len(files)), map[string]int{}
	for i, file := range files {
		releases[i] = readRelease(t, file)
		releases[i].check(t)
		for _, defect := range releases[i].planted {
			outcomes[defect.outcome]++
		}
	}
	require.Len(t, releases, 20)
	require.Equal(t, map[string]int{"must-fix": 17, "advisory": 13, "missed": 10}, outcomes)

	script, chosen := "", testkit.Sample(2, releases)
	for _, r := range chosen {
		script += r.script
	}
	model := scripted(t, script, nil)
	t.Run("all", func(t *testing.T) {
		for _, r := range chosen {
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				r.isReviewed(t, model.environ)
			})
		}
	})
	model.played()
}

// isReviewed has the program review a repository of the release.
func (r *release) isReviewed(t *testing.T, environ []string) {
	w := &world{t: t, root: t.TempDir(), environ: append(slices.Clip(environ), "FORGE_HOME="+t.TempDir())}
	r.committed(t, w)
	code, out, said := w.run("review", "--trust", "--final", "--base", r.name)
	require.Equal(t, r.printed, out, said)
	require.Equal(t, r.code, code, said)
	require.Contains(t, said, r.summary)
	for _, note := range r.notes {
		require.Contains(t, said, note)
	}
	const left = "its evidence is not in"
	require.Equal(t, strings.Count(strings.Join(r.notes, "\n"), left), strings.Count(said, left), said)
}
