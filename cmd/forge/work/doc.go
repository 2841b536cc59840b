// Package work has the commands that change files or use a model: run, ask, review, spec, apply, rename, replace, resume, undo and
// redo. They share a session: it follows a run, asks its questions, and applies what the user accepts of its proposal.
package work
