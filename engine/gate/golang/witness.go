package golang

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"forge/engine/gate/tool"
)

// listed is what gates need of a package, from go list.
type listed struct {
	path, dir string   // import path; absolute folder, as the go command names it
	tests     string   // the name of the package of its external tests; empty where it has no tests of either kind
	files     []string // its test files, as far as they are compiled here
	imports   []string // import paths, those of its tests left out
	testsUse  []string // import paths of its tests
	embeds    []string // files that are compiled into it, those of its tests left out, relative to dir
	wanted    []string // patterns of the files that it and its tests embed
	module    string   // the path of its module
	moduleDir string   // absolute
}

// witnesses are tests that Forge adds to packages, by import path. Each runs last, except for examples. Code of a package can forge any output
// of its tests, but not the end of a test whose name is unpredictable: that shows that the testing package has run all others. The files are
// overlaid, so that the trees stay unchanged, and are external tests, so that the package with its own tests is compiled as for the user
// (docs/adr/0136).
type witnesses struct {
	names map[string]string
	dir   string // of the files; to be removed
}

// witnessFile sorts after other files, so that its test is the last of its package.
const witnessFile = "zzz_forge_witness_test.go"

// witnessPrefix is how the names of witnesses begin.
const witnessPrefix = "FuzzForge"

// witnessText is a witness: the name of its package, then the names of two functions. The witness is a fuzz test, because these run after all other
// tests, those that are parallel included. Package testing panics before it runs one where a test has replaced flag.CommandLine by flags that are not
// parsed, so the last test parses them.
const witnessText = `package %s

import (
	forgeFlag "flag"
	forgeTesting "testing"
)

func %s(*forgeTesting.T) {
	if !forgeFlag.Parsed() {
		_ = forgeFlag.CommandLine.Parse(nil)
	}
}

func %s(f *forgeTesting.F) { f.Fuzz(func(*forgeTesting.T, bool) {}) }
`

// readierPrefix is how the names of the tests begin that run before witnesses.
const readierPrefix = "TestForge"

// readier is the test that runs before a witness.
func readier(witness string) string {
	return readierPrefix + strings.TrimPrefix(witness, witnessPrefix)
}

// isWitness reports whether Forge has added a test. A digest follows: no user calls a test that.
func isWitness(test string) bool {
	return strings.HasPrefix(test, witnessPrefix) || len(test) == len(readierPrefix)+2*digestBytes && strings.HasPrefix(test, readierPrefix)
}

// digestBytes is how long the digest in a name is.
const digestBytes = 12

// addWitnesses writes a witness for each package with tests, and an overlay for a go command that runs in dir. It omits a package whose folder
// cannot be read: go test reports that. It fails if the files cannot be written.
func addWitnesses(dir string, packages []listed) (w witnesses, err error) {
	if w.dir, err = os.MkdirTemp("", "forge-witness-*"); err != nil {
		return w, fmt.Errorf("make a folder for witnesses: %w", err)
	}
	w.names = map[string]string{}
	replace := map[string]string{}
	for i, p := range packages {
		digest := sourceDigest(dir, p)
		if p.tests == "" || digest == "" {
			continue
		}
		name := witnessPrefix + digest
		text := fmt.Sprintf(witnessText, p.tests, readier(name), name)
		file := filepath.Join(w.dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return w, fmt.Errorf("write a witness: %w", err)
		}
		w.names[p.path] = name
		at, err := filepath.Rel(dir, filepath.Join(p.dir, witnessFile)) // the command may see the tree at another path
		if err != nil {
			continue
		}
		replace[at] = file
	}
	text, _ := json.Marshal(map[string]any{"Replace": replace}) // strings
	if err := os.WriteFile(w.overlay(), text, 0o600); err != nil {
		return w, fmt.Errorf("write where witnesses are: %w", err)
	}
	return w, nil
}

func (w witnesses) overlay() string { return filepath.Join(w.dir, "overlay.json") }

func (w witnesses) remove() { _ = os.RemoveAll(w.dir) } // in the folder for what is temporary

// sourceDigest returns a digest of the Go files in a package's folder, and of the tree: the same files have the same witness, so that
// Go's cache of results is of use in one tree, and no file can contain the digest of itself. Results of another tree are no results of this
// run: the world around the folder may have changed. It is empty if the folder cannot be read.
func sourceDigest(tree string, p listed) string {
	files, err := fs.Glob(os.DirFS(p.dir), "*.go") // not filepath.Glob: the name of the folder is no pattern
	if err != nil {
		return ""
	}
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%s\n", tree)
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(p.dir, file))
		if err != nil {
			return ""
		}
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", file, len(text), text) // a hash takes everything
	}
	return hex.EncodeToString(sum.Sum(nil)[:digestBytes])
}

// collect removes the witnesses from the results of a suite, and records which packages they confirm.
func (w witnesses) collect(s *suite) {
	for _, p := range s.packages {
		name := w.names[p.path]
		if name == "" {
			continue
		}
		p.witnessed = witnessMissing
		kept := p.tests[:0]
		for _, test := range p.tests {
			switch {
			case test.name == name && test.state == "pass" && test.ended:
				p.witnessed = witnessRan
			case test.name != name && test.name != readier(name) && !strings.HasPrefix(test.name, name+"/"):
				kept = append(kept, test)
				continue
			}
			delete(s.byName, [2]string{p.path, test.name})
		}
		p.tests = kept
		p.discredit()
	}
}

// discredit does not accept passing tests of a package that did not fail and whose witness did not run.
func (p *packageRun) discredit() {
	for _, test := range p.tests {
		if p.state != "fail" && p.witnessed == witnessMissing && test.state == "pass" {
			test.state = "doubted"
		}
	}
}

// witnessed is whether a package's witness ran.
type witnessed int

const (
	witnessNone witnessed = iota // it has none
	witnessMissing
	witnessRan
)

// folders returns the folder of each package that is in the tree, by import path.
func folders(r tool.Root, packages []listed) map[string]string {
	dirs := map[string]string{}
	for _, p := range packages {
		if rel, ok := r.Rel(p.dir); ok && p.dir != "" {
			dirs[p.path] = rel
		}
	}
	return dirs
}
