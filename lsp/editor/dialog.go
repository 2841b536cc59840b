package editor

import (
	"context"
	"log/slog"

	"go.lsp.dev/protocol"

	"forge/internal/inert"
	"forge/lsp/transport"
)

// Dialog shows messages of Forge's and asks questions with them. It owns nothing and calls the client only.
type Dialog struct {
	client *transport.Client
	log    *slog.Logger
}

// NewDialog returns the dialog of a client.
func NewDialog(c *transport.Client, log *slog.Logger) *Dialog { return &Dialog{client: c, log: log} }

// Notify shows the user a message; it has no effect after the client is gone.
func (d *Dialog) Notify(ctx context.Context, kind protocol.MessageType, text string) {
	if err := d.client.ShowMessage(context.WithoutCancel(ctx), kind, inert.Text(text)); err != nil {
		d.log.Debug("message not shown", "why", err)
	}
}

// Choose asks with a message and returns the title that was picked; nothing for the user who dismissed
// it and for a client that failed: the proposal stays open.
func (d *Dialog) Choose(ctx context.Context, text string, titles ...string) string {
	params := &protocol.ShowMessageRequestParams{Type: protocol.MessageTypeInfo, Message: "Forge: " + text}
	for _, title := range titles {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: title})
	}
	chosen, err := d.client.ShowMessageRequest(ctx, params)
	if err != nil || chosen == nil {
		return ""
	}
	return chosen.Title
}
