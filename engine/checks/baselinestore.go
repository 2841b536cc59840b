package checks

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"forge/engine/gate"
)

const (
	// maxAge is how long a report is used.
	maxAge = 24 * time.Hour
	// maxBytes is how much is kept in all.
	maxBytes = 32 << 20
	// maxFailed is how many tests may fail of a suite that is kept: they are run again before it is used.
	maxFailed = 50
)

// baselineStore is a folder of reports that gates made of trees as they were before a change, so that the next run in the same state does not run
// them again: a report of at most a day ago by its key, which is a digest of all that its gate may say something else for. That is the content
// of the tree, what is installed and lent to it, the versions of tools, the environment and the settings of the gate. What cannot be known that
// way is not kept.
//
// Invariants: only a report that is whole is kept (lasting). What is kept decides nothing against a change: the caller that would charge a change
// with the difference runs the gate again first. A file that cannot be read is as if it were not there.
type baselineStore struct {
	Dir string
	Now func() time.Time
}

// entry is a report in its file.
type baselineEntry struct {
	Key     string
	Checked time.Time
	Report  gate.Report
}

// baselineKey is the digest of some parts, in order.
func baselineKey(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(sum, "%d %s\n", len(part), part) // a hash takes everything
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// lasting reports whether a report says all that its gate can say, and would say it again as far as that is known: it passed or failed,
// nothing in it is flaky, and of a suite that failed each failure is of a test, so that it can be run again.
func lasting(r gate.Report) bool {
	if r.Verdict != gate.Pass && r.Verdict != gate.Fail || len(r.Flaky) > 0 || r.Missing != "" {
		return false
	}
	unnamed := slices.ContainsFunc(r.Findings, func(f gate.Finding) bool { return f.Test == "" })
	return !r.Tests || len(r.Findings) <= maxFailed && !unnamed && (r.Verdict == gate.Pass || len(r.Findings) > 0)
}

// Load gives what was kept under a key, with when it was checked.
func (s baselineStore) Load(key string) (gate.Report, bool) {
	text, err := os.ReadFile(s.file(key))
	var e baselineEntry
	if err != nil || json.Unmarshal(text, &e) != nil || e.Key != key {
		return gate.Report{}, false
	}
	if age := s.Now().Sub(e.Checked); age < 0 || age > maxAge || !lasting(e.Report) {
		return gate.Report{}, false
	}
	e.Report.Checked = e.Checked
	return e.Report, true
}

// Save keeps a report under a key, and makes room for it. A report that is not lasting is not kept.
func (s baselineStore) Save(key string, r gate.Report) error {
	if !lasting(r) || !r.Checked.IsZero() {
		return nil
	}
	text, err := json.Marshal(baselineEntry{Key: key, Checked: s.Now(), Report: r})
	if err == nil {
		err = os.MkdirAll(s.Dir, 0o700)
	}
	if err != nil {
		return fmt.Errorf("keep what %s said: %w", r.Gate, err)
	}
	temporary, err := os.CreateTemp(s.Dir, ".new-*")
	if err != nil {
		return fmt.Errorf("keep what %s said: %w", r.Gate, err)
	}
	_, err = temporary.Write(text)
	if err = cmp.Or(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), s.file(key))
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
		return fmt.Errorf("keep what %s said: %w", r.Gate, err)
	}
	s.prune()
	return nil
}

// Forget removes what is kept under a key.
func (s baselineStore) Forget(key string) { _ = os.Remove(s.file(key)) } // one that stays is too old some day

func (s baselineStore) file(key string) string { return filepath.Join(s.Dir, key+".json") }

// prune removes what is too old, and the oldest until all of it is within its bound.
func (s baselineStore) prune() {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	total := int64(0)
	for _, file := range files {
		if total += file.Size(); total > maxBytes || s.Now().Sub(file.ModTime()) > maxAge {
			_ = os.Remove(filepath.Join(s.Dir, file.Name())) // the next one who keeps something tries again
		}
	}
}
