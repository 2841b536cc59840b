// Package work has the commands that change something, or have a model work: run, ask, review, spec, apply, rename, replace, resume, undo and
// redo. They share a session: a run that is followed, its questions, and what the user accepts of its proposal.
package work
