package route

import (
	"cmp"
	"slices"
	"strings"

	"forge/engine/config"
	"forge/engine/llm"
)

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
