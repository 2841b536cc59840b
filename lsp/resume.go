package lsp

import (
	"context"
	"fmt"
	"os"

	"forge/api"
	"forge/engine"
	"forge/engine/event"
)

// resume answers forge.resume: it takes up a run, of this session or of any other, and follows it like one that was
// started here.
func (f *front) resume(ctx context.Context, a *api.ResumeArgs) (api.RunResult, error) {
	id, folder, err := f.runToResume(ctx, a)
	if err != nil {
		return api.RunResult{}, err
	}
	if a.Offer {
		return f.offerKept(ctx, id, folder)
	}
	r, err := f.takeUp(ctx, id, folder, a.Answer, limitsOf(a.Limits))
	if err != nil {
		return api.RunResult{}, answerable(err)
	}
	if a.Wait {
		return f.waitFor(ctx, r)
	}
	return r.acknowledge(), nil
}

// runToResume is the run that is named, or else the newest of the folder that was cut off or paused.
func (f *front) runToResume(ctx context.Context, a *api.ResumeArgs) (string, Folder, error) {
	if a.RunID != "" {
		return f.keptRun(ctx, a.RunID)
	}
	k, folder, err := f.kept(a.Folder)
	if err != nil {
		return "", Folder{}, err
	}
	runs, err := k.Resumable(ctx, folder.Path)
	if err != nil {
		return "", Folder{}, err
	}
	for _, run := range runs {
		if run.State == event.Interrupted || run.State == event.Paused {
			return run.ID, folder, nil
		}
	}
	return "", Folder{}, invalidParams("runId: no run of %s was cut off or paused; name one, forge.runs with all lists them", folder.URI)
}

// keptRun finds a run, and the open folder that it is of.
func (f *front) keptRun(ctx context.Context, id string) (string, Folder, error) {
	if f.server.options.Engine == nil {
		return "", Folder{}, errNoEngine
	}
	run, err := f.server.options.Engine.Find(ctx, id)
	if err != nil {
		return "", Folder{}, answerable(err)
	}
	for _, folder := range onDisk(f.server.session.currentFolders()) {
		if sameFile(folder.Path, run.Root) {
			return id, folder, nil
		}
	}
	return "", Folder{}, invalidParams("runId: run %s is of %s, which is not open; open it and resume the run there", id, run.Root)
}

// takeUp resumes a run, and follows it in a goroutine of the server.
func (f *front) takeUp(ctx context.Context, id string, folder Folder, reply string, raised engine.Limits) (*run, error) {
	if r, err := f.runs.find(id); err != nil || isClosed(r.ended) {
		f.questions.forget(id)
	}
	resumed, err := f.server.options.Engine.Resume(ctx, id, answering(reply, f.asker()), raised)
	if err != nil {
		return nil, err
	}
	r := f.runs.adopt(resumed, folder)
	if f.server.features().progress {
		r.token = fmt.Sprintf("forge/%s/%d", r.ID, r.Resumed) // another one for each life
	}
	close(r.started)
	f.board.clear(folder)
	f.server.Go("run "+r.ID, func(ctx context.Context) { f.follow(ctx, r) })
	return r, nil
}

// adopt adds a run that was taken up. What an earlier life of it in this session has left is replaced.
func (rs *runs) adopt(resumed *engine.Run, folder Folder) *run {
	r := &run{folder: folder, Run: resumed, started: make(chan struct{}), ended: make(chan struct{})}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for i, other := range rs.all {
		if other.wasStarted() && other.ID == resumed.ID {
			r.clientID = other.clientID
			rs.all = append(rs.all[:i:i], rs.all[i+1:]...)
			break
		}
	}
	rs.all = append(rs.all, r)
	return r
}

// sameFile reports whether two names are of the same folder.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
