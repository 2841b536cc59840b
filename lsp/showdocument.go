package lsp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
)

// showOwnDocument answers forge.document.show. For a client that takes no content from the server it shows a file; a client that
// shows no documents receives the file's path.
func (pg *pages) showOwnDocument(ctx context.Context, a *api.ShowDocumentArgs) (api.ShowDocumentResult, error) {
	d, err := pg.ownDocument(a.URI)
	if err != nil {
		return api.ShowDocumentResult{}, err
	}
	text, err := d.text(ctx)
	if err != nil {
		return api.ShowDocumentResult{}, err
	}
	can := pg.session.Features()
	if can.DocumentContent && can.ShowDocument && pg.client.ShowDocument(ctx, uri.URI(a.URI)) {
		return api.ShowDocumentResult(*a), nil
	}
	path, err := pg.copies.write(a.URI, d.file, text)
	if err != nil {
		return api.ShowDocumentResult{}, fmt.Errorf("show %s: %w", d.name, err)
	}
	if !can.ShowDocument || !pg.client.ShowDocument(ctx, uri.File(path)) {
		pg.dialog.Notify(ctx, protocol.MessageTypeInfo, "Forge: "+d.name+" is in "+path)
	}
	return api.ShowDocumentResult{URI: string(uri.File(path))}, nil
}

// copies are files that show Forge's own documents. They are in a folder that only the user can read, and go with the server.
type copies struct {
	mu    sync.Mutex        // guards what follows
	dir   string            // empty until there is one
	paths map[string]string // by URI of the document
	ended bool
}

var errEnded = errors.New("the server is ending")

// write makes the file of a document, or replaces it.
func (c *copies) write(address, file, text string) (path string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return "", errEnded
	}
	if c.dir == "" {
		if c.dir, err = os.MkdirTemp("", "forge-documents-"); err != nil { // for the user alone
			return "", err
		}
		c.paths = map[string]string{}
	}
	if path = c.paths[address]; path == "" {
		path = filepath.Join(c.dir, strconv.Itoa(len(c.paths)+1), file)
		c.paths[address] = path
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// remove removes all of them; no more are made.
func (c *copies) remove() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.dir == "" {
		return nil
	}
	return os.RemoveAll(c.dir)
}
