// Package overseer judges the attempts of a run: whether they come nearer to what was asked for, and if not, why. It is pure: it
// reads what gates said and what was edited, which a run has in its journal, and says the same of the same facts.
//
//	verdict := overseer.Assess(attempts)      // score, velocity, stagnation, and what to do
//	found := overseer.Classify(facts)         // stuck, missing_context, blocked, or nothing of these
//
// Rules come first. Where two of them name different causes a model may break the tie, and whoever asks it accepts none but one
// of the candidates; what nobody can tell goes to the user.
//
// Invariant: no opinion of a model moves a score. Scores and failures are of gates.
package overseer
