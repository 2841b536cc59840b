package builds

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// maxWarm limits what is copied of the user's build output, in bytes: copying more may take longer than compiling.
const maxWarm = 4 << 30

// warm begins a target that does not exist yet with what the user's own builds made of downloaded crates, so that the first gate does not
// compile them again. Cargo decides whether it uses a copy: by the crate's source, version and features, the compiler and its flags, none
// of which depends on the path of the workspace. The output of the workspace's own packages is not copied, but what the compiler remembers of
// them is: it compares that with the texts that it compiles. If anything fails, the target does not exist afterwards either, and cargo begins
// with nothing.
//
// Invariant: nothing is written into the user's folder, and no link leads there (docs/adr/0122).
func warm(ctx context.Context, tree gate.Tree, target string, own map[string]bool) {
	if _, err := os.Lstat(target); err == nil {
		return
	}
	users, err := usersTarget(tree)
	if err != nil {
		return
	}
	defer users.Close() //nolint:errcheck // only read
	half := target + ".half"
	if os.RemoveAll(half) != nil || os.Mkdir(half, 0o700) != nil {
		return
	}
	defer os.RemoveAll(half) //nolint:errcheck // the next target removes it
	ours, err := os.OpenRoot(half)
	if err != nil {
		return
	}
	defer ours.Close() //nolint:errcheck // each write is checked
	w := warmer{users: users, ours: ours, left: maxWarm}
	w.downloaded, w.shared = downloaded(tree)
	if w.copy(ctx) != nil {
		return
	}
	if w.incremental(ctx, own) != nil {
		for _, profile := range profiles(half) {
			_ = os.RemoveAll(filepath.Join(profile, incremental)) // what is left of it, the compiler does not use
		}
	}
	Spare(target, w.spared)
	_ = os.Rename(half, target) // on failure, cargo begins with nothing
}

// usersTarget opens the folder target of the user's project, which no link leads to. Part of a snapshot it is not build output, but data.
func usersTarget(tree gate.Tree) (*os.Root, error) {
	if _, err := os.Lstat(filepath.Join(tree.Dir(), targetName)); err == nil {
		return nil, fs.ErrExist
	}
	folder, err := usersProject(tree)
	if err != nil {
		return nil, err
	}
	defer folder.Close() //nolint:errcheck // only read
	if info, err := folder.Lstat(targetName); err != nil || !info.IsDir() {
		return nil, fs.ErrNotExist
	}
	return folder.OpenRoot(targetName)
}

// usersProject opens the folder that the project is a copy of.
func usersProject(tree gate.Tree) (*os.Root, error) {
	origin := gate.Origin(tree)
	if origin == "" {
		return nil, fs.ErrNotExist
	}
	inside, err := filepath.Rel(gate.Top(tree), tree.Dir())
	if err != nil {
		return nil, err
	}
	folder, err := os.OpenRoot(origin)
	if err != nil || inside == "." {
		return folder, err
	}
	defer folder.Close() //nolint:errcheck // only read
	return folder.OpenRoot(inside)
}

// downloaded returns the names of the packages that come from a registry or a repository, by the project's lock file; shared are those that a
// package of a folder has too.
func downloaded(tree gate.Tree) (names, shared map[string]bool) {
	text := tool.SourcesOf(tree).Read(lockName)
	if folder, err := usersProject(tree); text == nil && err == nil { // git may ignore the file
		text = tool.SourcesIn(folder.FS()).Read(lockName)
		_ = folder.Close() // only read
	}
	var lock struct {
		Package []struct{ Name, Source string }
	}
	names, shared = map[string]bool{}, map[string]bool{}
	if toml.Unmarshal(text, &lock) != nil {
		return names, shared
	}
	for _, p := range lock.Package {
		if p.Source != "" {
			names[p.Name] = true
		}
	}
	for _, p := range lock.Package {
		if p.Source == "" && names[p.Name] {
			delete(names, p.Name)
			shared[p.Name] = true
		}
	}
	return names, shared
}

const (
	lockName   = "Cargo.lock"
	targetName = "target"
)

// ofUnit matches cargo's file names of a unit: its package or crate, and its hash.
var ofUnit = lazyregexp.New(`^(?:lib)?(.+)-([0-9a-f]{16})(?:\..*)?$`)

// Unit returns the hash in cargo's name of a file or folder of a unit.
func Unit(name string) (hash string, ok bool) {
	m := ofUnit.FindStringSubmatch(name)
	if m == nil {
		return "", false
	}
	return m[2], true
}

// warmer copies units of cargo from one target to another. A unit is one compilation of one crate, and has a hash.
type warmer struct {
	users, ours *os.Root
	downloaded  map[string]bool // names of packages
	shared      map[string]bool // those that packages of a folder have too
	left        int64           // bytes that may still be copied
	copied      []copied
	spared      []string // hashes of units of shared names
}

// copied is a file that was copied, as it was then.
type copied struct {
	name string
	info fs.FileInfo
}

var (
	errTooMuch = errors.New("the build output is too large to copy")
	errChanged = errors.New("the build output has changed meanwhile")
)

// copy copies the units of all folders with output of development builds. It fails if cargo changed one of them meanwhile, or ctx ends.
func (w *warmer) copy(ctx context.Context) error {
	for _, pattern := range []string{"debug", "*/debug"} {
		for _, dir := range w.found(pattern) {
			if err := w.profile(ctx, dir); err != nil {
				return err
			}
		}
	}
	return w.unchanged()
}

// found returns the names in the user's folder that match a pattern.
func (w *warmer) found(pattern string) []string {
	names, _ := fs.Glob(w.users.FS(), pattern) // our pattern is valid
	return names
}

