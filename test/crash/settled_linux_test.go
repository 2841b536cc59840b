package crash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// The outcomes of a run.
const (
	absent   = "not there: all files are old, and undo knows of nothing"
	standing = "done: all files are new, and undo takes them back"
)

// requireSettled demands what must be true after the first start that follows a death: all files old or all new, a
// ledger that agrees, nothing billed or asked twice, and nothing left behind. It returns the outcome of the run.
func (s *stage) requireSettled(about string, lives ...life) string {
	s.t.Helper()
	s.requireNothingLeft(about)
	s.requireAskedOnce(about, lives...)
	files := s.files()
	if same(before(), files) {
		undo := s.live(never, "undo", "--yes")
		require.Contains(s.t, undo.output, "nothing to undo", about)
		return absent
	}
	require.Equal(s.t, after(), files, about)
	undo := s.live(never, "undo", "--yes")
	require.Zero(s.t, undo.code, about+"\n"+undo.output)
	require.Equal(s.t, before(), s.files(), about+"\n"+undo.output)
	s.requireNothingLeft(about)
	return standing
}

// requireAskedOnce demands that no process asks what an earlier one has an answer to.
func (s *stage) requireAskedOnce(about string, lives ...life) {
	s.t.Helper()
	require.Empty(s.t, askedAgain(lives), about)
}

// askedAgain are the questions that were asked although there was an answer. A question that the full disk had no room for
// was shown without a choice: it does not count.
func askedAgain(lives []life) (again []string) {
	answered := map[string]bool{}
	for _, l := range lives {
		for _, e := range l.told() {
			switch {
			case e.Type == "ask" && answered[e.Data.AskID]:
				again = append(again, e.Data.AskID)
			case e.Type == "answered" && e.Data.Choice != "":
				answered[e.Data.AskID] = true
			}
		}
	}
	return again
}

// requireBoughtOnce demands that the model was asked nothing that the script does not know, and nothing twice but what
// was on its way when the program died.
func (s *stage) requireBoughtOnce(about string) {
	s.t.Helper()
	if err := s.model.script.Verify(); err != nil {
		require.NotContains(s.t, err.Error(), "not expected", about)
	}
	require.Empty(s.t, s.boughtAgain(), "%s: deaths after calls %v", about, s.deaths)
}

// boughtAgain are the calls that were made although they had been made and answered. A call may be made once more for
// each death that it was on its way at: then it was the last one before the death, is the first one after it, and has
// the key of the first, so that a provider that heeds keys is not paid twice either.
func (s *stage) boughtAgain() (again []string) {
	s.t.Helper()
	all := s.model.asked(s.t)
	latest := map[string]int{}
	for i, c := range all {
		earlier, before := latest[c.text]
		onItsWay := before && earlier == i-1 && slices.Contains(s.deaths, i) && c.key == all[earlier].key && c.key != ""
		if before && !onItsWay {
			again = append(again, fmt.Sprintf("call %d is made again as call %d: %s", earlier+1, i+1, c.text))
		}
		latest[c.text] = i
	}
	return again
}

// remains are the files that must not be left behind, by what they are. Single objects of the shadow that git was writing
// are not among them: the collection of unneeded objects removes them.
var remains = map[string]string{
	"a scratch tree without an owner": "home/shadow/*/trees/*",
	"a change under way":              "home/projects/*/journal/*",
	"a lock of git":                   "home/shadow/*/git/*.lock",
	"a lock of a ref":                 "home/shadow/*/git/refs/*/*.lock",
	"a pack under way":                "home/shadow/*/git/objects/pack/tmp_*",
	"a mark of a pack":                "home/shadow/*/git/objects/pack/*.keep",
	"a crash report of git":           "home/shadow/*/git/fast_import_crash_*",
	"a copy of a database":            "home/projects/*/*.backup*",
	"a file that was put aside":       "home/projects/*/*.damaged*",
}

// requireNothingLeft demands that there are no scratch trees, no half-written files, no journal, no locks and no
// processes of anybody.
func (s *stage) requireNothingLeft(about string) {
	s.t.Helper()
	require.Empty(s.t, s.left(), about)
	var running []string
	require.Eventually(s.t, func() bool {
		running = s.processes()
		return len(running) == 0
	}, gone, glance, "%s: processes are left: %q", about, &running)
}

// left are the files that should not be there.
func (s *stage) left() (found []string) {
	s.t.Helper()
	for what, pattern := range remains {
		names, err := filepath.Glob(filepath.Join(s.base, filepath.FromSlash(pattern)))
		require.NoError(s.t, err)
		for _, name := range names {
			found = append(found, what+": "+name)
		}
	}
	require.NoError(s.t, filepath.WalkDir(s.root, func(path string, _ fs.DirEntry, err error) error {
		if name := filepath.Base(path); strings.HasPrefix(name, ".forge-") {
			found = append(found, "a half-written file: "+path)
		}
		return err
	}))
	return found
}

// gone ends the wait for processes that do not die. Nothing is measured by it: a busy machine takes seconds to end one.
const gone = time.Minute

// glance is how often is looked whether they are gone.
const glance = 20 * time.Millisecond

// processes are the commands of processes whose folder, or an argument, lies below the stage.
func (s *stage) processes() []string {
	var found []string
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		proc := filepath.Join("/proc", entry.Name())
		cwd, err := os.Readlink(filepath.Join(proc, "cwd"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		command, _ := os.ReadFile(filepath.Join(proc, "cmdline"))
		if len(command) == 0 { // a zombie, or of the kernel
			continue
		}
		if strings.HasPrefix(cwd, s.base+"/") || strings.Contains(string(command), s.base+"/") {
			found = append(found, entry.Name()+" "+strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return found
}
