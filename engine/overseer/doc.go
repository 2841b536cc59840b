// Package overseer judges the attempts of a run: whether they make progress, if not, why, and what they teach. It is pure: it reads gate reports
// and edits, which a run has in its journal, and returns the same result for the same facts.
//
//	verdict := overseer.Assess(attempts)      // score, velocity, stagnation, and what to do
//	found := overseer.Classify(facts)         // stuck, missing_context, blocked, or nothing of these
//	learned := overseer.LessonsOf(…)          // what failed in one attempt, and the changed lines that fixed it in the next
//
// Rules come first. If two rules name different causes, a model may break the tie, but only with one of the candidates; if that
// fails, the user decides.
//
// Invariant: no opinion of a model changes a score. Scores and failures come from gates.
package overseer
