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
	// maxAge is how long a report is valid.
	maxAge = 24 * time.Hour
	// maxBytes limits the size of all stored reports.
	maxBytes = 32 << 20
	// maxFailed limits the failures of a stored suite: they run again before it is used.
	maxFailed = 50
)

// baselineStore is a folder with reports of gates on trees before a change, so that the next run in the same state does not repeat
// them. A report is valid for a day. Its key is a digest of everything that may change the report: the content of the tree, the
// installed files that it refers to, the versions of tools, the environment and the settings of the gate. If any of that is
// unknown, the report is not stored.
//
// Invariants: only a complete report is stored (lasting). A stored report decides nothing against a change: before the difference
// is charged to a change, the gate runs again. An unreadable file counts as missing.
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

// baselineKey returns the digest of some parts, in order.
func baselineKey(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(sum, "%d %s\n", len(part), part) // a hash takes everything
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// lasting reports whether a report is complete and reproducible: it passed or failed, nothing in it is flaky, and each failure of a
// suite names its test, so that it can run again.
func lasting(r gate.Report) bool {
	if r.Verdict != gate.Pass && r.Verdict != gate.Fail || len(r.Flaky) > 0 || r.Missing != "" {
		return false
	}
	unnamed := slices.ContainsFunc(r.Findings, func(f gate.Finding) bool { return f.Test == "" })
	return !r.Tests || len(r.Findings) <= maxFailed && !unnamed && (r.Verdict == gate.Pass || len(r.Findings) > 0)
}

// Load returns the valid report that is stored under a key, with the time of its check, and whether there is one.
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

// Save stores a report under a key, and removes old ones to make room. It ignores a report that is not lasting, or that was loaded itself.
func (s baselineStore) Save(key string, r gate.Report) error {
	if !lasting(r) || !r.Checked.IsZero() {
		return nil
	}
	text, err := json.Marshal(baselineEntry{Key: key, Checked: s.Now(), Report: r})
	if err == nil {
		err = os.MkdirAll(s.Dir, 0o700)
	}
	if err != nil {
		return fmt.Errorf("store the report of %s: %w", r.Gate, err)
	}
	temporary, err := os.CreateTemp(s.Dir, ".new-*")
	if err != nil {
		return fmt.Errorf("store the report of %s: %w", r.Gate, err)
	}
	_, err = temporary.Write(text)
	if err = cmp.Or(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), s.file(key))
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
		return fmt.Errorf("store the report of %s: %w", r.Gate, err)
	}
	s.prune()
	return nil
}

// Forget removes the report of a key.
func (s baselineStore) Forget(key string) { _ = os.Remove(s.file(key)) } // a remaining file expires

func (s baselineStore) file(key string) string { return filepath.Join(s.Dir, key+".json") }

// prune removes reports that are too old, and then the oldest until the rest fits.
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
			_ = os.Remove(filepath.Join(s.Dir, file.Name())) // the next Save retries
		}
	}
}
