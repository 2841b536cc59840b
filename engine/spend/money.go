package spend

import "forge/engine/llm"

// micro is how many millionths a dollar has.
const micro = 1_000_000

// Micro is an amount of dollars in millionths, rounded to the nearest one.
func Micro(usd float64) int64 { return int64(usd*micro + 0.5) }

func dollars(amount int64) string { return llm.Cost{MicroUSD: amount}.String() }
