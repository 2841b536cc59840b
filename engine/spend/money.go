package spend

import (
	"fmt"

	"forge/engine/llm"
)

// micro is how many millionths a dollar has.
const micro = 1_000_000

// Format writes an amount as people read it: $12.50, $0.07, $0.0004; and says where a part of it has no known price.
func Format(c llm.Cost) string {
	switch {
	case c.Unpriced && c.MicroUSD == 0:
		return "unknown price"
	case c.Unpriced:
		return dollars(c.MicroUSD) + " + unknown price"
	}
	return dollars(c.MicroUSD)
}

// dollars rounds up, so that nothing looks cheaper than it is.
func dollars(amount int64) string {
	if amount > 0 && amount < micro/100 {
		up := (amount + 99) / 100
		return fmt.Sprintf("$0.%04d", up)
	}
	cents := (amount + micro/100 - 1) / (micro / 100)
	return fmt.Sprintf("$%d.%02d", cents/100, cents%100)
}

// Micro is an amount of dollars in millionths, rounded to the nearest one.
func Micro(usd float64) int64 { return int64(usd*micro + 0.5) }
