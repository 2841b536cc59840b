package rust

import (
	"path"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// manifestName is the name of the file that marks a package or a workspace.
const manifestName = "Cargo.toml"

// roots returns the folders of workspaces, and of packages outside of them. A member of a workspace is checked with
// it; a folder that the workspace excludes is a separate project.
func roots(paths []string, read func(string) ([]byte, error)) (found []string) {
	covering := map[string]manifest{} // workspaces, by folder
	var packages []string
	for _, p := range paths {
		dir := tool.FolderOf(p)
		if path.Base(p) != manifestName || aside(dir) {
			continue
		}
		m := manifest{}
		if text, err := read(p); err == nil {
			m = readManifest(text)
		}
		switch {
		case m.isFuzz() && m.isAlone():
		case m.Workspace != nil:
			covering[dir] = m
			found = append(found, dir)
		default:
			packages = append(packages, dir)
		}
	}
	for _, dir := range packages {
		if !covered(dir, covering) {
			found = append(found, dir)
		}
	}
	slices.Sort(found)
	return found
}

// covered reports whether a workspace above a folder contains it: the nearest one that does not exclude it.
func covered(dir string, workspaces map[string]manifest) bool {
	for at := dir; at != ""; {
		at = tool.FolderOf(at)
		if m, is := workspaces[at]; is && !m.excludes(strings.TrimPrefix(strings.TrimPrefix(dir, at), "/")) {
			return true
		}
	}
	return false
}

// aside reports whether a folder contains data or build output, and no project.
func aside(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(name string) bool {
		return slices.Contains([]string{"testdata", "fixtures", "tests", "target", "vendor"}, name)
	})
}

// wantsClippy reports whether the project is configured for clippy.
func (cargo) wantsClippy(tree gate.Tree) bool {
	sources := tool.SourcesOf(tree)
	return sources.Read("clippy.toml") != nil || sources.Read(".clippy.toml") != nil || readManifest(sources.Read(manifestName)).setsClippy()
}
