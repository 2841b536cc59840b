package history

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/state"
)

// ErrNoConversation means that a folder has no conversation of the given id, or none at all.
var ErrNoConversation = state.ErrNoConversation

// AddTurn appends a turn to a conversation of a folder. Processes may append at the same time.
func (h *History) AddTurn(ctx context.Context, root, id string, t state.Turn) error {
	p, err := h.state.Project(root)
	if err != nil {
		return err
	}
	return h.state.Explain(p.AddTurn(ctx, id, t))
}

// Conversation returns a conversation of a folder. An empty id is the one with the newest turn. The error matches ErrNoConversation.
func (h *History) Conversation(ctx context.Context, root, id string) (state.Conversation, error) {
	if id != "" {
		p, err := h.state.Project(root)
		if err != nil {
			return state.Conversation{}, err
		}
		c, err := p.Conversation(id)
		if errors.Is(err, ErrNoConversation) {
			err = fmt.Errorf("%w in %s", err, root)
		}
		return c, err
	}
	all, err := h.Conversations(ctx, root)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%w: none was held in %s yet", ErrNoConversation, root)
	}
	if err != nil {
		return state.Conversation{}, err
	}
	return all[0], nil
}

func (h *History) gcConversations(ctx context.Context, root string, dryRun bool, r *GCReport) error {
	p, err := h.state.Project(root)
	if err != nil {
		return err
	}
	r.Conversations, err = p.ReduceConversations(ctx, dryRun)
	return h.state.Explain(err)
}

// Conversations lists the conversations of a folder, the one with the newest turn first.
func (h *History) Conversations(ctx context.Context, root string) ([]state.Conversation, error) {
	p, err := h.state.Project(root)
	if err != nil {
		return nil, err
	}
	all, err := p.Conversations(ctx)
	return all, h.state.Explain(err)
}
