package api

import (
	"fmt"
	"strings"

	"forge/engine/execution"
	"forge/engine/llm"
)

// ContextArgs ask for the context of a request in a folder, as search finds it; with Node, for the whole prompt of that node in a run.
type ContextArgs struct {
	Text   string   `json:"text,omitempty" doc:"the request, in plain words; files about it come first"`
	Open   []string `json:"open,omitempty" doc:"URIs of open files, the active one first; related files come first. With node, the first is the document in scope"`
	Budget int      `json:"budget,omitempty" doc:"limit of tokens, 8000 by default; not with node, which has the budget of its model"`
	Folder string   `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the first open file, or the only one"`
	Node   string   `json:"node,omitempty" doc:"a node of a run, such as orchestrator, spec or executor: returns its whole prompt in the run that forge.run would start, with the mode and the domain of the client's settings"`
	Recipe string   `json:"recipe,omitempty" doc:"with node: recipe of the run, as of forge.run, or spec"`
}

// PromptResult is the first request of a node, byte for byte as a model would receive it.
type PromptResult struct {
	URI       string          `json:"uri,omitempty" doc:"URI of the document that shows it in this session; it is recomputed when it is opened"`
	Node      string          `json:"node"`
	Model     string          `json:"model,omitempty" doc:"missing if no model can be chosen"`
	Hash      string          `json:"hash" doc:"hash of the messages; the same snapshot and request give the same hash"`
	Tokens    int             `json:"tokens" doc:"estimated: bytes divided by four"`
	Budget    int             `json:"budget" doc:"limit of tokens"`
	MaxTokens int             `json:"maxTokens" doc:"limit of the answer"`
	Redacted  bool            `json:"redacted,omitempty" doc:"secrets were replaced by placeholders after the hash was computed"`
	Sections  []PromptSection `json:"sections" doc:"in the order of the messages"`
	Messages  []PromptMessage `json:"messages"`
}

// PromptSection describes one section of a prompt.
type PromptSection struct {
	Kind     string `json:"kind" doc:"role, output, mode, rule, guides, map, lessons, request, targets, dependencies, interfaces, explored or errors"`
	Name     string `json:"name"`
	Source   string `json:"source,omitempty" doc:"origin of its text"`
	Tokens   int    `json:"tokens"`
	Cut      bool   `json:"cut,omitempty" doc:"it was shortened to fit the budget"`
	Data     bool   `json:"data,omitempty" doc:"it is fenced as data"`
	Stable   bool   `json:"stable,omitempty" doc:"it is before the cache mark"`
	Injected string `json:"injected,omitempty" doc:"a phrase in it that looks like a prompt injection"`
}

// PromptMessage is a message of a request.
type PromptMessage struct {
	Role   string `json:"role"`
	Stable bool   `json:"stable,omitempty" doc:"the cache mark is at its end"`
	Text   string `json:"text"`
}

// SkillsArgs filter skills.
type SkillsArgs struct {
	InFolder
	Type string `json:"type,omitempty" doc:"kind of work: the skill with this name, or those whose category begins with it; without it all"`
}

// SkillsResult lists skills.
type SkillsResult struct {
	Skills    []Skill        `json:"skills" doc:"by name"`
	Problems  []SkillProblem `json:"problems" doc:"skill files that cannot be used"`
	Untrusted bool           `json:"untrusted,omitempty" doc:"the folder is not trusted, so its own skills are not read"`
}

// Skill describes how to do a kind of work; it is stored in a file.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Category    string `json:"category,omitempty"`
	Source      string `json:"source" doc:"path of its file"`
}

// SkillProblem is a skill file that cannot be used.
type SkillProblem struct {
	Source string `json:"source"`
	Reason string `json:"reason"`
}

// PromptOf converts a preview to the wire.
func PromptOf(p execution.Preview) PromptResult {
	return PromptResult{
		Node: p.Node, Model: p.Model, Hash: p.Manifest.Hash, Tokens: p.Manifest.Tokens, Budget: p.Manifest.Budget,
		MaxTokens: p.Request.MaxTokens, Redacted: p.Redacted,
		Sections: promptSections(p.Manifest),
		Messages: List(p.Request.Messages, func(m llm.Message) PromptMessage {
			return PromptMessage{Role: string(m.Role), Stable: m.Stable, Text: m.Text}
		}),
	}
}

func promptSections(m llm.Manifest) []PromptSection {
	return List(m.Parts, func(p llm.Part) PromptSection { return PromptSection(p) })
}

// Document formats the prompt for display: the sections with their tokens, then the messages byte for byte.
func (p PromptResult) Document() string {
	var text strings.Builder
	to := ""
	if p.Model != "" {
		to = " to " + p.Model
	}
	fmt.Fprintf(&text, "%s%s, hash %s: %d of %d tokens, at most %d for the answer\n\n tokens  kind         section\n", p.Node, to, p.Hash, p.Tokens, p.Budget, p.MaxTokens)
	for _, s := range p.Sections {
		fmt.Fprintf(&text, "%7d  %-12s %s  %s\n", s.Tokens, s.Kind, s.Name, strings.Join(s.notes(), ", "))
	}
	for i, m := range p.Messages {
		mark := ""
		if m.Stable {
			mark = "; up to its end the same in further attempts"
		}
		fmt.Fprintf(&text, "\n──── message %d, from the %s%s ────\n%s\n", i+1, m.Role, mark, m.Text)
	}
	return text.String()
}

func (s PromptSection) notes() (notes []string) {
	if s.Cut {
		notes = append(notes, "cut to fit")
	}
	if s.Stable {
		notes = append(notes, "stable")
	}
	if s.Data {
		notes = append(notes, "data")
	}
	if s.Source != "" && s.Source != s.Name {
		notes = append(notes, "from "+s.Source)
	}
	return notes
}
