package service

import (
	"context"

	"forge/api"
	"forge/engine"
	"forge/engine/state"
)

// ConversationStore stores what was asked and answered in the runs of folders.
type ConversationStore interface {
	Conversations(ctx context.Context, root string) ([]state.Conversation, error)
	Conversation(ctx context.Context, root, id string) (state.Conversation, error)
}

// Conversations answers forge.conversations.
func Conversations(ctx context.Context, e ConversationStore, in Folder, a *api.ConversationsArgs) (api.ConversationsResult, error) {
	all, err := e.Conversations(ctx, in.Path)
	result := api.ConversationsResult{Conversations: conversationsOf(all)}
	if err != nil || a.ID == "" {
		return result, err
	}
	id := a.ID
	if id == engine.LatestThread {
		id = ""
	}
	one, err := e.Conversation(ctx, in.Path, id)
	result.Turns = conversationTurnsOf(one.Turns)
	return result, err
}
