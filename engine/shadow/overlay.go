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

// overlay gives an index that has the unsaved buffers of s in place of their files: a copy, because the
// workspace's own index must go on describing the disk. A buffer goes where its file would: one of an
// ignored file or of a nested repository stays out.
func (r *Repo) overlay(ctx context.Context, s workspace.Snapshot, take []string) (index string, skipped []Skipped, err error) {
	index = r.indexFile("index")
	if len(s.Unsaved) == 0 {
		return index, nil, nil
	}
	texts, skipped, err := r.placed(ctx, s, take)
	if err != nil {
		return "", nil, err
	}
	copied := r.indexFile("index.overlay")
	if err := copyFile(index, copied); err != nil {
		return "", nil, err
	}
	modes, err := r.modes(ctx, slices.Sorted(maps.Keys(texts)))
	if err != nil {
		return "", nil, err
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		id, err := r.line(ctx, command{
			args: []string{"hash-object", "-w", "--stdin", "--no-filters"}, stdin: strings.NewReader(texts[name]),
		})
		if err != nil {
			return "", nil, err
		}
		lines = append(lines, fmt.Sprintf("%s %s\t%s", modes[name], id, name))
	}
	_, err = r.run(ctx, command{args: []string{"update-index", "-z", "--index-info"}, index: copied, stdin: joined(lines)})
	return copied, skipped, err
}

// placed finds the path of each buffer in the snapshot.
func (r *Repo) placed(ctx context.Context, s workspace.Snapshot, take []string) (map[string]string, []Skipped, error) {
	taken := make(map[string]bool, len(take))
	for _, name := range take {
		taken[name] = true
	}
	texts, nests := map[string]string{}, newNests(r.root)
	var fresh []string
	var skipped []Skipped
	for _, path := range slices.Sorted(maps.Keys(s.Unsaved)) {
		name, err := r.behindLinks(path)
		if err != nil {
			return nil, nil, fmt.Errorf("unsaved buffer: %w", err)
		}
		_, err = os.Lstat(filepath.Join(r.root, filepath.FromSlash(name)))
		switch {
		case taken[name]:
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
	found, err := r.list(ctx, command{
		args: []string{"check-ignore", "-z", "--stdin", "--no-index"}, stdin: joined(paths), index: r.indexFile("index.none"),
	})
	if failed := new(gitError); errors.As(err, &failed) && failed.exit == 1 {
		return nil, nil // git's way to say none
	}
	for i := range found {
		found[i] = strings.TrimPrefix(found[i], "./")
	}
	return found, err
}

// modes gives the mode of each name as the index has it; a new file is a plain one.
func (r *Repo) modes(ctx context.Context, names []string) (map[string]string, error) {
	modes := make(map[string]string, len(names))
	for _, name := range names {
		modes[name] = "100644"
	}
	entries, err := r.list(ctx, command{args: []string{"ls-files", "-z", "--stage"}})
	for _, e := range entries {
		info, name, _ := strings.Cut(e, "\t")
		mode, _, _ := strings.Cut(info, " ")
		if _, ok := modes[name]; ok && mode == "100755" {
			modes[name] = mode
		}
	}
	return modes, err
}

// copyFile copies a file that may not be there.
func copyFile(from, to string) error {
	content, err := os.ReadFile(from) //nolint:gosec // our own file
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o600)
}
