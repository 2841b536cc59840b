package general

import (
	"io"
	"io/fs"
	"os"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// script is a file to check.
type script struct {
	path  string
	shell string // the shell that runs it
}

// scripts returns those of a tree, sorted. Links are not followed.
func scripts(t gate.Tree) (found []script, err error) {
	tree := os.DirFS(t.Dir())
	err = fs.WalkDir(tree, ".", func(p string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if p != "." && aside(entry.Name()) {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular() || !named(p) && !mayNameShell(p):
			return nil
		}
		if shell := shellOf(p, head(tree, p)); shell != "" {
			found = append(found, script{p, shell})
		}
		return nil
	})
	return found, err
}

// head returns the beginning of a file.
func head(tree fs.FS, p string) []byte {
	file, err := tree.Open(p)
	if err != nil {
		return nil
	}
	defer file.Close()                                   //nolint:errcheck // only read
	text, _ := io.ReadAll(io.LimitReader(file, maxHead)) // as much as can be read
	return text
}

// configured reports whether the tree has settings for shellcheck.
func configured(t gate.Tree) bool {
	for _, name := range []string{".shellcheckrc", "shellcheckrc"} {
		if _, err := fs.Stat(os.DirFS(t.Dir()), name); err == nil {
			return true
		}
	}
	return false
}

// list finds the scripts; done means that the report is final.
func list(t gate.Tree, report *gate.Report) (found []script, done bool) {
	found, err := scripts(t)
	switch {
	case err != nil:
		report.Verdict, report.Summary = gate.Error, tool.Summary("the tree cannot be read: %v", err)
	case len(found) == 0:
		report.Verdict, report.Empty, report.Summary = gate.NotRun, true, "no shell scripts"
	}
	return found, err != nil || len(found) == 0
}

// sound counts the scripts without findings. If a finding names no file, the count is 0.
func sound(all []script, findings []gate.Finding) int {
	broken := map[string]bool{}
	for _, f := range findings {
		if f.Inferred {
			return 0
		}
		broken[f.Path] = true
	}
	return max(0, len(all)-len(broken))
}
