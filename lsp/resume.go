package lsp

import (
	"context"
	"fmt"
	"os"

	"forge/api"
	"forge/api/service"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/lsp/editor"
	"forge/lsp/review"
	"forge/lsp/transport"
)

// resume answers forge.resume: it resumes a run, of this session or of any other, and follows it like one that was
// started here.
func (rn *runner) resume(ctx context.Context, a *api.ResumeArgs) (api.RunResult, error) {
	id, folder, err := rn.runToResume(ctx, a)
	if err != nil {
		return api.RunResult{}, err
	}
	if a.Offer {
		return rn.offerStored(ctx, id, folder)
	}
	r, err := rn.takeUp(ctx, id, folder, a.Answer, service.RunLimits(a.Limits))
	if err != nil {
		return api.RunResult{}, err
	}
	if a.Wait {
		return rn.waitFor(ctx, r)
	}
	return r.Acknowledge(), nil
}

// runToResume is the run that is named, or else the newest of the folder that was cut off or paused.
func (rn *runner) runToResume(ctx context.Context, a *api.ResumeArgs) (string, editor.Folder, error) {
	if a.RunID != "" {
		return rn.storedRun(ctx, a.RunID)
	}
	if rn.engine == nil {
		return "", editor.Folder{}, editor.ErrNoEngine
	}
	folder, err := rn.folders.Choose(a.Folder)
	if err != nil {
		return "", editor.Folder{}, err
	}
	runs, err := rn.engine.Resumable(ctx, folder.Path)
	if err != nil {
		return "", editor.Folder{}, err
	}
	for _, run := range runs {
		if run.State == event.Interrupted || run.State == event.Paused {
			return run.ID, folder, nil
		}
	}
	return "", editor.Folder{}, transport.InvalidParams("runId: no run of %s was cut off or paused; name one, forge.runs with all lists them", folder.URI)
}

// storedRun finds a run, and the open folder that it is of.
func (rn *runner) storedRun(ctx context.Context, id string) (string, editor.Folder, error) {
	if rn.store == nil {
		return "", editor.Folder{}, editor.ErrNoEngine
	}
	run, err := rn.store.Find(ctx, id)
	if err != nil {
		return "", editor.Folder{}, err
	}
	for _, folder := range editor.OnDisk(rn.folders.Current()) {
		if sameFile(folder.Path, run.Root) {
			return id, folder, nil
		}
	}
	return "", editor.Folder{}, transport.InvalidParams("runId: run %s is of %s, which is not open; open it and resume the run there", id, run.Root)
}

// takeUp resumes a run, and follows it in a goroutine of the server.
func (rn *runner) takeUp(ctx context.Context, id string, folder editor.Folder, reply string, raised execution.Limits) (*editor.Run, error) {
	if r, err := rn.runs.Find(id); err != nil || editor.IsClosed(r.Ended) {
		rn.questions.forget(id)
	}
	resumed, err := rn.engine.Resume(ctx, id, answering(reply, rn.questioner.asker()), raised)
	if err != nil {
		return nil, err
	}
	r := rn.runs.Adopt(resumed, folder)
	if rn.session.Features().Progress {
		r.Token = fmt.Sprintf("forge/%s/%d", r.ID, r.Resumed) // a new one each time the run is resumed
	}
	close(r.Started)
	rn.board.Clear(folder)
	rn.work.Run("run "+r.ID, func(ctx context.Context) { rn.follower.follow(ctx, r) })
	return r, nil
}

// resumeTask answers forge.task.resume.
func (rn *runner) resumeTask(ctx context.Context, a *api.TaskResumeArgs) (api.TaskResumed, error) {
	if rn.tasks == nil {
		return api.TaskResumed{}, editor.ErrNoEngine
	}
	folder, err := rn.folders.Choose(a.Folder)
	if err != nil {
		return api.TaskResumed{}, err
	}
	task, id, err := service.ResumeTask(ctx, rn.tasks, rn.folders.Served(folder), a)
	if err != nil {
		return api.TaskResumed{}, err
	}
	result := api.TaskResumed{Task: task}
	if id != "" {
		var run api.RunResult
		run, err = rn.resume(ctx, &api.ResumeArgs{RunID: id, Wait: a.Wait})
		result.Run = &run
	}
	return result, err
}

// offerStored offers the change of a run that has ended, without doing anything of the run again.
func (rn *runner) offerStored(ctx context.Context, id string, folder editor.Folder) (api.RunResult, error) {
	p, _, err := rn.engine.Offered(ctx, id)
	if err != nil {
		return api.RunResult{}, err
	}
	run, err := rn.store.Find(ctx, id)
	if err != nil {
		return api.RunResult{}, err
	}
	rn.reviewer.Present(ctx, review.NewReview(folder, p))
	return api.RunResult{RunID: id, Folder: string(folder.URI), State: string(run.State), Reason: run.Reason, ProposalID: p.ID}, nil
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
