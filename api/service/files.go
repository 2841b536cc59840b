package service

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"forge/api"
	"forge/engine"
	"forge/engine/workspace"
	"forge/patch"
)

// FileStore reads the files of a folder as the user has them, unsaved texts included.
type FileStore interface {
	// Files lists the files by path, without ignored ones.
	Files(ctx context.Context, s workspace.Snapshot) ([]string, error)
	// ReadFile returns the content of one of Files; the error of any other path matches fs.ErrNotExist.
	ReadFile(ctx context.Context, s workspace.Snapshot, path string) ([]byte, error)
	// ChangedFiles lists the files that differ from the commit that is checked out; known is false without one.
	ChangedFiles(ctx context.Context, s workspace.Snapshot) (files []engine.Changed, known bool, err error)
	// Redact replaces the secrets in a text.
	Redact(text string) string
}

// ListFiles answers forge.files.list.
func ListFiles(ctx context.Context, e FileStore, in Folder, a *api.FilesArgs) (api.FilesResult, error) {
	result := api.FilesResult{Entries: []api.FileEntry{}}
	all, err := e.Files(ctx, in.Snapshot())
	if err != nil {
		return result, err
	}
	dir := strings.TrimPrefix(path.Clean("/"+a.Dir)+"/", "/")
	if dir == "/" {
		dir = ""
	}
	found := false
	for _, file := range all {
		rest, inside := strings.CutPrefix(file, dir)
		found = found || inside
		if !inside || !a.Hidden && strings.HasPrefix(rest, ".") {
			continue
		}
		name, _, folder := strings.Cut(rest, "/")
		entry := api.FileEntry{Path: dir + name, Folder: folder}
		if !slices.Contains(result.Entries[max(0, len(result.Entries)-1):], entry) { // files of a folder follow each other
			result.Entries = append(result.Entries, entry)
		}
	}
	if !found && dir != "" {
		return result, &InputError{fmt.Errorf("dir: %s has no folder %s with files", in.Path, strings.TrimSuffix(dir, "/"))}
	}
	return result, nil
}

// defaultSearchLimit is how many files a search returns if its arguments name no limit.
const defaultSearchLimit = 20

// SearchFiles answers forge.files.search.
func SearchFiles(ctx context.Context, e FileStore, in Folder, a *api.FileSearchArgs) (api.FileSearchResult, error) {
	result := api.FileSearchResult{Paths: []string{}}
	words := strings.Fields(strings.ToLower(a.Query))
	if len(words) == 0 {
		return result, &api.ArgumentError{Field: "query", Problem: "is empty: give a part of a path"}
	}
	if a.Limit < 0 {
		return result, &api.ArgumentError{Field: "limit", Problem: fmt.Sprintf("is %d: give a number of files above 0", a.Limit)}
	}
	all, err := e.Files(ctx, in.Snapshot())
	if err != nil {
		return result, err
	}
	all = slices.DeleteFunc(all, func(file string) bool { return matchOf(file, words) == 0 })
	slices.SortStableFunc(all, func(a, b string) int {
		return cmp.Or(matchOf(b, words)-matchOf(a, words), len(a)-len(b))
	})
	limit := min(len(all), cmp.Or(a.Limit, defaultSearchLimit))
	result.Paths, result.More = append(result.Paths, all[:limit]...), len(all)-limit
	return result, nil
}

// matchOf returns how well a path matches: the sum over its words, which must all occur; 0 if one does not.
func matchOf(file string, words []string) (score int) {
	file = strings.ToLower(file)
	base := path.Base(file)
	for _, word := range words {
		switch {
		case base == word || strings.TrimSuffix(base, path.Ext(base)) == word:
			score += 4
		case strings.HasPrefix(base, word):
			score += 3
		case strings.Contains(base, word):
			score += 2
		case strings.Contains(file, word):
			score++
		default:
			return 0
		}
	}
	return score
}

// StatusOfFiles answers forge.files.status.
func StatusOfFiles(ctx context.Context, e FileStore, in Folder, _ *api.FolderArgs) (api.FileStatusResult, error) {
	changed, known, err := e.ChangedFiles(ctx, in.Snapshot())
	result := api.FileStatusResult{Compared: known, Files: []api.FileStatus{}}
	for _, f := range changed {
		result.Files = append(result.Files, api.FileStatus{Path: f.Path, State: string(f.State)})
	}
	return result, err
}

// ReadFile answers forge.files.read. Secrets in its texts are replaced.
func ReadFile(ctx context.Context, e FileStore, in Folder, a *api.FileReadArgs) (api.FileRead, error) {
	s, result := in.Snapshot(), api.FileRead{Path: a.Path, State: "unknown"}
	content, err := e.ReadFile(ctx, s, a.Path)
	if errors.Is(err, fs.ErrNotExist) {
		err = &InputError{fmt.Errorf("path: %s is no file of %s, or is ignored", a.Path, in.Path)}
	}
	if invalid := (*patch.PathError)(nil); errors.As(err, &invalid) {
		err = &InputError{fmt.Errorf("path: %w", err)}
	}
	if err != nil {
		return result, err
	}
	result.Bytes = len(content)
	disk, err := workspace.Snapshot{Root: s.Root}.ReadFile(a.Path)
	result.Unsaved = err != nil || !bytes.Equal(disk, content)
	if utf8.Valid(content) && !bytes.ContainsRune(content, 0) {
		result.Text = e.Redact(string(content))
	} else {
		result.Base64 = base64.StdEncoding.EncodeToString(content)
	}
	changed, known, err := e.ChangedFiles(ctx, s)
	if known {
		result.State = "unchanged"
	}
	if i := slices.IndexFunc(changed, func(f engine.Changed) bool { return f.Path == a.Path }); i >= 0 {
		result.State = string(changed[i].State)
		if c := changed[i].Change; c != nil {
			result.Diff = e.Redact(patch.Unified(*c, 3))
		}
	}
	return result, err
}
