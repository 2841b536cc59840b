package secrets

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// traces are the texts by which a canary is known again: whole, as it stands in JSON, in a URL and in base64, and by either
// end, for a secret of which only a part was replaced.
func (c canary) traces() []string {
	if len(c.lines) > 0 {
		var all []string
		for _, line := range c.lines {
			all = append(all, canary{value: line}.traces()...)
		}
		return all
	}
	v := c.value
	inJSON, _ := json.Marshal(v)
	all := []string{v, strings.Trim(string(inJSON), `"`), url.QueryEscape(v), v[len(v)-12:]}
	if !strings.HasPrefix(v, "eyJ") { // which every token of that kind begins with
		all = append(all, v[:12])
	}
	for shift := range 3 {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + v))
		all = append(all, text[4:len(text)-4])
	}
	all = append(all, strings.ToLower(v), strings.ToLower(v[len(v)-12:])) // as an index has words
	slices.Sort(all)
	return slices.Compact(all)
}

// finding is a canary where it must not be.
type finding struct{ canary, where string }

// look looks for canaries in a text.
func look(canaries []canary, where, text string) (found []finding) {
	for _, c := range canaries {
		if slices.ContainsFunc(c.traces(), func(trace string) bool { return strings.Contains(text, trace) }) {
			found = append(found, finding{c.name, where})
		}
	}
	return found
}

// found looks everywhere: what the model was asked, what the program wrote, its state, and temporary files. If a folder of
// the state is a copy of the user's own, files that git would track are theirs.
func (w *world) found() (all []finding) {
	w.t.Helper()
	for i, r := range w.model.Requests() {
		for _, m := range r.Messages {
			all = append(all, look(w.canaries, fmt.Sprintf("prompt %d (%s)", i, r.Node), m.Text)...)
		}
		whole, err := json.Marshal(r)
		require.NoError(w.t, err)
		all = append(all, look(w.canaries, fmt.Sprintf("request %d", i), string(whole))...)
	}
	for _, said := range w.said {
		all = append(all, look(w.canaries, said.what, said.text)...)
	}
	return append(all, w.kept()...)
}

// kept looks into every file that the program has left.
func (w *world) kept() (all []finding) {
	w.t.Helper()
	for _, dir := range []string{w.home, w.temp} {
		require.NoError(w.t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(dir, name)
			if ok, _ := filepath.Match("shadow/*/*/*/work", filepath.ToSlash(rel)); ok {
				return fs.SkipDir // a scratch tree
			}
			if ok, _ := filepath.Match("shadow/*/caches", filepath.ToSlash(rel)); ok {
				return fs.SkipDir // what compilers and test runners keep of the folder's code, as they do in the user's own cache
			}
			if !entry.Type().IsRegular() || rel == "keys.yaml" {
				return nil
			}
			text, err := os.ReadFile(name)
			require.NoError(w.t, err)
			all = append(all, look(w.canaries, rel, string(text))...)
			return nil
		}))
	}
	return all
}

// table is what was found, by place.
func table(found []finding) string {
	places := map[string][]string{}
	for _, f := range found {
		if !slices.Contains(places[f.where], f.canary) {
			places[f.where] = append(places[f.where], f.canary)
		}
	}
	var b strings.Builder
	for _, where := range slices.Sorted(maps.Keys(places)) {
		fmt.Fprintf(&b, "%-40s %d: %s\n", where, len(places[where]), strings.Join(places[where], ", "))
	}
	return b.String()
}

// TestScan_FindsEveryEncoding keeps the scan honest.
func TestScan_FindsEveryEncoding(t *testing.T) {
	t.Parallel()
	c := canary{name: "c", value: token(40)}
	for name, text := range map[string]string{
		"whole": "a" + c.value, "its beginning": c.value[:14] + "…", "its end": "…" + c.value[28:],
		"base64": base64.StdEncoding.EncodeToString([]byte("user:" + c.value + "\n")),
	} {
		require.Equal(t, []finding{{"c", name}}, look([]canary{c}, name, text), name)
	}
	require.Empty(t, look([]canary{c}, "another", token(400)))
}
