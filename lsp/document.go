package lsp

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/api/service"
	"forge/internal/lazyregexp"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// ownDocument is one of Forge's own documents, which are on no disk:
//
//	forge://spec/latest, forge://spec/7      a version of the specification
//	forge://spec/6..7                        what has changed between two
//	forge://prompt/<hash>                    what a node would be sent first, if a run began now
//	forge://prompt/<run>/<node>/<attempt>    what a node of a run has sent; that of a part of a plan is <part>/<node>
//
// If several folders are open, ?folder=<URI> names one.
type ownDocument struct {
	file string // what a file that shows it is called
	name string // for people
	text func(ctx context.Context) (string, error)
}

// documentScheme is the scheme of Forge's own documents.
const documentScheme = "forge"

const (
	versionPattern = `(latest|[1-9][0-9]{0,8})`
	namePattern    = `[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}`
)

var (
	specPlace     = lazyregexp.New(`^forge://spec/` + versionPattern + `$`)
	changesPlace  = lazyregexp.New(`^forge://spec/` + versionPattern + `\.\.` + versionPattern + `$`)
	composedPlace = lazyregexp.New(`^forge://prompt/([0-9a-f]{16})$`)
	sentPlace     = lazyregexp.New(`^forge://prompt/(` + namePattern + `)/(` + namePattern + `(?:/` + namePattern + `)?)/([1-9][0-9]{0,8})$`)
)

// pages are Forge's own documents. It owns the files that stand for them and the list of those that change, and may call the engine's
// specifications and prompts, and the client.
type pages struct {
	specs     service.SpecStore
	prompts   *prompts
	folders   *editor.Folders
	dialog    *editor.Dialog
	client    *transport.Client
	session   *editor.Session
	work      *transport.Tasks
	log       *slog.Logger
	copies    copies
	following following
}

func (pg *pages) register(s *Server) {
	transport.OnRequest(s.dispatcher, protocol.MethodWorkspaceTextDocumentContent, pg.documentContent)
	s.announce(func(c *protocol.ServerCapabilities) {
		c.Workspace.TextDocumentContent = &protocol.TextDocumentContentOptions{Schemes: []string{documentScheme}}
	})
	s.atEnd(pg.copies.remove)
}

func (pg *pages) commands() editor.Commands {
	return editor.Commands{
		api.ShowDocument: editor.Handler(pg.showOwnDocument),
		api.RollbackSpec: editor.About(pg.folders, pg.specs, func(ctx context.Context, e service.SpecStore, in service.Folder, a *api.SpecArgs) (api.SpecResult, error) {
			spec, err := service.RollbackSpec(ctx, e, in, a)
			if err == nil {
				pg.refresh()
			}
			return spec, err
		}),
	}
}

// documentContent answers workspace/textDocumentContent.
func (pg *pages) documentContent(ctx context.Context, p *protocol.TextDocumentContentParams) (*protocol.TextDocumentContentResult, error) {
	d, err := pg.ownDocument(string(p.URI))
	if err != nil {
		return nil, err
	}
	text, err := d.text(ctx)
	if err != nil {
		return nil, answerable(err)
	}
	pg.following.add(p.URI)
	return &protocol.TextDocumentContentResult{Text: text}, nil
}

// ownDocument finds the document of a URI. What is not there is found out when its text is read.
func (pg *pages) ownDocument(address string) (ownDocument, error) {
	place, folder := splitFolder(address)
	for _, kind := range []struct {
		place *lazyregexp.Regexp
		at    func(folder string, parts []string) ownDocument
	}{
		{specPlace, pg.specDocument},
		{changesPlace, pg.changesDocument},
		{composedPlace, pg.composedDocument},
		{sentPlace, pg.sentDocument},
	} {
		if parts := kind.place.FindStringSubmatch(place); parts != nil {
			return kind.at(folder, parts[1:]), nil
		}
	}
	return ownDocument{}, transport.InvalidParams("uri: %q is no document of Forge; want forge://spec/latest, forge://spec/<version>, "+
		"forge://spec/<version>..<version>, forge://prompt/<hash> or forge://prompt/<run>/<node>/<attempt>", address)
}

// splitFolder takes the folder off a URI. Some clients escape all of a query, its equals sign too; so it is one parameter, and
// unescaped as a whole.
func splitFolder(address string) (place, folder string) {
	place, query, _ := strings.Cut(address, "?")
	if plain, err := url.PathUnescape(query); err == nil {
		folder, _ = strings.CutPrefix(plain, "folder=")
	}
	return place, folder
}

// addressOf is the URI of a document about a folder.
func addressOf(f *editor.Folders, folder editor.Folder, format string, args ...any) uri.URI {
	address := fmt.Sprintf(documentScheme+"://"+format, args...)
	if len(editor.OnDisk(f.Current())) > 1 {
		address += "?folder=" + url.PathEscape(string(folder.URI))
	}
	return uri.URI(address)
}
