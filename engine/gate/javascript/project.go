package javascript

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

// maxManifest is how much of a package.json is read, in bytes.
const maxManifest = 1 << 20

// manifest is what is read of a package.json.
type manifest struct {
	Name            string          `json:"name"`
	Type            string          `json:"type"`
	Scripts         texts           `json:"scripts"`
	Dependencies    texts           `json:"dependencies"`
	DevDependencies texts           `json:"devDependencies"`
	PeerDependency  texts           `json:"peerDependencies"`
	Workspaces      workspaces      `json:"workspaces"`
	Prettier        json.RawMessage `json:"prettier"`
	EslintConfig    json.RawMessage `json:"eslintConfig"`
	Jest            json.RawMessage `json:"jest"`
	Mocha           json.RawMessage `json:"mocha"`
}

// texts is an object of texts. What is none is left out: a package.json that npm takes is not refused here.
type texts map[string]string

// UnmarshalJSON reads the members that are texts.
func (t *texts) UnmarshalJSON(data []byte) error {
	var all map[string]any
	if json.Unmarshal(data, &all) != nil {
		return nil //nolint:nilerr // no object at all
	}
	*t = texts{}
	for name, value := range all {
		if text, is := value.(string); is {
			(*t)[name] = text
		}
	}
	return nil
}

// workspaces are the patterns of the folders of a workspace, as npm and yarn write them.
type workspaces []string

// UnmarshalJSON reads a list of patterns, or an object that has one.
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

func parseManifest(text []byte) (m manifest, err error) {
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("package.json cannot be read: %w", err)
	}
	return m, nil
}

// dependsOn reports whether the package asks for another one itself.
func (m manifest) dependsOn(name string) bool {
	for _, of := range []texts{m.Dependencies, m.DevDependencies, m.PeerDependency} {
		if _, is := of[name]; is {
			return true
		}
	}
	return false
}

// project is a folder with a package.json.
type project struct {
	manifest
	dir   string   // absolute
	top   string   // the root of the tree
	files []string // names in the folder itself

	sources *tool.Sources
}

// open reads what a project is made of.
func open(t gate.Tree) (*project, error) {
	p := &project{dir: t.Dir(), top: gate.Top(t), sources: tool.SourcesOf(t)}
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return nil, fmt.Errorf("the project cannot be read: %w", err)
	}
	for _, entry := range entries {
		p.files = append(p.files, entry.Name())
	}
	text, err := p.read(manifestName, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, fmt.Errorf("package.json cannot be read: %w", err)
	}
	p.manifest, err = parseManifest(text)
	return p, err
}

var errNotRegular = errors.New("it is not a regular file")

// read gives the beginning of a file of the project, and none that a link leads out of it to.
func (p *project) read(name string, limit int64) ([]byte, error) {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // nothing was written
	if info, err := root.Stat(filepath.FromSlash(name)); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, errNotRegular) // a pipe would never end
	}
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	return io.ReadAll(io.LimitReader(file, limit))
}

// isCode reports whether a file is what compilers, linters and runners of JavaScript read.
func isCode(file string) bool {
	return slices.Contains([]string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte"}, path.Ext(file))
}

// hasCode reports whether there is anything of JavaScript in the project, or may be: a package.json alone, as for hooks or a formatter
// in a project of another language, has none, and one in a tree of nothing else is a project that begins.
func (p *project) hasCode() bool {
	if len(p.sources.Below(".", isCode)) > 0 {
		return true
	}
	others := p.sources.Below(".", func(file string) bool {
		return slices.Contains([]string{
			".go", ".py", ".rs", ".java", ".kt", ".c", ".cc", ".cpp", ".h", ".rb", ".php", ".cs", ".swift", ".ex", ".scala", ".dart", ".zig", ".hs",
		}, path.Ext(file))
	})
	return p.dir == p.top && len(others) == 0
}

func (p *project) has(name string) bool { return slices.Contains(p.files, name) }

// hasAny reports whether there is a file in the folder that begins so.
func (p *project) hasAny(prefixes ...string) bool {
	return slices.ContainsFunc(p.files, func(name string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
}

// isWorkspace reports whether the project is made of packages in folders of their own.
func (p *project) isWorkspace() bool { return len(p.Workspaces) > 0 || p.has("pnpm-workspace.yaml") }

// uses reports whether a script starts a program.
func (p *project) uses(program string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(p.Scripts)), func(script string) bool {
		return len(p.runs(script, program)) > 0
	})
}

// installer is what installs the project's packages.
func (p *project) installer() string {
	for dir := p.dir; ; dir = filepath.Dir(dir) {
		for _, lock := range [][2]string{{"pnpm-lock.yaml", "pnpm install"}, {"yarn.lock", "yarn install"}, {"bun.lock", "bun install"}} {
			if _, err := os.Lstat(filepath.Join(dir, lock[0])); err == nil {
				return lock[1]
			}
		}
		if dir == p.top || dir == filepath.Dir(dir) {
			return "npm install"
		}
	}
}
