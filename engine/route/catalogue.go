package route

import (
	_ "embed" // of families.json
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"forge/engine/llm"
)

// Class is the purpose of a family of models.
type Class string

// The classes.
const (
	Code         Class = "code"
	General      Class = "general"
	Reasoner     Class = "reasoning"
	Small        Class = "small"
	Multilingual Class = "multilingual"
)

// Family is a family of models for users' own machines, as its makers describe it.
type Family struct {
	Name  string     `json:"family"`
	Match []string   `json:"match"` // words of a model's name, in order: see matches
	Class Class      `json:"class"`
	Roles []llm.Tier `json:"roles"` // the tiers it is fit for, the best first
	// ContextTokens is the limit of a request and its answer together, unless a release has another.
	ContextTokens int       `json:"contextTokens"`
	Releases      []Release `json:"releases"`
}

// Release is a version of a family with another context.
type Release struct {
	Match         string `json:"match"`
	ContextTokens int    `json:"contextTokens"`
}

//go:embed families.json
var familiesJSON []byte

// families is the catalogue.
var families = sync.OnceValue(func() []Family {
	var all []Family
	if err := json.Unmarshal(familiesJSON, &all); err != nil {
		panic(fmt.Sprintf("route: families.json: %v", err)) // it is part of the program
	}
	return all
})

// Kin is what a model's name reveals.
type Kin struct {
	Family string // empty if it is not in the catalogue
	Class  Class
	Roles  []llm.Tier
	Window int     // tokens; 0 if unknown
	Size   float64 // thousand millions of parameters; 0 if unknown
	Chat   bool    // it produces text, unlike models for embeddings, ranking or speech
}

// Classify returns what the installed name of a model reveals: "qwen2.5-coder:7b",
// "meta-llama/Llama-3.1-8B-Instruct", "starcoder2-15b.Q4_K_M.gguf".
func Classify(model string) Kin {
	words := wordsOf(model)
	kin := Kin{Size: sizeOf(model), Chat: !slices.ContainsFunc(words, silent)}
	best := fit{}
	for _, family := range families() {
		for _, pattern := range family.Match {
			if found, ok := matches(pattern, words); ok && found.better(best) {
				best = found
				kin.Family, kin.Class, kin.Roles = family.Name, family.Class, family.Roles
				kin.Window = family.window(words)
			}
		}
	}
	if stated := statedWindow(words); stated > 0 {
		kin.Window = stated
	}
	return kin
}

func (f Family) window(words []string) int {
	best, window := fit{}, f.ContextTokens
	for _, release := range f.Releases {
		if found, ok := matches(release.Match, words); ok && found.better(best) {
			best, window = found, release.ContextTokens
		}
	}
	return window
}

// silent reports whether a word marks models without text output.
func silent(word string) bool {
	return slices.Contains([]string{
		"embed", "embedding", "embeddings", "bge", "minilm", "e5", "gte", "reranker", "rerank", "whisper", "tts", "clip",
	}, word)
}
