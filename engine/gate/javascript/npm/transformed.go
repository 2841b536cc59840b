package npm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/internal/lazyregexp"
)

// jest keeps what it has transformed in the folder for temporary files, which is empty for each command of a gate. So it gets a folder of Forge's own for
// each project and each state of the settings by which files are transformed (docs/adr/0173).
//
// Invariant: where the project's own code transforms files, nothing is kept: jest knows a file by its text, its path and most of these settings, and does not
// see that such code has changed.

const (
	transformedFor = 7 * 24 * time.Hour // how long a folder stays after its last use
	settingMax     = 1 << 20            // of a file of settings, in bytes
)

var (
	// transforming matches names of files that define how jest transforms others.
	transforming = lazyregexp.New(`^(?:package\.json|jest\b.*|\.?babel.*|\.swcrc|tsconfig.*\.json)$`)
	// ours matches a path of the project's own in a text of settings.
	ours = lazyregexp.New("['\"`](?:<rootDir>/|\\.{1,2}/)")
	// transformers matches the settings of jest about what transforms files.
	transformers = lazyregexp.New(`\btransform\b['"]?\s*[:=]\s*\{[^}]*|\bpreset\b['"]?\s*[:=][^,\n]*`)
)

// installedMarks are files in which package managers note what they have installed.
var installedMarks = []string{".package-lock.json", ".modules.yaml", ".yarn-integrity", ".yarn-state.yml"}

// Transformed creates the folder, in one of Forge's own, for what jest transforms in the project of a tree; empty if nothing is kept. Folders that no gate has used for long are removed.
func (p *Project) Transformed(kept string, tree gate.Tree) string {
	origin := gate.Origin(tree)
	if kept == "" || origin == "" {
		return ""
	}
	sum := sha256.New()
	for dir := p.Dir; ; dir = filepath.Dir(dir) {
		below, err := filepath.Rel(p.Top, dir)
		if err != nil || !digestSettings(sum, dir) {
			return ""
		}
		source := filepath.Join(origin, below)
		fmt.Fprintf(sum, "%s\n", source)
		for _, mark := range installedMarks {
			if info, err := os.Stat(filepath.Join(source, "node_modules", mark)); err == nil {
				fmt.Fprintf(sum, "%s %d %d\n", mark, info.Size(), info.ModTime().UnixNano())
			}
		}
		if dir == p.Top || dir == filepath.Dir(dir) {
			break
		}
	}
	folder := filepath.Join(kept, hex.EncodeToString(sum.Sum(nil)[:8]))
	now := time.Now()
	if os.MkdirAll(folder, 0o700) != nil || os.Chtimes(folder, now, now) != nil {
		return ""
	}
	removeUnused(kept, now.Add(-transformedFor))
	return folder
}

// digestSettings adds the settings in a folder to a digest. It returns false if code of the project transforms files, or if a file cannot be read.
func digestSettings(sum io.Writer, dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !transforming.MatchString(e.Name()) || e.Type().IsDir() {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > settingMax {
			return false
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || transformsItself(e.Name(), text) {
			return false
		}
		fmt.Fprintf(sum, "%s %d\n%s\n", e.Name(), len(text), text)
	}
	return true
}

// transformsItself reports whether settings may name code of the project that transforms files.
func transformsItself(name string, text []byte) bool {
	switch {
	case name == ManifestName:
		var manifest struct{ Jest, Babel json.RawMessage }
		if json.Unmarshal(text, &manifest) != nil {
			return true
		}
		return ours.Match(manifest.Babel) || namesTransformer(string(manifest.Jest))
	case strings.HasPrefix(name, "jest"):
		return namesTransformer(string(text))
	case strings.HasPrefix(strings.TrimPrefix(name, "."), "babel"):
		return ours.Match(text)
	}
	return false
}

func namesTransformer(settings string) bool {
	return ours.MatchString(strings.Join(transformers.FindAllString(settings, -1), "\n"))
}

// removeUnused removes folders that were last used before a time. What cannot be removed is tried again at the next use.
func removeUnused(kept string, before time.Time) {
	entries, _ := os.ReadDir(kept)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.IsDir() && info.ModTime().Before(before) {
			_ = os.RemoveAll(filepath.Join(kept, e.Name()))
		}
	}
}
