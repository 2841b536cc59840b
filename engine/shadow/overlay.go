package shadow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/workspace"
	"forge/patch"
)

// placed finds the path of each unsaved buffer in a snapshot that has the files on disk. A buffer goes where its
// file would: one of an ignored file or of a nested repository stays out.
func (r *Repo) placed(ctx context.Context, s workspace.Snapshot, taken map[string]held) (map[string]string, []Skipped, error) {
	texts, nests := map[string]string{}, newNests(r.root)
	var fresh []string
	var skipped []Skipped
	for _, path := range slices.Sorted(maps.Keys(s.Unsaved)) {
		name, err := r.behindLinks(path)
		if err != nil {
			return nil, nil, fmt.Errorf("unsaved buffer: %w", err)
		}
		_, err = os.Lstat(r.at(name))
		_, isTaken := taken[name]
		switch {
		case isTaken:
			texts[name] = s.Unsaved[path].Text
		case nests.inside(name):
			skipped = append(skipped, Skipped{path, "it belongs to another repository inside the folder"})
		case errors.Is(err, fs.ErrNotExist) && int64(len(s.Unsaved[path].Text)) <= MaxFileSize:
			texts[name] = s.Unsaved[path].Text
			fresh = append(fresh, name)
		default:
			skipped = append(skipped, Skipped{path, "it is ignored or too large"})
		}
	}
	ignored, err := r.ignored(ctx, fresh)
	for _, name := range ignored {
		delete(texts, name)
		skipped = append(skipped, Skipped{name, "it is ignored"})
	}
	return texts, skipped, err
}

// behindLinks gives the path of the file a buffer really is of: symbolic links stay links in a
// snapshot, and the text goes to what they lead to.
func (r *Repo) behindLinks(path string) (string, error) {
	if err := checkKept(path); err != nil {
		return "", err
	}
	full := filepath.Join(r.root, filepath.FromSlash(path))
	dir, rest := full, ""
	for {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			full = filepath.Join(real, rest)
			break
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) || dir == r.root {
			break
		}
		dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) // a new file in a new folder
	}
	name, err := filepath.Rel(r.root, full)
	if err != nil || !filepath.IsLocal(name) {
		return "", &patch.PathError{Path: path, Cause: "a symbolic link leads it out of the folder"}
	}
	name = filepath.ToSlash(name)
	return name, checkKept(name)
}

// ignored picks the names that the ignore rules name. In front of a name, "./" keeps git from reading
// one that starts with a colon as a pattern.
func (r *Repo) ignored(ctx context.Context, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var paths []string
	for _, name := range names {
		paths = append(paths, "./"+name)
	}
	found, err := r.checkIgnore(ctx, paths)
	if failed := new(gitError); errors.As(err, &failed) && failed.exit == 1 {
		return nil, nil // git's way to say none
	}
	for i := range found {
		found[i] = strings.TrimPrefix(found[i], "./")
	}
	return found, err
}
