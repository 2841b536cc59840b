package gitdir

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Import runs git fast-import, with settings of git ("key=value") and more arguments. refs are those that the stream sets. The
// caller has the lock.
func (d *Dir) Import(ctx context.Context, stream io.Reader, settings, args, refs []string) (answer string, err error) {
	for _, ref := range refs {
		d.clearRefLock(ref)
	}
	var all []string
	for _, setting := range settings {
		all = append(all, "-c", setting)
	}
	all = append(append(all, "fast-import", "--quiet", "--done", "--date-format=raw"), args...)
	out, err := d.Run(ctx, Command{Args: all, Dir: d.Git, Stdin: stream})
	return string(out), err
}

// Refs lists the names of the refs below some names, sorted.
func (d *Dir) Refs(ctx context.Context, below ...string) ([]string, error) {
	out, err := d.Run(ctx, Command{Args: append([]string{"for-each-ref", "--format=%(refname)"}, below...), Dir: d.Git})
	return strings.Fields(string(out)), err
}

// Keep creates a ref, or records its use. The caller has the lock.
func (d *Dir) Keep(ctx context.Context, ref, commit string) error {
	file := d.refFile(ref)
	if id, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(id)) == commit { //nolint:gosec // our own file
		now := time.Now()
		return os.Chtimes(file, now, now)
	}
	d.clearRefLock(ref)
	_, err := d.Run(ctx, Command{Args: []string{"update-ref", ref, commit}, Dir: d.Git})
	return err
}

// Kept returns the time of the last Keep of a ref; not ok means long ago.
func (d *Dir) Kept(ref string) (at time.Time, ok bool) {
	info, err := os.Lstat(d.refFile(ref))
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

func (d *Dir) refFile(ref string) string { return filepath.Join(d.Git, filepath.FromSlash(ref)) }

// clearRefLock removes the lock of a ref that a killed process left. The caller has the lock.
func (d *Dir) clearRefLock(ref string) { _ = os.Remove(d.refFile(ref) + ".lock") } // usually missing

// Drop deletes refs, each atomically. The caller has the lock.
func (d *Dir) Drop(ctx context.Context, refs []string) error {
	var input strings.Builder
	for _, ref := range refs {
		d.clearRefLock(ref)
		input.WriteString("delete " + ref + "\n")
	}
	_, err := d.Run(ctx, Command{Args: []string{"update-ref", "--stdin"}, Dir: d.Git, Stdin: strings.NewReader(input.String())})
	return err
}

// Repack puts every referenced object into one pack. git adds the new pack before it removes the old objects. The caller has the
// lock.
func (d *Dir) Repack(ctx context.Context) error {
	for _, pattern := range []string{"tmp_*", ".tmp-*", "pack/tmp_*", "pack/.tmp-*"} { // unfinished packs of killed processes
		names, _ := filepath.Glob(filepath.Join(d.Git, "objects", filepath.FromSlash(pattern))) // our pattern is valid
		for _, name := range names {
			_ = os.Remove(name) // or next time
		}
	}
	_, err := d.Run(ctx, Command{Dir: d.Git, Args: []string{
		"-c", "repack.writeBitmaps=false", "-c", "pack.threads=1", "repack", "-a", "-d", "-q", "--no-write-bitmap-index",
	}})
	return err
}

// Prune removes every unreferenced object. The caller has the lock.
func (d *Dir) Prune(ctx context.Context) error {
	_, err := d.Run(ctx, Command{Args: []string{"prune", "--expire=now"}, Dir: d.Git})
	return err
}

// maxSymbolicRefs limits how many symbolic refs are followed; git has the same limit.
const maxSymbolicRefs = 5

// origin is the place of the commits in the user's repository. It is read as data: git never runs with the
// user's repository as its directory.
type origin struct {
	head     string // full id of the commit that is checked out
	objects  string // the folder of the objects
	boundary string // the file with the commits whose parents were not fetched; /dev/null if there are none
	shallow  string // its content
	index    string // the file with what is checked out
	prefix   string // the workspace, relative to the repository's top folder, slash-separated; empty if they are the same
}

// findOrigin finds the repository that contains a folder. It is not ok if HEAD has no readable commit:
// unborn, damaged, or in a reftable.
func findOrigin(root string) (o origin, ok bool) {
	top, ok := repositoryTop(root)
	if !ok {
		return origin{}, false
	}
	dir, common, ok := ownGitDirs(top)
	if !ok {
		return origin{}, false
	}
	objects, err := filepath.EvalSymlinks(filepath.Join(common, "objects"))
	if err != nil || !isWithin(common, objects) || !readable(objects) {
		return origin{}, false
	}
	o = origin{objects: objects, boundary: os.DevNull, index: filepath.Join(dir, "index")}
	if prefix, err := filepath.Rel(top, root); err == nil && prefix != "." {
		o.prefix = filepath.ToSlash(prefix)
	}
	if text, err := readOwn(filepath.Join(common, "shallow"), common); err == nil {
		o.boundary, o.shallow = filepath.Join(common, "shallow"), string(text)
	}
	o.head, ok = resolveHead(dir, common)
	return o, ok
}

// isPartial reports whether the repository is a partial clone, in which git fetches contents when they are needed.
func (o origin) isPartial() bool {
	entries, _ := os.ReadDir(filepath.Join(o.objects, "pack")) // none if it cannot be read
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".promisor") })
}

