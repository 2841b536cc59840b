package route

import (
	"cmp"
	_ "embed" // of families.json
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"forge/engine/config"
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

// installed is an installed model.
type installed struct {
	provider config.Provider
	offer    Offer
	kin      Kin
}

// preferredClass is the best class for each tier.
var preferredClass = map[llm.Tier]Class{
	llm.Reasoning: Reasoner, llm.Generation: Code, llm.Summarisation: General, llm.Classification: Small,
}

// bestFit returns the best replacement among the installed models: of the same family, of the same class, fit for the
// work, large, with a large context. The choice does not depend on the order. ok is false without a model that produces
// text. An empty wanted asks for any model that suits the tier.
func bestFit(wanted string, tier llm.Tier, there []installed) (best installed, ok bool) {
	able := slices.DeleteFunc(slices.Clone(there), func(m installed) bool { return !m.kin.Chat })
	if len(able) == 0 {
		return installed{}, false
	}
	kin := Classify(wanted)
	if kin.Family == "" {
		kin.Class = preferredClass[tier]
	}
	return slices.MinFunc(able, func(a, b installed) int {
		return cmp.Or(
			more(a.sameFamily(kin), b.sameFamily(kin)),
			cmp.Compare(b.alike(wanted), a.alike(wanted)),
			more(a.kin.Class == kin.Class, b.kin.Class == kin.Class),
			cmp.Compare(a.place(tier), b.place(tier)),
			cmp.Compare(b.kin.Size, a.kin.Size),
			cmp.Compare(b.kin.Window, a.kin.Window),
			cmp.Compare(a.offer.ID, b.offer.ID),
			cmp.Compare(a.provider.Name, b.provider.Name),
		)
	}), true
}

// more orders true before false.
func more(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func (m installed) sameFamily(k Kin) bool { return k.Family != "" && m.kin.Family == k.Family }

// alike counts the common leading words of both names, among models of one family.
func (m installed) alike(wanted string) int {
	if Classify(wanted).Family != m.kin.Family || m.kin.Family == "" {
		return 0
	}
	mine, theirs := wordsOf(m.offer.ID), wordsOf(wanted)
	n := 0
	for n < len(mine) && n < len(theirs) && mine[n] == theirs[n] {
		n++
	}
	return n
}

// place returns the rank of the tier among those the model is fit for; last if it is not.
func (m installed) place(tier llm.Tier) int {
	if i := slices.Index(m.kin.Roles, tier); i >= 0 {
		return i
	}
	return len(m.kin.Roles) + 10
}

// isInstalled finds a model by its name, as servers accept it: Ollama's "llama3" is "llama3:latest".
func isInstalled(wanted string, offers []Offer) (Offer, bool) {
	for _, same := range []func(id string) bool{
		func(id string) bool { return id == wanted || id == wanted+":latest" || id+":latest" == wanted },
		func(id string) bool { return strings.EqualFold(id, wanted) },
	} {
		if i := slices.IndexFunc(offers, func(o Offer) bool { return same(o.ID) }); i >= 0 {
			return offers[i], true
		}
	}
	return Offer{}, false
}
