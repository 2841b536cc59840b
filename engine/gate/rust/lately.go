package rust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// lately is what clippy has compiled: it is the compiler with more lints, so that cargo check finds the same errors in the same files, unless
// a lint of clippy is one: what depends on that package was not compiled then.
type lately struct {
	mu    sync.Mutex             // guards the field below
	known map[string]gate.Report // reports of cargo check, by the digest of the files
}

// maxLately limits how many reports are kept; with more, all are forgotten.
const maxLately = 64

// note keeps the findings of clippy, without its lints, as the report of cargo check.
func (l *lately) note(digest string, report gate.Report) {
	isLint := func(f gate.Finding) bool { return strings.HasPrefix(f.Rule, "clippy::") }
	if report.Verdict != gate.Pass && report.Verdict != gate.Fail || slices.ContainsFunc(report.Findings, isLint) {
		return
	}
	report.Summary = tool.Summary("%s; compiled by clippy", report.Summary)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= maxLately {
		clear(l.known)
	}
	l.known[digest] = report
}

// holds returns the report of cargo check on files that clippy has compiled.
func (l *lately) holds(digest string) (report gate.Report, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	report, is = l.known[digest]
	return report, is
}

// maxDigest limits the files that are read for a digest, in bytes: reading more may take longer than cargo check.
const maxDigest = 256 << 20

// digest returns a digest of all files of the tree and of the chosen packages; empty if they are too large, cannot be read, or depend on a
// package in a folder outside of the tree.
func (p project) digest() string {
	if p.usesOutside() {
		return ""
	}
	sum, left := sha256.New(), int64(maxDigest)
	_, _ = fmt.Fprintf(sum, "%q\n", slices.Concat(p.chosen.args, p.chosen.targets)) // a hash takes everything
	err := filepath.WalkDir(p.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(sum, "%q %v %d\n", strings.TrimPrefix(path, p.dir), info.Mode(), info.Size())
		if left -= info.Size(); left < 0 {
			return errors.New("the files are too large to read")
		}
		if !info.Mode().IsRegular() {
			to, err := os.Readlink(path)
			_, _ = fmt.Fprintf(sum, "%q\n", to)
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // only read
		_, err = io.Copy(sum, f)
		return err
	})
	if err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// usesOutside reports whether a package depends on one in a folder outside of the tree.
func (p project) usesOutside() bool {
	for _, member := range p.packages {
		for _, used := range member.uses {
			if _, inside := p.root.Rel(used.Path); used.Path != "" && !inside {
				return true
			}
		}
	}
	return false
}
