package history

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"time"

	"forge/engine/state"
)

// Said is a turn that was added to a conversation.
type Said struct {
	Conversation string // its id
	Turn         state.Turn
}

// Turns yields the turns after a time that any process adds to the conversations of a folder, until ctx ends. It sleeps until the
// operating system reports a write. An error is the last value.
func (h *History) Turns(ctx context.Context, root string, since time.Time) iter.Seq2[Said, error] {
	return func(yield func(Said, error) bool) {
		moved, err := h.watchConversations(root)
		defer moved.stop()
		last := map[string]time.Time{} // turn of each conversation
		for err == nil {
			var all []state.Conversation
			if all, err = h.Conversations(ctx, root); err != nil {
				break
			}
			for _, c := range all {
				for _, t := range c.Turns {
					if t.At.After(since) && t.At.After(last[c.ID]) && !yield(Said{c.ID, t}, nil) {
						return
					}
				}
				last[c.ID] = c.Last()
			}
			if !moved.wait(ctx) {
				return
			}
		}
		if ctx.Err() == nil {
			yield(Said{}, err)
		}
	}
}

// watchConversations starts to watch the files of a folder's conversations.
func (h *History) watchConversations(root string) (*watch, error) {
	p, err := h.state.Project(root)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(p.ConversationFile("*"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, h.state.Explain(err)
	}
	w := watchFiles(p.ConversationFile("*"), dir+string(filepath.Separator))
	if w.files != nil {
		w.ticker.Stop() // only writes matter here
	}
	return w, nil
}
