package acp

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"forge/api/service"
	"forge/engine/proposal"
	"forge/engine/workspace"
)

// full is the path of a file of the folder, as the client knows it.
func (s *session) full(path string) string { return filepath.Join(s.root, filepath.FromSlash(path)) }

// current reads a file as the user sees it: the client's text, or else what is on disk. A client that cannot read a file, such as one
// that it does not show, is no error; one that does not answer is.
func (s *session) current(ctx context.Context, path string) (proposal.Current, error) {
	disk, err := service.OnDisk(s.root)(path)
	if err != nil || !s.agent.fs().ReadTextFile || !disk.Exists && !s.wrote(path) {
		return disk, err
	}
	wait, cancel := context.WithTimeout(ctx, s.agent.patience)
	defer cancel()
	answer, err := s.agent.conn.ReadTextFile(wait, sdk.ReadTextFileRequest{SessionId: s.id, Path: s.full(path)})
	switch {
	case ctx.Err() != nil:
		return disk, ctx.Err()
	case wait.Err() != nil:
		return disk, &silentError{path}
	case err != nil:
		s.agent.log.Debug("the client cannot read a file", "path", path, "why", err)
		return disk, nil
	case !disk.Exists && answer.Content == "": // some clients read a missing file as an empty one
		return disk, nil
	}
	return proposal.Current{Text: asOnDisk(answer.Content, disk.Text), Exists: true}, nil
}

// byteOrderMark is what some files begin with, and what clients do not show.
const byteOrderMark = "\uFEFF"

// silentError reports that the client did not answer for a file.
type silentError struct{ path string }

func (e *silentError) Error() string {
	return "the editor did not send the text of " + e.path + " in time, so its unsaved changes are unknown"
}

// asOnDisk gives a text of the client what clients leave out of the text of a file: its byte order mark, its line ends and the last
// of them.
func asOnDisk(text, disk string) string {
	if strings.HasPrefix(disk, byteOrderMark) && !strings.HasPrefix(text, byteOrderMark) {
		text = byteOrderMark + text
	}
	if strings.HasSuffix(disk, "\n") && text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if lines := strings.Count(disk, "\n"); lines > 0 && strings.Count(disk, "\r\n") == lines && !strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// snapshot returns the folder with the unsaved texts of those files that the client may have open: the named ones, and those that it
// was asked to write. Clients do not announce which files are open.
func (s *session) snapshot(ctx context.Context, named []string) (workspace.Snapshot, error) {
	snapshot := workspace.Snapshot{Root: s.root, Unsaved: map[string]workspace.Document{}}
	for _, path := range append(s.allWritten(), named...) {
		disk, err := service.OnDisk(s.root)(path)
		if err != nil { // such as a path that leads out of the folder: the run does not read it either
			continue
		}
		now, err := s.current(ctx, path)
		if err != nil {
			return snapshot, err
		}
		if now != disk {
			snapshot.Unsaved[path] = workspace.Document{Path: path, Text: now.Text}
		}
	}
	return snapshot, nil
}

// write has the client write a file.
func (s *session) write(ctx context.Context, path, text string) error {
	ctx, cancel := context.WithTimeout(ctx, s.agent.patience)
	defer cancel()
	s.mu.Lock()
	s.written[path] = true
	s.mu.Unlock()
	_, err := s.agent.conn.WriteTextFile(ctx, sdk.WriteTextFileRequest{SessionId: s.id, Path: s.full(path), Content: text})
	return err
}

// wrote reports whether the client was asked to write a file.
func (s *session) wrote(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written[path]
}

func (s *session) allWritten() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.written))
}
