package lsp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/api/service"
	"forge/engine/history"
	"forge/lsp/editor"
	"forge/lsp/review"
	"forge/lsp/transport"
)

// specFile is the file of a folder that shows the lenses of its specification.
const specFile = "SPEC.md"

// lenses are above specifications (their versions, and commands that lead to others), plans and hunks. It owns nothing, and may call the
// engine's specifications and the client.
type lenses struct {
	specs     service.SpecStore
	standings Standings
	placer    *review.Placer
	folders   *editor.Folders
	session   *editor.Session
	client    *transport.Client
	work      *transport.Tasks
	log       *slog.Logger
}

func (ls *lenses) register(s *Server) {
	transport.OnRequest(s.dispatcher, protocol.MethodTextDocumentCodeLens, ls.codeLenses)
	transport.OnRequest(s.dispatcher, protocol.MethodCodeLensResolve, ls.resolveLens)
	s.announce(func(c *protocol.ServerCapabilities) {
		yes := true
		c.CodeLensProvider = &protocol.CodeLensOptions{ResolveProvider: &yes}
	})
}

// lensData is what a lens needs to be resolved: the state of a version of a specification.
type lensData struct {
	Folder  string `json:"folder"`
	Version int    `json:"version"`
}

// codeLenses answers textDocument/codeLens.
func (ls *lenses) codeLenses(ctx context.Context, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	onDocument, err := ls.onDocument(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	onHunks, err := ls.onHunks(p.TextDocument.URI)
	return append(append([]protocol.CodeLens{}, onDocument...), onHunks...), err
}

// onDocument are lenses in the first line: for a specification its version, with commands that lead to the previous and the next
// one; for a plan the command that carries it out. Reviews of a specification are read when the lens is resolved.
func (ls *lenses) onDocument(ctx context.Context, u uri.URI) (lenses []protocol.CodeLens, err error) {
	if _, _, is := isPlan(ls.folders, u); is {
		carry, err := commandOf("carry out this plan", api.Run, api.RunArgs{PlanFile: string(u)})
		return append(lenses, protocol.CodeLens{Command: carry}), err
	}
	folder, version, is := ls.specShownIn(u)
	if !is || ls.specs == nil {
		return lenses, nil
	}
	spec, err := ls.specs.Spec(ctx, folder.Path, version)
	if fault := service.FaultOf(err); err != nil && fault != service.NotThere && fault != service.Collected {
		return nil, err
	}
	if spec.Version > 0 {
		data, err := protocol.Marshal(lensData{string(folder.URI), spec.Version})
		if err != nil {
			return nil, fmt.Errorf("encode a lens: %w", err)
		}
		lenses = append(lenses, protocol.CodeLens{Data: data})
	}
	commands, err := ls.specCommands(u, folder, spec.Version)
	for _, c := range commands {
		lenses = append(lenses, protocol.CodeLens{Command: c})
	}
	return lenses, err
}

// specShownIn is the version of a specification that a document is about, 0 being the latest; false for any other document.
func (ls *lenses) specShownIn(u uri.URI) (folder editor.Folder, version int, is bool) {
	folders := ls.folders.Current()
	if path, isFile := editor.FilePath(u); isFile {
		folder, err := editor.FolderOf(editor.OnDisk(folders), string(u))
		if err != nil {
			return folder, 0, false
		}
		within, _ := editor.Relative(folder, path)
		return folder, 0, within == specFile
	}
	place, named := splitFolder(string(u))
	parts := specPlace.FindStringSubmatch(place)
	if parts == nil {
		return folder, 0, false
	}
	folder, err := editor.ChooseFolder(folders, named, "")
	return folder, versionOf(parts[1]), err == nil
}

// specCommands lead from a specification to what has changed in it, and from its file to the next version: what the file says is
// what must hold then.
func (ls *lenses) specCommands(shown uri.URI, folder editor.Folder, version int) (commands []protocol.Command, err error) {
	add := func(title, name string, args any) {
		c, failed := commandOf(title, name, args)
		commands, err = append(commands, c), errors.Join(err, failed)
	}
	if version > 1 {
		add(fmt.Sprintf("changes since v%d", version-1), api.ShowDocument,
			api.ShowDocumentArgs{URI: string(addressOf(ls.folders, folder, "spec/%d..%d", version-1, version))})
	}
	if _, isFile := editor.FilePath(shown); isFile {
		title := "bring up to date"
		if version == 0 {
			title = "generate a specification"
		}
		add(title, api.GenerateSpec, api.GenerateSpecArgs{Scope: &api.Scope{URI: string(shown)}})
	}
	return commands, err
}

func commandOf(title, name string, args any) (protocol.Command, error) {
	encoded, err := protocol.Marshal(args)
	if err != nil {
		return protocol.Command{}, fmt.Errorf("encode the command %q: %w", title, err)
	}
	return protocol.Command{Title: title, Command: name, Arguments: []protocol.LSPAny{encoded}}, nil
}

// resolveLens answers codeLens/resolve.
func (ls *lenses) resolveLens(ctx context.Context, lens *protocol.CodeLens) (*protocol.CodeLens, error) {
	var data lensData
	if len(lens.Data) == 0 || (transport.Codec{}).Unmarshal(lens.Data, &data) != nil || data.Version < 1 {
		return nil, transport.InvalidParams("data: this is no lens of Forge's")
	}
	if ls.standings == nil {
		return nil, editor.ErrNoEngine
	}
	folder, err := ls.folders.Choose(data.Folder)
	if err != nil {
		return nil, err
	}
	standing, err := ls.standings.SpecStanding(ctx, folder.Path, data.Version)
	if err != nil {
		return nil, answerable(err)
	}
	resolved := *lens
	resolved.Command, err = commandOf(standingTitle(standing), api.ShowDocument,
		api.ShowDocumentArgs{URI: string(addressOf(ls.folders, folder, "spec/%d", standing.Version))})
	return &resolved, err
}

// standingTitle is "v7 · 3 rules unmet"; if no work on a version was reviewed, it is the version's number.
func standingTitle(s history.SpecStanding) string {
	title := fmt.Sprintf("v%d", s.Version)
	switch {
	case !s.Reviewed:
		return title
	case s.Unmet == 0:
		return title + " · no rule unmet"
	case s.Unmet == 1:
		return title + " · 1 rule unmet"
	}
	return fmt.Sprintf("%s · %d rules unmet", title, s.Unmet)
}
