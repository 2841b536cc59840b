// Package atlas is what Forge knows about one folder: its index, history and import graph, brought together for
// whoever asks: the fronts, and the prompts of a run.
package atlas
