package transport

import (
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// errReadLoop reports that code on the read loop tried to call the client: a call would wait for an
// answer that the loop itself must read, and a notification would block on a client that does not
// read.
var errReadLoop = errors.New("the client must not be called from the read loop; use Server.Go")

// Client is what handlers see of the editor. It is safe for concurrent use, except on the read loop,
// where every method fails with an error.
type Client struct {
	conn jsonrpc2.Conn
}

// Notify sends a notification; params is a protocol type or a struct of api.
func (c *Client) Notify(ctx context.Context, method string, params any) error {
	if onReadLoop(ctx) {
		return fmt.Errorf("%s: %w", method, errReadLoop)
	}
	if err := c.conn.Notify(ctx, method, params); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// Call sends a request and waits for the answer, which is decoded into result unless that is nil. If
// ctx ends first, it cancels the request at the client.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	if onReadLoop(ctx) {
		return fmt.Errorf("%s: %w", method, errReadLoop)
	}
	id, err := c.conn.Call(ctx, method, params, result)
	if ctx.Err() != nil {
		c.cancel(context.WithoutCancel(ctx), id)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

func (c *Client) cancel(ctx context.Context, id jsonrpc2.ID) {
	number, _ := id.Number()
	// Best effort: the client may have answered, or be gone.
	_ = c.conn.Notify(ctx, protocol.MethodCancelRequest, cancelNumber{ID: number})
}

// cancelNumber is protocol.CancelParams for an id beyond 32 bits.
type cancelNumber struct {
	ID int64 `json:"id"`
}

// ShowMessage shows text without asking anything.
func (c *Client) ShowMessage(ctx context.Context, kind protocol.MessageType, text string) error {
	return c.Notify(ctx, protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: kind, Message: text})
}

// ShowMessageRequest asks, and returns what was chosen: nil when the question was dismissed.
func (c *Client) ShowMessageRequest(
	ctx context.Context, p *protocol.ShowMessageRequestParams,
) (*protocol.MessageActionItem, error) {
	var chosen *protocol.MessageActionItem
	err := c.Call(ctx, protocol.MethodWindowShowMessageRequest, p, &chosen)
	return chosen, err
}

// ShowDocument asks the client to show a document, and reports whether it did.
func (c *Client) ShowDocument(ctx context.Context, u uri.URI) bool {
	focus := true
	var result protocol.ShowDocumentResult
	err := c.Call(ctx, protocol.MethodWindowShowDocument, &protocol.ShowDocumentParams{URI: u, TakeFocus: &focus}, &result)
	return err == nil && result.Success
}

// ApplyEdit asks the client to change documents. Applied in the answer proves nothing: the caller
// compares the texts afterwards.
func (c *Client) ApplyEdit(
	ctx context.Context, p *protocol.ApplyWorkspaceEditParams,
) (*protocol.ApplyWorkspaceEditResult, error) {
	var result protocol.ApplyWorkspaceEditResult
	err := c.Call(ctx, protocol.MethodWorkspaceApplyEdit, p, &result)
	return &result, err
}

// WorkDoneProgressCreate announces a progress token; only for clients with window.workDoneProgress.
func (c *Client) WorkDoneProgressCreate(ctx context.Context, token string) error {
	params := &protocol.WorkDoneProgressCreateParams{Token: protocol.String(token)}
	return c.Call(ctx, protocol.MethodWindowWorkDoneProgressCreate, params, nil)
}

// Progress reports on a token; value points to one of protocol's WorkDoneProgress structs. Its kind is
// filled in here, because the protocol package leaves it out.
func (c *Client) Progress(ctx context.Context, token string, value any) error {
	raw, err := protocol.Marshal(withKind(value))
	if err != nil {
		return fmt.Errorf("encode progress: %w", err)
	}
	params := &protocol.ProgressParams{Token: protocol.String(token), Value: raw}
	return c.Notify(ctx, protocol.MethodProgress, params)
}

func withKind(value any) any {
	switch v := value.(type) {
	case *protocol.WorkDoneProgressBegin:
		begin := *v
		begin.Kind = "begin"
		return &begin
	case *protocol.WorkDoneProgressReport:
		report := *v
		report.Kind = "report"
		return &report
	case *protocol.WorkDoneProgressEnd:
		end := *v
		end.Kind = "end"
		return &end
	}
	return value
}

// PublishDiagnostics replaces the diagnostics Forge shows for a document.
func (c *Client) PublishDiagnostics(ctx context.Context, p *protocol.PublishDiagnosticsParams) error {
	return c.Notify(ctx, protocol.MethodTextDocumentPublishDiagnostics, p)
}

// RegisterCapability registers dynamically; only where the client's capabilities allow it.
func (c *Client) RegisterCapability(ctx context.Context, p *protocol.RegistrationParams) error {
	return c.Call(ctx, protocol.MethodClientRegisterCapability, p, nil)
}