// readable reports whether what git opens of an object database besides objects are files: a pipe there would hold git up until its
// time is over.
func readable(objects string) bool {
	for _, folder := range []string{"info", "pack"} {
		entries, err := os.ReadDir(filepath.Join(objects, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false
		}
		for _, e := range entries {
			if e.Type().IsRegular() || e.IsDir() {
				continue
			}
			info, err := os.Stat(filepath.Join(objects, folder, e.Name())) // a link may lead to a file
			if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
				return false
			}
		}
	}
	return true
}

// resolveHead returns the id of HEAD. See gitrepository-layout(5).
func resolveHead(dir, common string) (id string, ok bool) {
	text, err := readOwn(filepath.Join(dir, "HEAD"), dir, common)
	if err != nil {
		return "", false
	}
	return follow(dir, common, strings.TrimSpace(string(text)))
}

// findRef returns the id of a name, in the order of gitrevisions(7): HEAD, a full name, a tag, a branch, a remote branch.
func findRef(root, name string) (id string, ok bool) {
	top, ok := repositoryTop(root)
	if !ok {
		return "", false
	}
	dir, common, ok := gitDirs(top)
	if !ok {
		return "", false
	}
	if name == "HEAD" {
		return resolveHead(dir, common)
	}
	for _, full := range []string{name, "refs/" + name, "refs/tags/" + name, "refs/heads/" + name, "refs/remotes/" + name, "refs/remotes/" + name + "/HEAD"} {
		if value, ok := resolveRef(dir, common, full); ok {
			return follow(dir, common, value)
		}
	}
	return "", false
}

// follow returns the id at the end of symbolic refs.
func follow(dir, common, value string) (id string, ok bool) {
	for range maxSymbolicRefs {
		name, symbolic := strings.CutPrefix(value, "ref:")
		if !symbolic {
			break
		}
		if value, ok = resolveRef(dir, common, strings.TrimSpace(name)); !ok {
			return "", false
		}
	}
	return value, IsObjectID(value)
}

// resolveRef returns the value of a ref: from its file in the worktree's directory or the common one, or from packed-refs.
func resolveRef(dir, common, name string) (value string, ok bool) {
	if !strings.HasPrefix(name, "refs/") || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", false
	}
	for _, place := range []string{dir, common} {
		if text, err := readOwn(filepath.Join(place, filepath.FromSlash(name)), dir, common); err == nil {
			return strings.TrimSpace(string(text)), true
		}
	}
	packed, err := readOwn(filepath.Join(common, "packed-refs"), common)
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(packed)) {
		id, ref, found := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		if found && ref == name {
			return id, true
		}
	}
	return "", false
}

// IsObjectID reports whether text is a full id, of SHA-1 or SHA-256.
func IsObjectID(text string) bool {
	id, err := hex.DecodeString(text)
	return err == nil && (len(id) == 20 || len(id) == 32)
}
