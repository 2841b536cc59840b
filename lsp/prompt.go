package lsp

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/lsp/editor"
	"forge/lsp/index"
	"forge/lsp/transport"
)

// prompts shows what models are sent. It owns the requests of which a prompt was composed, and may call the engine's composer.
type prompts struct {
	engine   service.Prompts
	folders  *editor.Folders
	settings *settings
	composed composed
}

// prompt is the whole prompt of a node, for forge.context: that of the run which forge.run would start now.
func (pr *prompts) prompt(ctx context.Context, a *api.ContextArgs) (api.ContextResult, error) {
	p, folder, err := pr.compose(ctx, a)
	if err != nil {
		return api.ContextResult{}, err
	}
	again := *a
	again.Folder = string(folder.URI)
	pr.composed.add(p.Hash, again)
	p.URI = documentScheme + "://prompt/" + p.Hash
	return api.ContextResult{
		Folder: string(folder.URI), Complete: true, Tokens: p.Tokens, Budget: p.Budget,
		Sections: []api.ContextSection{}, Left: []string{}, Prompt: &p,
	}, nil
}

// compose composes the prompt of a node, and returns its folder.
func (pr *prompts) compose(ctx context.Context, a *api.ContextArgs) (api.PromptResult, editor.Folder, error) {
	if strings.TrimSpace(a.Text) == "" {
		return api.PromptResult{}, editor.Folder{}, transport.InvalidParams("Describe the task, to see the prompt of %s.", a.Node)
	}
	if a.Budget != 0 {
		return api.PromptResult{}, editor.Folder{}, &api.ArgumentError{Field: "budget", Problem: "a node has the budget of its model; leave it out"}
	}
	if pr.engine == nil {
		return api.PromptResult{}, editor.Folder{}, editor.ErrNoEngine
	}
	q, folder, err := index.Query(pr.folders, a.Text, a.Open, a.Folder)
	if err != nil {
		return api.PromptResult{}, folder, err
	}
	request := engine.Request{Task: a.Text, Recipe: recipeOf(a.Recipe), Snapshot: pr.folders.Freeze(folder)}
	if err := pr.settings.await(ctx); err != nil {
		return api.PromptResult{}, folder, err
	}
	request = pr.settings.modeFor(&api.RunArgs{}, request)
	if len(q.Open) > 0 {
		request.Focus.Path = q.Open[0]
	}
	shown, err := service.Prompt(ctx, pr.engine, request, a.Node, "")
	return shown, folder, err
}

// composed are requests of which a prompt was composed in this session, by the hash that it had.
type composed struct {
	mu  sync.Mutex
	all map[string]api.ContextArgs // guarded by mu
	old []string                   // hashes, the oldest first; guarded by mu
}

// composedKept is how many of them can be opened as documents.
const composedKept = 64

func (c *composed) add(hash string, a api.ContextArgs) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[string]api.ContextArgs{}
	}
	if _, known := c.all[hash]; !known {
		c.old = append(c.old, hash)
	}
	c.all[hash] = a
	if len(c.old) > composedKept {
		delete(c.all, c.old[0])
		c.old = c.old[1:]
	}
}

func (c *composed) find(hash string) (api.ContextArgs, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, known := c.all[hash]
	return a, known
}

// composedDocument is what a node would be sent first for a request of this session, composed on each request.
func (pg *pages) composedDocument(_ string, parts []string) ownDocument {
	return ownDocument{
		file: "prompt-" + parts[0] + ".txt", name: "the prompt " + parts[0],
		text: func(ctx context.Context) (string, error) {
			a, known := pg.prompts.composed.find(parts[0])
			if !known {
				return "", transport.InvalidParams("The prompt %s was not composed in this session. Compose it again.", parts[0])
			}
			p, _, err := pg.prompts.compose(ctx, &a)
			return p.Document(), err
		},
	}
}

// sentDocument is what a node of a run has asked models in one of its attempts.
func (pg *pages) sentDocument(_ string, parts []string) ownDocument {
	run, node, number := parts[0], parts[1], parts[2]
	return ownDocument{
		file: "prompt-" + strings.ReplaceAll(strings.Join(parts, "-"), "/", "-") + ".txt", name: fmt.Sprintf("what %s of run %s sent in attempt %s", node, run, number),
		text: func(ctx context.Context) (string, error) {
			if pg.prompts.engine == nil {
				return "", editor.ErrNoEngine
			}
			attempt, err := strconv.Atoi(number)
			if err != nil {
				return "", transport.InvalidParams("uri: %q is no number of an attempt", number)
			}
			sent, err := pg.prompts.engine.Sent(ctx, run, node, attempt)
			if err != nil {
				return "", err
			}
			var text strings.Builder
			for i, p := range sent {
				if len(sent) > 1 {
					fmt.Fprintf(&text, "%sCall %d of %d\n\n", separator(i), i+1, len(sent))
				}
				text.WriteString(api.PromptOf(p).Document())
			}
			return text.String(), nil
		},
	}
}

func separator(i int) string {
	if i == 0 {
		return ""
	}
	return "\n" + strings.Repeat("═", 72) + "\n\n"
}
