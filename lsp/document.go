package lsp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/api/service"
	"forge/internal/lazyregexp"
	"forge/lsp/editor"
	"forge/lsp/review"
	"forge/lsp/transport"
)

// ownDocument is one of Forge's own documents, which are on no disk:
//
//	forge://spec/latest, forge://spec/7      a version of the specification
//	forge://spec/6..7                        what has changed between two
//	forge://prompt/<hash>                    what a node would be sent first, if a run began now
//	forge://proposal/<id>/base/<path>        a file of a proposal as it is now; proposed, with the changes that are not rejected
//	forge://run/<id>                         the report of a run
//	forge://prompt/<run>/<node>/<attempt>    what a node of a run has sent; that of a part of a plan is <part>/<node>
//
// If several folders are open, ?folder=<URI> names one.
type ownDocument struct {
	file string // what a file that shows it is called
	name string // for users
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
	runPlace      = lazyregexp.New(`^forge://run/(` + namePattern + `)$`)
	composedPlace = lazyregexp.New(`^forge://prompt/([0-9a-f]{16})$`)
	proposalPlace = lazyregexp.New(`^forge://proposal/(` + namePattern + `)/(base|proposed)/(.+)$`)
	sentPlace     = lazyregexp.New(`^forge://prompt/(` + namePattern + `)/(` + namePattern + `(?:/` + namePattern + `)?)/([1-9][0-9]{0,8})$`)
)

// pages are Forge's own documents. It owns the files that stand for them and the list of those that change, and may call the engine's
// specifications and prompts, and the client.
type pages struct {
	specs     service.SpecStore
	runs      service.RunReader
	prompts   *prompts
	reviewer  *review.Reviewer
	folders   *editor.Folders
	dialog    *editor.Dialog
	client    *transport.Client
	session   *editor.Session
	work      *transport.Tasks
	log       *slog.Logger
	copies    copies
	following *following
}

func (pg *pages) register(s *Server) {
	transport.OnRequest(s.dispatcher, protocol.MethodWorkspaceTextDocumentContent, pg.documentContent)
	s.announce(func(c *protocol.ServerCapabilities) {
		c.Workspace.TextDocumentContent = &protocol.TextDocumentContentOptions{Schemes: []string{documentScheme}}
	})
	s.atEnd(pg.copies.remove)
	s.onInitialized(func() { s.Go("documents of proposals", pg.refreshProposals) })
}

// rollback answers forge.spec.rollback.
func (pg *pages) rollback(ctx context.Context, e service.SpecStore, in service.Folder, a *api.SpecArgs) (api.SpecResult, error) {
	spec, err := service.RollbackSpec(ctx, e, in, a)
	if err == nil {
		pg.refresh()
	}
	return spec, err
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
	pg.following.add(p.URI, text)
	return &protocol.TextDocumentContentResult{Text: text}, nil
}

