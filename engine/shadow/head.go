package shadow

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"forge/engine/gitdir"
)

// Without returns a snapshot with some of its files as they are committed: as if the user had not touched them since.
func (ss *Snapshots) Without(ctx context.Context, s Snapshot, dirty []gitdir.Committed) (Snapshot, error) {
	if len(dirty) == 0 {
		return s, nil
	}
	unlock, err := ss.dir.Lock(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	defer unlock()
	commit, err := ss.restored(ctx, s.Commit, dirty)
	if err != nil {
		return Snapshot{}, fmt.Errorf("take a snapshot of the last commit of %s: %w", ss.dir.Root, err)
	}
	return Snapshot{Commit: commit, Skipped: s.Skipped}, ss.name(ctx, commit)
}

// restored writes the commit. See stream.commits for its form.
func (ss *Snapshots) restored(ctx context.Context, commit string, dirty []gitdir.Committed) (string, error) {
	out, err := ss.dir.Run(ctx, gitdir.Command{Args: []string{"rev-parse", "--verify", "--end-of-options", commit + "^{tree}"}, Dir: ss.dir.Git})
	if err != nil {
		return "", err
	}
	var in, changes bytes.Buffer
	mark := 0
	for _, f := range dirty {
		fmt.Fprintf(&changes, "D %s\n", gitdir.QuotePath(f.Path)) // first: a former file may be a folder now
	}
	for _, f := range dirty {
		if f.Mode == "" {
			continue
		}
		mark++
		fmt.Fprintf(&in, "blob\nmark :%d\ndata %d\n", mark, len(f.Content))
		in.Write(f.Content)
		in.WriteByte('\n')
		fmt.Fprintf(&changes, "M %s :%d %s\n", f.Mode, mark, gitdir.QuotePath(f.Path))
	}
	fmt.Fprintf(&in, "commit %s\nmark :%d\ncommitter Forge <forge@localhost> 0 +0000\ndata 9\nsnapshot\n\nM 040000 %s \"\"\n", overlayRef, mark+1, strings.TrimSpace(string(out)))
	in.Write(changes.Bytes())
	fmt.Fprintf(&in, "\nget-mark :%d\ndone\n", mark+1)
	answer, err := ss.dir.Import(ctx, &in, []string{"core.fsync=loose-object,pack,pack-metadata", "core.fsyncMethod=batch"},
		[]string{"--force", "--depth=0"}, []string{overlayRef})
	if err != nil {
		return "", err
	}
	if id := strings.TrimSpace(answer); gitdir.IsObjectID(id) {
		return id, nil
	}
	return "", errImport
}
