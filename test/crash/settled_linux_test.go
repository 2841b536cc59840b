package crash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// What can become of a run.
const (
	absent   = "not there: all files are old, and undo knows of nothing"
	standing = "done: all files are new, and undo takes them back"
)

// requireSettled demands what must be true after the first start that follows a death: all files old or all new, a
// ledger that agrees, nothing bought or asked twice, and nothing left behind. It returns what became of the run.
func (s *stage) requireSettled(about string, lives ...life) string {
	s.t.Helper()
	s.requireNothingLeft(about)
	s.requireAskedOnce(about, lives...)
	files := s.files()
	if same(before(), files) {
		undo := s.live(nil, nil, "undo", "--yes")
		require.Contains(s.t, undo.output, "nothing to undo", about)
		return absent
	}
	require.Equal(s.t, after(), files, about)
	undo := s.live(nil, nil, "undo", "--yes")
	require.Zero(s.t, undo.code, about+"\n"+undo.output)
	require.Equal(s.t, before(), s.files(), about+"\n"+undo.output)
	s.requireNothingLeft(about)
	return standing
}

// requireAskedOnce demands that no life asks what an earlier one has an answer to.
func (s *stage) requireAskedOnce(about string, lives ...life) {
	s.t.Helper()
	answered := map[string]bool{}
	for _, l := range lives {
		for _, e := range l.told() {
			switch e.Type {
			case "ask":
				require.False(s.t, answered[e.Data.AskID], "%s: %s was asked again\n%s", about, e.Data.AskID, l.output)
			case "answered":
				answered[e.Data.AskID] = true
			}
		}
	}
}

// requireBoughtOnce demands that no call of the model is made twice, but the one that was on its way at a death,
// if inFlight allows that.
func (s *stage) requireBoughtOnce(about string, inFlight bool) {
	s.t.Helper()
	require.NoError(s.t, s.surprises(), about)
	first := map[string]int{}
	for i, request := range s.model.asked(s.t) {
		earlier, again := first[request]
		if again && inFlight && s.lastOfALife(earlier, i) {
			again = false
		}
		require.False(s.t, again, "%s: call %d was made again as call %d, deaths after calls %v\n%s", about, earlier+1, i+1, s.deaths, request)
		first[request] = i
	}
}

// lastOfALife tells whether a call was the last one before a death, and the other the first one after it.
func (s *stage) lastOfALife(earlier, later int) bool {
	for _, calls := range s.deaths {
		if earlier == calls-1 && later == calls {
			return true
		}
	}
	return false
}

// surprises are requests that the script does not know.
func (s *stage) surprises() error {
	if err := s.model.script.Verify(); err != nil && strings.Contains(err.Error(), "not expected") {
		return err
	}
	return nil
}

// requireNothingLeft demands that there are no scratch trees, no half-written files, no journal, no locks and no
// processes of anybody.
func (s *stage) requireNothingLeft(about string) {
	s.t.Helper()
	for what, pattern := range map[string]string{
		"scratch trees without an owner": "home/shadow/*/trees/*", "changes under way": "home/projects/*/journal/*",
		"locks of git":       "home/shadow/*/git/*.lock",
		"locks of refs":      "home/shadow/*/git/refs/*/*.lock",
		"packs under way":    "home/shadow/*/git/objects/pack/tmp_*",
		"files put aside":    "home/projects/*/*.damaged*",
		"copies of database": "home/projects/*/*.db-backup*",
	} {
		found, err := filepath.Glob(filepath.Join(s.base, filepath.FromSlash(pattern)))
		require.NoError(s.t, err)
		require.Empty(s.t, found, "%s: %s", about, what)
	}
	require.NoError(s.t, filepath.WalkDir(s.root, func(path string, _ fs.DirEntry, err error) error {
		if name := filepath.Base(path); err == nil && (strings.HasPrefix(name, ".forge-") || strings.HasSuffix(name, ".lock")) {
			err = fmt.Errorf("%s: %s is left in the folder", about, path)
		}
		return err
	}))
	s.requireNoProcesses(about)
}

// gone is how long a process may take to die that the next start has found.
const gone = 2 * time.Second

// requireNoProcesses waits until nobody works below the stage any more; the test's own processes do not count.
func (s *stage) requireNoProcesses(about string) {
	s.t.Helper()
	var left []string
	require.Eventually(s.t, func() bool {
		left = s.processes()
		return len(left) == 0
	}, gone, gone/100, "%s: processes are left: %q", about, &left)
}

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
