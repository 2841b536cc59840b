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

	"forge/engine/gitdir"
	"forge/engine/workspace"
	"forge/patch"
)

// placed returns the path of each unsaved buffer in a snapshot of the disk. A buffer follows its file: one of an
// ignored file or of a nested repository is omitted.
func (ss *Snapshots) placed(ctx context.Context, s workspace.Snapshot, taken map[string]held) (map[string]string, []gitdir.Skipped, error) {
	texts, nests := map[string]string{}, gitdir.NewNests(ss.dir.Root)
	var fresh []string
	var skipped []gitdir.Skipped
	for _, path := range slices.Sorted(maps.Keys(s.Unsaved)) {
		name, err := ss.behindLinks(path)
		if err != nil {
			return nil, nil, fmt.Errorf("unsaved buffer: %w", err)
		}
		_, err = os.Lstat(ss.dir.At(name))
		_, isTaken := taken[name]
		switch {
		case isTaken:
			texts[name] = s.Unsaved[path].Text
		case nests.Inside(name):
			skipped = append(skipped, gitdir.Skipped{Path: path, Reason: "it belongs to another repository inside the folder"})
		case errors.Is(err, fs.ErrNotExist) && int64(len(s.Unsaved[path].Text)) <= MaxFileSize:
			texts[name] = s.Unsaved[path].Text
			fresh = append(fresh, name)
		default:
			skipped = append(skipped, gitdir.Skipped{Path: path, Reason: "it is ignored or too large"})
		}
	}
	ignored, err := ss.files.Ignored(ctx, fresh)
	for _, name := range ignored {
		delete(texts, name)
		skipped = append(skipped, gitdir.Skipped{Path: name, Reason: "it is ignored"})
	}
	return texts, skipped, err
}

// behindLinks returns the path of a buffer's actual file: symbolic links stay links in a snapshot, and their target gets the text.
func (ss *Snapshots) behindLinks(path string) (string, error) {
	if err := gitdir.CheckKept(path); err != nil {
		return "", err
	}
	full := ss.dir.At(path)
	dir, rest := full, ""
	for {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			full = filepath.Join(real, rest)
			break
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) || dir == ss.dir.Root {
			break
		}
		dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) // a new file in a new folder
	}
	name, err := filepath.Rel(ss.dir.Root, full)
	if err != nil || !filepath.IsLocal(name) {
		return "", &patch.PathError{Path: path, Cause: "a symbolic link leads it out of the folder"}
	}
	name = filepath.ToSlash(name)
	return name, gitdir.CheckKept(name)
}
