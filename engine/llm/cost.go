package llm

import "fmt"

// Cost is an amount of money.
type Cost struct {
	MicroUSD int64 `json:",omitempty"` // millionths of a US dollar, rounded up
	Unpriced bool  `json:",omitempty"` // a part has no known price, and is not in MicroUSD
}

// Add returns the sum of both.
func (c Cost) Add(o Cost) Cost { return Cost{c.MicroUSD + o.MicroUSD, c.Unpriced || o.Unpriced} }

// String returns the amount for users: $12.50, $0.07, $0.0004; with a note if a part has no known price.
func (c Cost) String() string {
	switch {
	case c.Unpriced && c.MicroUSD == 0:
		return "unknown price"
	case c.Unpriced:
		return dollars(c.MicroUSD) + " + unknown price"
	}
	return dollars(c.MicroUSD)
}

const microPerCent = 10_000

// dollars rounds up, so that nothing seems cheaper than it is.
func dollars(amount int64) string {
	if amount > 0 && amount < microPerCent {
		return fmt.Sprintf("$0.%04d", (amount+99)/100)
	}
	cents := (amount + microPerCent - 1) / microPerCent
	return fmt.Sprintf("$%d.%02d", cents/100, cents%100)
}