// unchanged reports whether the copied files are as they were.
func (w *warmer) unchanged() error {
	for _, c := range w.copied {
		if now, err := w.users.Lstat(c.name); err != nil || now.Size() != c.info.Size() || !now.ModTime().Equal(c.info.ModTime()) {
			return errChanged
		}
	}
	return nil
}

// ofSession matches the compiler's name of a folder with incremental data: of a crate, with a hash.
var ofSession = lazyregexp.New(`^(.+)-[0-9a-z]+$`)

// incremental copies the finished incremental data of the tree's own packages, where the compiler sees the tree at the user's path
// (docs/adr/0128); elsewhere it does not use them.
func (w *warmer) incremental(ctx context.Context, own map[string]bool) error {
	for _, pattern := range []string{"debug/", "*/debug/"} {
		for _, name := range w.found(pattern + incremental + "/*/*") {
			m := ofSession.FindStringSubmatch(path.Base(path.Dir(name)))
			if m == nil || !own[m[1]] || strings.HasSuffix(name, "-working") {
				continue
			}
			if err := w.all(ctx, name); err != nil {
				return err
			}
		}
	}
	return w.unchanged()
}

// profile copies the finished units in one folder: their output first, then the fingerprints by which cargo finds it.
func (w *warmer) profile(ctx context.Context, dir string) error {
	units := w.units(dir)
	for _, product := range []string{"deps", "build", ".fingerprint"} {
		entries, _ := fs.ReadDir(w.users.FS(), path.Join(dir, product)) // a missing one has no units
		for _, e := range entries {
			m := ofUnit.FindStringSubmatch(e.Name())
			if m == nil || !units[m[2]] {
				continue
			}
			if err := w.all(ctx, path.Join(dir, product, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// units returns the hashes of the units of downloaded crates that are finished: cargo writes a file in JSON last.
func (w *warmer) units(profile string) map[string]bool {
	units, ofStore := map[string]bool{}, map[string]bool{}
	for _, name := range w.found(path.Join(profile, ".fingerprint/*/*.json")) {
		folder := path.Base(path.Dir(name))
		m := ofUnit.FindStringSubmatch(folder)
		if m == nil {
			continue
		}
		switch pkg := strings.TrimSuffix(folder, "-"+m[2]); {
		case w.downloaded[pkg]:
			units[m[2]] = true
		case w.shared[pkg] && w.isOfStore(profile, pkg, m[2]):
			units[m[2]] = true
			w.spared = append(w.spared, m[2])
			ofStore[w.script(name)] = true
		}
	}
	w.addScripts(profile, units, ofStore)
	return units
}

// addScripts adds the runs of build scripts of downloaded crates whose names the tree's own packages have too.
func (w *warmer) addScripts(profile string, units, ofStore map[string]bool) {
	for _, name := range w.found(path.Join(profile, ".fingerprint/*/run-build-script-*.json")) {
		folder := path.Base(path.Dir(name))
		m := ofUnit.FindStringSubmatch(folder)
		if id := w.script(name); m != nil && id != "" && ofStore[id] && w.shared[strings.TrimSuffix(folder, "-"+m[2])] {
			units[m[2]] = true
			w.spared = append(w.spared, m[2])
		}
	}
}

// isOfStore reports whether a unit was compiled from a source in one of cargo's stores, by the list of files that the compiler has read.
func (w *warmer) isOfStore(profile, pkg, hash string) bool {
	for _, name := range []string{"deps/" + CrateName(pkg) + "-" + hash + ".d", "build/" + pkg + "-" + hash + "/build_script_build-" + hash + ".d"} {
		text, err := fs.ReadFile(w.users.FS(), path.Join(profile, name))
		_, main, found := strings.Cut(string(text), ": ")
		if main, _, _ = strings.Cut(main, " "); err == nil && found && inStore.MatchString(main) {
			return true
		}
	}
	return false
}

// inStore matches a path in a folder into which cargo unpacks what it downloads.
var inStore = lazyregexp.New(`^(?:/|[A-Za-z]:).*[/\\](?:registry[/\\]src|git[/\\]checkouts)[/\\]`)

// script returns cargo's number of the package whose build script a unit depends on; empty for none.
func (w *warmer) script(fingerprint string) string {
	text, _ := fs.ReadFile(w.users.FS(), fingerprint) // an unreadable one depends on none
	if m := onScript.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}

var onScript = lazyregexp.New(`\[(\d+),"build_script_build",`)

// all copies a file, or a folder with everything in it. Links are omitted.
func (w *warmer) all(ctx context.Context, name string) error {
	return fs.WalkDir(w.users.FS(), name, func(name string, e fs.DirEntry, err error) error {
		switch err = errors.Join(err, ctx.Err()); {
		case err != nil:
			return err
		case e.IsDir():
			return w.ours.MkdirAll(name, 0o700)
		case e.Type().IsRegular():
			return w.file(name)
		}
		return nil
	})
}

// file copies a file with its time, by which cargo compares units. An existing one stays.
func (w *warmer) file(name string) error {
	from, err := w.users.Open(name)
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // only read
	info, err := from.Stat()
	if err != nil {
		return err
	}
	if w.left -= info.Size(); w.left < 0 {
		return errTooMuch
	}
	if err := w.ours.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	to, err := w.ours.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	w.copied = append(w.copied, copied{name, info})
	_, err = io.Copy(to, from)
	err = errors.Join(err, to.Close())
	return errors.Join(err, w.ours.Chtimes(name, info.ModTime(), info.ModTime()))
}
