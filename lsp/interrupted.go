package lsp

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/api/service"
	"forge/engine/execution"
	"forge/engine/history"
	"forge/internal/inert"
	"forge/lsp/editor"
	"forge/lsp/review"
)

// The answers when a run was interrupted; answerShow is another.
const (
	answerResume = "Resume"
	answerNotNow = "Not now"
)

// interruptions finishes or reverts writes that killed processes left unfinished, and offers to resume interrupted runs. It owns nothing, and
// may call the engine, the user and the runner.
type interruptions struct {
	edits   review.Edits
	engine  service.Runner
	store   service.RunStore
	runner  *runner
	folders *editor.Folders
	dialog  *editor.Dialog
	now     func() time.Time
	log     *slog.Logger
}

// cutOff is a run that was interrupted, and the open folder that it is of.
type cutOff struct {
	history.Run
	folder editor.Folder
}

// tidy finishes or reverts what killed processes left unfinished in every open folder, before the user works on it. Changes that may be in a
// buffer only wait for a command that sees the buffers.
func (it *interruptions) tidy(ctx context.Context) {
	if it.edits == nil {
		return
	}
	for _, folder := range editor.OnDisk(it.folders.Current()) {
		if err := it.edits.Tidy(ctx, folder.Path); err != nil && ctx.Err() == nil {
			it.dialog.Notify(ctx, protocol.MessageTypeWarning, fmt.Sprintf("Forge: an interrupted change in %s is still incomplete: %v", folder.Name, err))
		}
	}
}

// lookedAgain are the delays after which a search that found no interrupted run is repeated: if the user closes an editor and starts it at once,
// the previous server may still be stopping.
var lookedAgain = []time.Duration{time.Second, 2 * time.Second}

// offerInterrupted asks once, when the session has begun, whether to resume the run that was interrupted last.
// It does nothing without a confirmation, and asks nothing in untrusted folders.
func (it *interruptions) offerInterrupted(ctx context.Context) {
	if it.engine == nil {
		return
	}
	found := it.cutOffRuns(ctx)
	for _, pause := range lookedAgain {
		if len(found) > 0 {
			break
		}
		select {
		case <-time.After(pause):
			found = it.cutOffRuns(ctx)
		case <-ctx.Done():
			return
		}
	}
	if len(found) == 0 {
		return
	}
	last := found[0]
	switch it.dialog.Choose(ctx, it.interruptedText(found), answerResume, review.AnswerShow, answerNotNow) {
	case answerResume:
		if _, err := it.runner.resumeIn(ctx, last.ID, last.folder, "", execution.Limits{}); err != nil {
			it.dialog.Notify(ctx, protocol.MessageTypeWarning, fmt.Sprintf("Forge: the run cannot be resumed: %v", err))
		}
	case review.AnswerShow:
		it.showRun(ctx, last)
	}
}

// cutOffRuns are the interrupted runs of all open folders, the last first. It omits unreadable ones: the
// command that resumes them reports the reason.
func (it *interruptions) cutOffRuns(ctx context.Context) []cutOff {
	k := it.engine
	var found []cutOff
	for _, folder := range editor.OnDisk(it.folders.Current()) {
		if trusted, err := k.Trusted(folder.Path); err != nil || !trusted {
			continue
		}
		runs, err := k.Interrupted(ctx, folder.Path)
		if err != nil {
			it.log.Warn("interrupted runs are not known", "folder", folder.Path, "why", err)
		}
		for _, run := range runs {
			found = append(found, cutOff{run, folder})
		}
	}
	slices.SortStableFunc(found, func(a, b cutOff) int { return cmp.Compare(b.Active.UnixNano(), a.Active.UnixNano()) })
	return found
}

func (it *interruptions) interruptedText(found []cutOff) string {
	last, more := found[0], ""
	if len(found) > 1 {
		more = fmt.Sprintf(" It is the last of %d: the list of runs has the others.", len(found))
	}
	return fmt.Sprintf("a run was interrupted: \"%s\" (%s). Resume it?%s",
		inert.OneLine(last.Title, 120), service.Ago(it.now().Sub(last.Active)), more)
}

// shownOfRun is how many lines a message has of a run.
const shownOfRun = 6

// showRun shows the last events of a run.
func (it *interruptions) showRun(ctx context.Context, run cutOff) {
	events, err := it.store.Events(ctx, run.ID, 0)
	if err != nil {
		it.dialog.Notify(ctx, protocol.MessageTypeWarning, fmt.Sprintf("Forge: what the run did cannot be shown: %v", err))
		return
	}
	var lines []string
	for _, l := range service.Log(run.ID, events, &api.LogArgs{Limit: shownOfRun}).Lines {
		lines = append(lines, strings.TrimSpace(l.Text))
	}
	it.dialog.Notify(ctx, protocol.MessageTypeInfo, fmt.Sprintf("Forge: run %s, of which these were the last lines. The command Resume Run continues it.\n%s",
		run.ID, strings.Join(lines, "\n")))
}
