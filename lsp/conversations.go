package lsp

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"forge/api"
	"forge/api/service"
	"forge/engine/history"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// TurnFeed yields the turns after a time that any process adds to the conversations of a folder; see history.History.
type TurnFeed interface {
	Turns(ctx context.Context, root string, since time.Time) iter.Seq2[history.Said, error]
}

// listener sends the client what other editors and terminals add to the conversations of its folders. It owns nothing.
type listener struct {
	feed    TurnFeed // nil: there are no conversations
	runs    *editor.Runs
	folders *editor.Folders
	session *editor.Session
	client  *transport.Client
	work    *transport.Tasks
	now     func() time.Time
	log     *slog.Logger
}

// begin listens to the folders that are open now, for clients that take events.
func (l *listener) begin() {
	if l.feed == nil || !l.session.Features().Rich {
		return
	}
	since := l.now()
	for _, folder := range editor.OnDisk(l.folders.Current()) {
		l.work.Run("conversations of "+folder.Path, func(ctx context.Context) { l.listen(ctx, folder, since) })
	}
}

// listen sends the turns of a folder. Those of runs of this session are not news to its client.
func (l *listener) listen(ctx context.Context, folder editor.Folder, since time.Time) {
	for said, err := range l.feed.Turns(ctx, folder.Path, since) {
		if err != nil {
			l.log.Debug("conversations are not listened to", "folder", folder.Path, "why", err)
			return
		}
		if _, err := l.runs.Find(said.Turn.Run); err == nil {
			continue
		}
		if err := l.client.Notify(ctx, api.ConversationMethod, service.ConversationChangedOf(string(folder.URI), said)); err != nil {
			l.log.Debug("a turn of a conversation was not sent", "conversation", said.Conversation, "why", err)
		}
	}
}
