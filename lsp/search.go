package lsp

import (
	"context"
	"strings"

	"forge/lsp/document"
	"forge/lsp/transport"

	"go.lsp.dev/uri"

	"forge/api"
	"forge/codeintel/imports"
)

// What commands get that do not say it, and at most.
const (
	maxHits        = 200
	defaultBudget  = 8000 // tokens
	maxBudget      = 1_000_000
	maxImportDepth = 8
	excerptLines   = 3
	excerptWidth   = 200 // characters of a line
)

// finder answers what looks at whole folders. It owns nothing, and may call the surveys and, for the prompt of a node, prompts.
type finder struct {
	surveys *surveys
	folders *folders
	prompts *prompts
}

func (fi *finder) commands() commands {
	return commands{
		api.Search: handler(fi.search), api.RepoMap: handler(fi.repoMap), api.Context: handler(fi.context), api.Imports: handler(fi.imports),
	}
}

// search answers forge.search.
func (fi *finder) search(ctx context.Context, a *api.SearchArgs) (api.SearchResult, error) {
	if strings.TrimSpace(a.Text) == "" && len(a.Open) == 0 {
		return api.SearchResult{}, transport.InvalidParams("text: say in plain words what to look for, or name a file in open")
	}
	q, folder, err := fi.folders.query(a.Text, a.Open, a.Folder)
	if err != nil {
		return api.SearchResult{}, err
	}
	q.Limit = min(a.Limit, maxHits)
	known, err := fi.surveys.of(ctx, folder)
	if err != nil {
		return api.SearchResult{}, err
	}
	answer, err := known.Search(ctx, q)
	if err != nil {
		return api.SearchResult{}, err
	}
	return fi.wireAnswer(folder, a.Text, answer), nil
}

// repoMap answers forge.repoMap.
func (fi *finder) repoMap(ctx context.Context, a *api.PackArgs) (api.MapResult, error) {
	q, folder, err := fi.folders.query(a.Text, a.Open, a.Folder)
	if err != nil {
		return api.MapResult{}, err
	}
	known, err := fi.surveys.of(ctx, folder)
	if err != nil {
		return api.MapResult{}, err
	}
	complete, budget := known.Status().Complete, budgetOf(a.Budget)
	m, err := known.Map(ctx, q, budget)
	if err != nil {
		return api.MapResult{}, err
	}
	return api.MapResult{
		Folder: string(folder.URI), Complete: complete, Text: m.Text, Tokens: m.Tokens, Budget: budget, Files: list(m.Files),
	}, nil
}

// context answers forge.context.
func (fi *finder) context(ctx context.Context, a *api.ContextArgs) (api.ContextResult, error) {
	if a.Node != "" {
		return fi.prompts.prompt(ctx, a)
	}
	q, folder, err := fi.folders.query(a.Text, a.Open, a.Folder)
	if err != nil {
		return api.ContextResult{}, err
	}
	known, err := fi.surveys.of(ctx, folder)
	if err != nil {
		return api.ContextResult{}, err
	}
	complete, budget := known.Status().Complete, budgetOf(a.Budget)
	pack, err := known.Context(ctx, q, budget)
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
			section.URI = string(fi.folders.uriOf(folder, s.Path))
		}
		result.Sections = append(result.Sections, section)
	}
	return result, nil
}

func budgetOf(asked int) int {
	if asked == 0 {
		return defaultBudget
	}
	return min(asked, maxBudget)
}

// imports answers forge.imports.
func (fi *finder) imports(ctx context.Context, a *api.ImportsArgs) (api.ImportsResult, error) {
	document := a.URI
	if document == "" {
		open := fi.folders.docs.Snapshot()
		if len(open) != 1 {
			return api.ImportsResult{}, transport.InvalidParams("uri: name the file; %d are open", len(open))
		}
		document = string(open[0].URI)
	}
	folder, err := folderOf(onDisk(fi.folders.current()), document)
	if err != nil {
		return api.ImportsResult{}, transport.InvalidParams("uri: %q is not a file in an open folder", document)
	}
	path, _ := pathIn(folder, document)
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

// pathIn is the path of a document in a folder, and false if it is not inside.
func pathIn(folder Folder, file string) (string, bool) {
	path, _ := document.FilePath(uri.URI(file))
	return relative(folder, path)
}
