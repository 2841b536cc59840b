package route

import (
	"cmp"
	"slices"
	"strings"

	"forge/engine/config"
	"forge/engine/llm"
)

// installed is a model that is there.
type installed struct {
	provider config.Provider
	offer    Offer
	kin      Kin
}

// preferredClass is what a tier is best served by.
var preferredClass = map[llm.Tier]Class{
	llm.Reasoning: Reasoner, llm.Generation: Code, llm.Summarisation: General, llm.Classification: Small,
}

// bestFit chooses, of what is there, what stands in best for a model that is not: of its family, of its class, fit for
// the work, large, with much context. The same models give the same choice, in any order. ok is false where nothing there
// answers at all. An empty wanted asks for whatever suits the tier.
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

// more puts what is true first.
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

// alike counts the words with which both names begin, among models of one family.
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

// place is where the tier stands among what the model is fit for; behind all where it does not.
func (m installed) place(tier llm.Tier) int {
	if i := slices.Index(m.kin.Roles, tier); i >= 0 {
		return i
	}
	return len(m.kin.Roles) + 10
}

// isInstalled finds a model by its name, as servers take it: Ollama's "llama3" is "llama3:latest".
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
