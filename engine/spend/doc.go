// Package spend knows what calls of models cost, stores what was spent, lets no run exceed its limits, and caches billed answers
// (Cache).
//
//	            Most(request)                       what the provider billed
//	                 │                                        │
//	Ledger.Reserve ──┴─► sent ─► answered ─► Ledger.Settle ───┘
//	     │                  └──► perhaps billed, unknown: stays reserved, or is charged at its most
//	     └─► would go past the limit: not sent
//
// Each attempt that goes on the wire is one row of the ledger. It is written before the attempt is sent, with the most it
// can cost, in a transaction that adds up everything of its run and of the runs that run began; the answer replaces the
// amount. So whatever dies in between, and however many branches ask at once, in however many processes:
//
// Invariant: the sum of what providers billed for a tree of runs never exceeds its limits, as far as a call costs no
// more than Most says. What Most counts on is written down there.
package spend
