// Package npm reads a JavaScript project: its package.json, its installed programs, the programs that its scripts start, and the files of
// tests that these execute.
//
//	Open ─► Project ─► Call, of a script ─► Select ─► Selection ─► ConcernedBy (imports) ─► Selection.To ─► Call
//
// Scripts are parsed as a POSIX shell parses them, and never run here. A command that only a shell can run is not sound.
package npm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// ManifestName is the name of the file that marks a project.
const ManifestName = "package.json"

// MaxManifest limits the size of a package.json, in bytes.
const MaxManifest = 1 << 20

// Manifest has the fields that are read of a package.json.
type Manifest struct {
	Name            string          `json:"name"`
	Type            string          `json:"type"`
	Scripts         Texts           `json:"scripts"`
	Dependencies    Texts           `json:"dependencies"`
	DevDependencies Texts           `json:"devDependencies"`
	PeerDependency  Texts           `json:"peerDependencies"`
	Workspaces      workspaces      `json:"workspaces"`
	Prettier        json.RawMessage `json:"prettier"`
	EslintConfig    json.RawMessage `json:"eslintConfig"`
	Jest            json.RawMessage `json:"jest"`
	Mocha           json.RawMessage `json:"mocha"`
	Ava             json.RawMessage `json:"ava"`
	Tap             json.RawMessage `json:"tap"`
}

// Texts is an object of strings. Other values are dropped: a package.json that npm accepts is not rejected here.
type Texts map[string]string

// UnmarshalJSON reads the members that are strings.
func (t *Texts) UnmarshalJSON(data []byte) error {
	var all map[string]any
	if json.Unmarshal(data, &all) != nil {
		return nil //nolint:nilerr // not an object
	}
	*t = Texts{}
	for name, value := range all {
		if text, is := value.(string); is {
			(*t)[name] = text
		}
	}
	return nil
}

// workspaces are the patterns of a workspace's folders, in the forms of npm and yarn.
type workspaces []string

// UnmarshalJSON reads a list of patterns, or an object with one.
func (w *workspaces) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, &list) == nil {
		*w = list
		return nil
	}
	var object struct {
		Packages []string `json:"packages"`
	}
	if json.Unmarshal(data, &object) == nil {
		*w = object.Packages
	}
	return nil
}

// ParseManifest reads a package.json. The error is for the user.
func ParseManifest(text []byte) (m Manifest, err error) {
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("package.json cannot be read: %w", err)
	}
	return m, nil
}

// DependsOn reports whether the package itself depends on another one.
func (m Manifest) DependsOn(name string) bool {
	for _, of := range []Texts{m.Dependencies, m.DevDependencies, m.PeerDependency} {
		if _, is := of[name]; is {
			return true
		}
	}
	return false
}

// Project is a folder with a package.json.
type Project struct {
	Manifest
	Dir   string   // absolute
	Top   string   // the root of the tree
	Files []string // names in the folder itself

	Sources *tool.Sources
}

// Open reads the project at the root of a tree.
func Open(t gate.Tree) (*Project, error) {
	p := &Project{Dir: t.Dir(), Top: gate.Top(t), Sources: tool.SourcesOf(t)}
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		return nil, fmt.Errorf("the project cannot be read: %w", err)
	}
	for _, entry := range entries {
		p.Files = append(p.Files, entry.Name())
	}
	text, err := p.Read(ManifestName, MaxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, fmt.Errorf("package.json cannot be read: %w", err)
	}
	p.Manifest, err = ParseManifest(text)
	return p, err
}

// ErrNotRegular means a pipe, a folder, or anything else that is not a regular file.
var ErrNotRegular = errors.New("it is not a regular file")

// Read returns the beginning of a file of the project; links cannot lead out of it.
func (p *Project) Read(name string, limit int64) ([]byte, error) {
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // only read
	if info, err := root.Stat(filepath.FromSlash(name)); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, ErrNotRegular) // a pipe would never end
	}
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	return io.ReadAll(io.LimitReader(file, limit))
}

// IsCode reports whether JavaScript compilers, linters and runners read a file.
func IsCode(file string) bool {
	return slices.Contains([]string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte"}, path.Ext(file))
}

// HasCode reports whether the project has JavaScript, or may get some: a package.json alone, as for hooks or a formatter in a
// project of another language, has none; in an otherwise empty tree it is a new project.
func (p *Project) HasCode() bool {
	if len(p.Sources.Below(".", IsCode)) > 0 {
		return true
	}
	others := p.Sources.Below(".", func(file string) bool {
		return slices.Contains([]string{
			".go", ".py", ".rs", ".java", ".kt", ".c", ".cc", ".cpp", ".h", ".rb", ".php", ".cs", ".swift", ".ex", ".scala", ".dart", ".zig", ".hs",
		}, path.Ext(file))
	})
	return p.Dir == p.Top && len(others) == 0
}

// Has reports whether the folder contains a file or folder of that name.
func (p *Project) Has(name string) bool { return slices.Contains(p.Files, name) }

// HasAny reports whether a file in the folder has one of the prefixes.
func (p *Project) HasAny(prefixes ...string) bool {
	return slices.ContainsFunc(p.Files, func(name string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
}

// IsWorkspace reports whether the project consists of packages in their own folders.
func (p *Project) IsWorkspace() bool { return len(p.Workspaces) > 0 || p.Has("pnpm-workspace.yaml") }

// Uses reports whether a script starts a program.
func (p *Project) Uses(program string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(p.Scripts)), func(script string) bool {
		return len(p.Runs(script, program)) > 0
	})
}
