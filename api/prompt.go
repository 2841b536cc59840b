package api

import (
	"fmt"
	"strings"

	"forge/engine"
	"forge/engine/execution"
	"forge/engine/llm"
	"forge/engine/prompt"
)

// ContextArgs ask for what a model would see for a request: of a folder, as search finds it, or with a node all that it would
// be sent in a run.
type ContextArgs struct {
	Text   string   `json:"text,omitempty" doc:"the request, in plain words: what it is about comes first"`
	Open   []string `json:"open,omitempty" doc:"URIs of open files, the one in front first: what belongs to them comes first"`
	Budget int      `json:"budget,omitempty" doc:"tokens at most; 8000 without it. A node has the budget of its model"`
	Folder string   `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the first open file, or the only one"`
	Node   string   `json:"node,omitempty" doc:"a node of a run, such as orchestrator, spec or executor: the result has its whole prompt"`
	Recipe string   `json:"recipe,omitempty" doc:"of the run, with a node"`
}

// PromptResult is the first request of a node, byte for byte as a model would be sent it.
type PromptResult struct {
	URI       string          `json:"uri,omitempty" doc:"of the document that shows it in this session, as it is whenever it is opened"`
	Node      string          `json:"node"`
	Model     string          `json:"model,omitempty" doc:"none when none can be chosen"`
	Hash      string          `json:"hash" doc:"of the messages; the same snapshot and request have the same"`
	Tokens    int             `json:"tokens" doc:"estimated: bytes divided by four"`
	Budget    int             `json:"budget" doc:"what they could have been"`
	MaxTokens int             `json:"maxTokens" doc:"of the answer"`
	Redacted  bool            `json:"redacted,omitempty" doc:"something secret was replaced by marks after the hash was made"`
	Sections  []PromptSection `json:"sections" doc:"in the order in which they stand in the messages"`
	Messages  []PromptMessage `json:"messages"`
}

// PromptSection is what one section of a prompt costs.
type PromptSection struct {
	Kind     string `json:"kind" doc:"role, output, mode, rule, guides, map, lessons, request, targets, dependencies, interfaces, explored or errors"`
	Name     string `json:"name"`
	Source   string `json:"source,omitempty" doc:"where its text is from"`
	Tokens   int    `json:"tokens"`
	Cut      bool   `json:"cut,omitempty" doc:"it was shortened to fit"`
	Data     bool   `json:"data,omitempty" doc:"it stands in a fence"`
	Stable   bool   `json:"stable,omitempty" doc:"it stands before the mark for caches"`
	Injected string `json:"injected,omitempty" doc:"a phrase of it that reads as if it instructed a model"`
}

// PromptMessage is a message of a request.
type PromptMessage struct {
	Role   string `json:"role"`
	Stable bool   `json:"stable,omitempty" doc:"the mark for caches stands at its end"`
	Text   string `json:"text"`
}

// SkillsArgs ask for skills.
type SkillsArgs struct {
	InFolder
	Type string `json:"type,omitempty" doc:"a kind of work: the skill of that name, or those whose category begins so; without it all"`
}

// SkillsResult lists skills.
type SkillsResult struct {
	Skills    []Skill        `json:"skills" doc:"by name"`
	Problems  []SkillProblem `json:"problems" doc:"files that are no skills"`
	Untrusted bool           `json:"untrusted,omitempty" doc:"the folder is not trusted, so that its own skills are not read"`
}

// Skill is knowledge of how work is done, in a file.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Category    string `json:"category,omitempty"`
	Source      string `json:"source" doc:"its file"`
}

// SkillProblem is a file that is no skill.
type SkillProblem struct {
	Source string `json:"source"`
	Reason string `json:"reason"`
}

// PromptOf returns a preview as it goes over the wire.
func PromptOf(p execution.Preview) PromptResult {
	return PromptResult{
		Node: p.Node, Model: p.Model, Hash: p.Manifest.Hash, Tokens: p.Manifest.Tokens, Budget: p.Manifest.Budget,
		MaxTokens: p.Request.MaxTokens, Redacted: p.Redacted,
		Sections: promptSections(p.Manifest),
		Messages: list(p.Request.Messages, func(m llm.Message) PromptMessage {
			return PromptMessage{Role: string(m.Role), Stable: m.Stable, Text: m.Text}
		}),
	}
}

func promptSections(m llm.Manifest) []PromptSection {
	return list(m.Parts, func(p llm.Part) PromptSection { return PromptSection(p) })
}

// SkillsOf returns skills as they go over the wire: those for a kind of work, or all where it is empty.
func SkillsOf(found engine.Skills, kind string) SkillsResult {
	all := found.All
	if kind != "" {
		all = prompt.MatchSkills(all, kind)
	}
	return SkillsResult{
		Skills: list(all, func(s prompt.Skill) Skill {
			return Skill{Name: s.Name, Description: s.Description, Category: s.Category, Source: s.Source}
		}),
		Problems:  list(found.Problems, func(p prompt.SkillProblem) SkillProblem { return SkillProblem(p) }),
		Untrusted: found.Untrusted,
	}
}

// Document is a prompt as people read it: what it is made of, with the tokens of each section, then what is sent, byte for byte.
func (p PromptResult) Document() string {
	var text strings.Builder
	to := ""
	if p.Model != "" {
		to = " to " + p.Model
	}
	fmt.Fprintf(&text, "%s%s, hash %s: %d of %d tokens, and at most %d for the answer\n\n tokens  kind         section\n", p.Node, to, p.Hash, p.Tokens, p.Budget, p.MaxTokens)
	for _, s := range p.Sections {
		fmt.Fprintf(&text, "%7d  %-12s %s  %s\n", s.Tokens, s.Kind, s.Name, strings.Join(s.notes(), ", "))
	}
	for i, m := range p.Messages {
		mark := ""
		if m.Stable {
			mark = ", and up to its end the same in further attempts"
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
