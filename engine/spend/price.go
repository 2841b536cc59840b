package spend

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"forge/engine/llm"
)

// Price is what tokens of a model cost, in millionths of a US dollar for a million tokens.
type Price struct {
	Input, Output, CacheRead, CacheWrite int64
	Batch                                int64 // thousandths of that for what is asked in batches
	// Date is the day on which Source said so, as 2026-01-31.
	Date, Source string
}

// Tariff is what is known of the costs of one model.
type Tariff struct {
	Price
	Free  bool // it runs on a machine of the user's
	Known bool // Price is the model's own; otherwise it is the highest one known
}

// Cost is what tokens cost, rounded up. Of an unknown model it has no amount.
func (t Tariff) Cost(u llm.Usage, batch bool) llm.Cost {
	switch {
	case t.Free:
		return llm.Cost{}
	case !t.Known:
		return llm.Cost{Unpriced: true}
	}
	return llm.Cost{MicroUSD: t.amount(u, batch)}
}

// most is what a call can cost within a bound: if the price is unknown, at the highest known one.
func (t Tariff) most(b Bound, batch bool) int64 {
	if t.Free {
		return 0
	}
	dear := t.Price
	dear.Input = max(dear.Input, dear.CacheRead, dear.CacheWrite)
	return dear.amount(llm.Usage{Input: b.Input, Output: b.Output}, batch)
}

func (p Price) amount(u llm.Usage, batch bool) int64 {
	u = plausible(u)
	sum := int64(u.Input)*p.Input + int64(u.Output)*p.Output + int64(u.CacheRead)*p.CacheRead + int64(u.CacheWrite)*p.CacheWrite
	amount := up(sum, micro)
	if batch {
		amount = up(amount*cmp.Or(p.Batch, 1000), 1000)
	}
	return amount
}

func up(n, by int64) int64 { return (n + by - 1) / by }

// most tokens that anybody is believed to have billed for one call.
const believable = 1 << 30

// plausible keeps numbers that a server made up from turning a cost around.
func plausible(u llm.Usage) llm.Usage {
	within := func(n int) int { return min(max(n, 0), believable) }
	return llm.Usage{
		Input: within(u.Input), Output: within(u.Output), CacheRead: within(u.CacheRead), CacheWrite: within(u.CacheWrite),
	}
}

// tokens is how many tokens were used, of whatever kind.
func tokens(u llm.Usage) int64 {
	u = plausible(u)
	return int64(u.Input) + int64(u.Output) + int64(u.CacheRead) + int64(u.CacheWrite)
}

// Prices are the prices of models.
type Prices struct{ entries []entry } // the first one that fits counts

// entry is the price of the models of a provider that match one of the patterns.
type entry struct {
	provider string
	models   []string
	price    Price
}

// Of is the tariff of a model, by the names that the settings and the provider have for it.
func (p Prices) Of(c llm.Candidate) Tariff {
	if c.Local {
		return Tariff{Free: true, Known: true}
	}
	for _, e := range p.entries {
		if e.fits(strings.ToLower(c.Provider), strings.ToLower(c.ID)) {
			return Tariff{Price: e.price, Known: true}
		}
	}
	return Tariff{Price: p.highest()}
}

func (e entry) fits(provider, model string) bool {
	return match(e.provider, provider) && slices.ContainsFunc(e.models, func(pattern string) bool { return match(pattern, model) })
}

// match reports whether a name matches a pattern as path.Match knows them, with a star that takes slashes too: models
// are named org/model.
func match(pattern, name string) bool {
	flat := func(s string) string { return strings.ReplaceAll(s, "/", "\x00") }
	matched, err := path.Match(flat(pattern), flat(name))
	return err == nil && matched
}

// highest returns the highest price of each kind.
func (p Prices) highest() (all Price) {
	for _, e := range p.entries {
		all.Input, all.Output = max(all.Input, e.price.Input), max(all.Output, e.price.Output)
		all.CacheRead, all.CacheWrite = max(all.CacheRead, e.price.CacheRead), max(all.CacheWrite, e.price.CacheWrite)
	}
	all.Batch = 1000
	return all
}

// micro is how many millionths a dollar has.
const micro = 1_000_000

// Micro is an amount of dollars in millionths, rounded to the nearest one.
func Micro(usd float64) int64 { return int64(usd*micro + 0.5) }

func dollars(amount int64) string { return llm.Cost{MicroUSD: amount}.String() }
