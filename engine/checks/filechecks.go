package checks

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/codeintel"
	"forge/engine/gate"
	"forge/engine/gate/general"
	"forge/engine/gate/tool"
	"forge/engine/step"
	"forge/engine/workspace"
)

// The gates for wanted files.
const (
	gateFile = "file"
	gateCwd  = "cwd"
)

// ofFiles is the name of the language whose gates read files of any language. Runs use them when they join parts of a plan.
const ofFiles = "files"

// files returns the gates that read files, or none without a suitable outliner.
func (c *Checkers) files() []gate.Language {
	reader, ok := c.outliner.(general.Reader)
	if !ok {
		return nil
	}
	nowhere := func([]string, func(string) ([]byte, error)) []string { return nil }
	return []gate.Language{{Name: ofFiles, Roots: nowhere, Gates: general.FileGates(reader), Select: readable}}
}

// WithFiles adds the checks of the files themselves, if some are of a known language.
func (c Checking) WithFiles() Checking {
	c.languages = slices.Clone(c.languages)
	for i := range c.languages {
		if c.languages[i].Name == ofFiles {
			c.languages[i].Roots = func(paths []string, _ func(string) ([]byte, error)) []string {
				if slices.ContainsFunc(paths, func(path string) bool { return codeintel.LanguageOf(path) != "" }) {
					return []string{""}
				}
				return nil
			}
		}
	}
	return c
}

// readable returns the gates that have files to read in a tree.
func readable(ctx context.Context, t gate.Tree) []string {
	names := []string{general.SyntaxName}
	folder, known := t.(general.Folder)
	if !known {
		return names
	}
	if paths, err := folder.List(ctx); err == nil && slices.ContainsFunc(paths, general.BindsNames) {
		names = append(names, general.ContractName)
	}
	return names
}

// Named reports whether the wanted files exist; nil if none are wanted.
func (w Wanted) Named(s workspace.Snapshot) *gate.Report {
	if len(w.Files) == 0 {
		return nil
	}
	report := &gate.Report{Gate: gateFile, Verdict: gate.Pass, Executed: len(w.Files)}
	for _, path := range w.Files {
		_, err := s.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			report.Findings = append(report.Findings, gate.Finding{
				Path: path, Line: 1, Severity: gate.SeverityError, Rule: gateFile, Message: "there is no such file",
			})
		case err != nil:
			report.Findings = append(report.Findings, gate.Finding{Severity: gate.SeverityError, Rule: gateFile, Message: err.Error()})
		}
	}
	report.Passed = report.Executed - len(report.Findings)
	report.Summary = tool.Summary("%d of %s found", report.Passed, tool.Count(report.Executed, "file"))
	if len(report.Findings) > 0 {
		report.Verdict = gate.Fail
	}
	return report
}

// Nowhere returns the report for a missing folder, in which nothing can be checked. It is nil if the folder exists.
func (w Wanted) Nowhere(s workspace.Snapshot) *gate.Report {
	dir := w.dir()
	if dir == "" {
		return nil
	}
	root, err := os.OpenRoot(s.Root)
	if err == nil {
		defer root.Close() //nolint:errcheck // only read
		var info fs.FileInfo
		if info, err = root.Stat(filepath.FromSlash(dir)); err == nil && !info.IsDir() {
			err = errors.New("it is a file")
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = errors.New("there is no such folder")
	case err == nil:
		return nil
	}
	return &gate.Report{Gate: gateCwd, Verdict: gate.Error, Summary: tool.Summary("nothing was checked in %s: %v; name a folder below %s", dir, err, s.Root)}
}

func (w Wanted) dir() string {
	return strings.TrimPrefix(filepath.ToSlash(filepath.Clean("/"+w.Dir)), "/")
}

// among returns the units to check: those in the wanted folder, or those that contain it. Gates that read files and the user's own
// gates belong to no folder.
func (w Wanted) among(units []step.Unit) []step.Unit {
	dir := w.dir()
	inside := func(u step.Unit) bool { return dir == "" || u.Dir == dir || strings.HasPrefix(u.Dir, dir+"/") }
	around := func(u step.Unit) bool { return u.Dir == "" || strings.HasPrefix(dir, u.Dir+"/") }
	always := func(u step.Unit) bool { return u.Language == ownGates || u.Language == ofFiles }
	wanted := inside
	if !slices.ContainsFunc(units, func(u step.Unit) bool { return inside(u) && !always(u) }) {
		wanted = around
	}
	return slices.DeleteFunc(slices.Clone(units), func(u step.Unit) bool { return !wanted(u) && !always(u) })
}

// joining returns the gates that run when parts of a plan are joined.
func (c Checking) joining() []string {
	if c.Gate(general.ContractName) == nil || c.isWaived("", general.ContractName) {
		return nil
	}
	return []string{general.ContractName}
}