// ownDocument finds the document of a URI. Whether it exists is found out when its text is read.
func (pg *pages) ownDocument(address string) (ownDocument, error) {
	place, folder := splitFolder(address)
	for _, kind := range []struct {
		place *lazyregexp.Regexp
		at    func(folder string, parts []string) ownDocument
	}{
		{specPlace, pg.specDocument},
		{changesPlace, pg.changesDocument},
		{runPlace, pg.runDocument},
		{composedPlace, pg.composedDocument},
		{sentPlace, pg.sentDocument},
		{proposalPlace, pg.proposalDocument},
	} {
		if parts := kind.place.FindStringSubmatch(place); parts != nil {
			return kind.at(folder, parts[1:]), nil
		}
	}
	return ownDocument{}, transport.InvalidParams("uri: %q is no document of Forge; want forge://spec/latest, forge://spec/<version>, "+
		"forge://spec/<version>..<version>, forge://run/<id>, forge://prompt/<hash> or forge://prompt/<run>/<node>/<attempt>", address)
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

// latestVersion is how a URI names the latest version of a specification.
const latestVersion = "latest"

// proposalDocument is a text of a file of a proposal.
func (pg *pages) proposalDocument(_ string, parts []string) ownDocument {
	id, which := parts[0], parts[1]
	file, err := url.PathUnescape(parts[2])
	return ownDocument{
		file: filepath.Base(file), name: file + " as it is proposed",
		text: func(ctx context.Context) (string, error) {
			if err != nil {
				return "", transport.InvalidParams("uri: %v", err)
			}
			return pg.reviewer.Document(ctx, id, which, file)
		},
	}
}

// runDocument is the report of a run.
func (pg *pages) runDocument(_ string, parts []string) ownDocument {
	return ownDocument{
		file: "run-" + parts[0] + ".md", name: "the report of run " + parts[0],
		text: func(ctx context.Context) (string, error) {
			if pg.runs == nil {
				return "", editor.ErrNoEngine
			}
			return service.Report(ctx, pg.runs, parts[0])
		},
	}
}

// versionOf is a version as memory numbers them: 0 is the latest.
func versionOf(named string) int {
	n, _ := strconv.Atoi(named) // digits, or latest
	return n
}

// specDocument is a version of the specification of a folder.
func (pg *pages) specDocument(folder string, parts []string) ownDocument {
	return ownDocument{
		file: "spec-" + parts[0] + ".md", name: "the specification, version " + parts[0],
		text: func(ctx context.Context) (string, error) {
			at, err := pg.specified(folder)
			if err != nil {
				return "", err
			}
			spec, err := pg.specs.Spec(ctx, at.Path, versionOf(parts[0]))
			return spec.Text, noVersion(ctx, pg.specs, at, err)
		},
	}
}

// specified is the folder whose specification a document is of.
func (pg *pages) specified(named string) (editor.Folder, error) {
	if pg.specs == nil {
		return editor.Folder{}, editor.ErrNoEngine
	}
	return pg.folders.Choose(named)
}

// changesDocument is what has changed between two versions.
func (pg *pages) changesDocument(folder string, parts []string) ownDocument {
	return ownDocument{
		file: "spec-" + parts[0] + "-" + parts[1] + ".diff", name: "what has changed in the specification",
		text: func(ctx context.Context) (string, error) {
			at, err := pg.specified(folder)
			if err != nil {
				return "", err
			}
			from, to, diff, err := pg.specs.SpecDiff(ctx, at.Path, versionOf(parts[0]), versionOf(parts[1]))
			if err == nil && diff == "" {
				diff = fmt.Sprintf("Versions %d and %d read the same.\n", from, to)
			}
			return diff, noVersion(ctx, pg.specs, at, err)
		},
	}
}

// noVersion returns err; for a version that does not exist, an error that names the existing ones.
func noVersion(ctx context.Context, specs service.SpecStore, folder editor.Folder, err error) error {
	if service.FaultOf(err) != service.NotThere {
		return err
	}
	latest, none := specs.Spec(ctx, folder.Path, 0)
	if none != nil {
		return transport.InvalidParams("%s has no specification yet. Generate one first.", folder.URI)
	}
	return transport.InvalidParams("The specification of %s has no such version. The latest is %d.", folder.URI, latest.Version)
}

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

// draft makes the file of a text that the user may change, unless there is one.
func (c *copies) draft(address, file, text string) (path string, err error) {
	c.mu.Lock()
	path = c.paths[address]
	c.mu.Unlock()
	if path != "" {
		return path, nil
	}
	return c.write(address, file, text)
}

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

// refresh has the client reload what it shows of specifications: there may be another version, or a review of work on
// one.
func (pg *pages) refresh() {
	can := pg.session.Features()
	pg.work.Run("specification", func(ctx context.Context) {
		var err error
		if can.LensRefresh {
			err = pg.client.Call(ctx, protocol.MethodWorkspaceCodeLensRefresh, nil, nil)
		}
		if can.DocumentContent && err == nil {
			err = pg.reload(ctx, isLatestSpec)
		}
		if err != nil {
			pg.log.Debug("the client did not refresh what it shows of a specification", "why", err)
		}
	})
}
