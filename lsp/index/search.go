package index

import (
	"cmp"
	"context"
	"strings"

	"forge/api"
	"forge/api/service"
	"forge/codeintel/imports"
	"forge/codeintel/search"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// The defaults of commands, and their limits.
const (
	maxHits        = 200
	maxBudget      = 1_000_000 // tokens
	maxImportDepth = 8
	excerptWidth   = 200 // characters of a line
)

// Finder answers what looks at whole folders. It owns nothing, and may call the surveys and what composes prompts.
type Finder struct {
	surveys *Surveys
	folders *editor.Folders
	prompt  func(ctx context.Context, a *api.ContextArgs) (api.ContextResult, error) // that of a node
}

// NewFinder returns a finder; prompt answers for the prompt of a node.
func NewFinder(s *Surveys, f *editor.Folders, prompt func(ctx context.Context, a *api.ContextArgs) (api.ContextResult, error)) *Finder {
	return &Finder{surveys: s, folders: f, prompt: prompt}
}

// Commands are those that search folders.
func (fi *Finder) Commands() editor.Commands {
	return editor.Commands{
		api.Search: editor.Handler(fi.search), api.RepoMap: editor.Handler(fi.repoMap), api.Context: editor.Handler(fi.context), api.Imports: editor.Handler(fi.imports),
	}
}

// search answers forge.search.
func (fi *Finder) search(ctx context.Context, a *api.SearchArgs) (api.SearchResult, error) {
	if strings.TrimSpace(a.Text) == "" && len(a.Open) == 0 {
		return api.SearchResult{}, transport.InvalidParams("text: say in plain words what to look for, or name a file in open")
	}
	q, folder, err := Query(fi.folders, a.Text, a.Open, a.Folder)
	if err != nil {
		return api.SearchResult{}, err
	}
	q.Limit = min(a.Limit, maxHits)
	known, err := fi.surveys.of(ctx, folder)
	if err != nil {
		return api.SearchResult{}, err
	}
	found, err := service.Search(ctx, known, fi.folders.Served(folder), q)
	if err != nil {
		return api.SearchResult{}, err
	}
	return fi.wireAnswer(folder, found), nil
}

// repoMap answers forge.repoMap.
func (fi *Finder) repoMap(ctx context.Context, a *api.PackArgs) (api.MapResult, error) {
	q, folder, err := Query(fi.folders, a.Text, a.Open, a.Folder)
	if err != nil {
		return api.MapResult{}, err
	}
	known, err := fi.surveys.of(ctx, folder)
	if err != nil {
		return api.MapResult{}, err
	}
	q.Budget = min(a.Budget, maxBudget)
	return service.Map(ctx, known, fi.folders.Served(folder), q)
}

// context answers forge.context.
func (fi *Finder) context(ctx context.Context, a *api.ContextArgs) (api.ContextResult, error) {
	if a.Node != "" {
		return fi.prompt(ctx, a)
	}
	q, folder, err := Query(fi.folders, a.Text, a.Open, a.Folder)
	if err != nil {
		return api.ContextResult{}, err
	}
	known, err := fi.surveys.of(ctx, folder)
	if err != nil {
		return api.ContextResult{}, err
	}
	complete, budget := known.Status().Complete, budgetOf(a.Budget)
	pack, err := known.Context(ctx, search.Query{Text: q.Text, Open: q.Open}, budget)
	if err != nil {
		return api.ContextResult{}, err
	}
	result := api.ContextResult{
		Folder: string(folder.URI), Complete: complete, Tokens: pack.Tokens, Budget: budget,
		Sections: []api.ContextSection{}, Left: list(pack.Left),
	}
	for _, s := range pack.Sections {
		section := api.ContextSection{Name: s.Name, Path: s.Path, How: string(s.How), Tokens: s.Tokens, Text: s.Text}
		if s.Path != "" {
			section.URI = string(fi.folders.URIOf(folder, s.Path))
		}
		result.Sections = append(result.Sections, section)
	}
	return result, nil
}

func budgetOf(asked int) int { return min(cmp.Or(asked, service.DefaultBudget), maxBudget) }

// imports answers forge.imports.
func (fi *Finder) imports(ctx context.Context, a *api.ImportsArgs) (api.ImportsResult, error) {
	document := a.URI
	if document == "" {
		open := fi.folders.Docs.Snapshot()
		if len(open) != 1 {
			return api.ImportsResult{}, transport.InvalidParams("uri: name the file; %d are open", len(open))
		}
		document = string(open[0].URI)
	}
	folder, err := editor.FolderOf(editor.OnDisk(fi.folders.Current()), document)
	if err != nil {
		return api.ImportsResult{}, transport.InvalidParams("uri: %q is not a file in an open folder", document)
	}
	path, _ := editor.PathIn(folder, document)
	known, err := fi.surveys.of(ctx, folder)
	if err != nil {
		return api.ImportsResult{}, err
	}
	depth := min(a.Depth, maxImportDepth)
	if depth == 0 {
		depth = imports.DefaultDepth
	}
	complete := known.Status().Complete
	found, err := known.Imports(ctx, path, depth)
	if err != nil {
		return api.ImportsResult{}, err
	}
	return api.ImportsResult{
		Folder: string(folder.URI), Complete: complete, Path: path,
		Direct: list(found.Direct), Transitive: list(found.Transitive), Downstream: list(found.Downstream),
	}, nil
}

// Query makes a query of the arguments, and chooses the folder it is about. Open files outside of it do not
// matter.
func Query(f *editor.Folders, text string, open []string, named string) (service.Query, editor.Folder, error) {
	folder, err := f.FolderFor(named, open)
	if err != nil {
		return service.Query{}, editor.Folder{}, err
	}
	q := service.Query{Text: text}
	for _, document := range open {
		if path, inside := editor.PathIn(folder, document); inside {
			q.Open = append(q.Open, path)
		}
	}
	return q, folder, nil
}
