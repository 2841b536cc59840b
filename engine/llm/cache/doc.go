// Package cache keeps answers of models, so that the same question at temperature 0 is bought once: the last 128 in
// memory, more of them in a file that is shared by all processes.
//
// Only what a model would answer the same is kept: nothing with a temperature, with thinking, or with a tool that must be
// called; and only what is an answer: nothing that was refused, cut off or too long. An answer with a secret in it is not
// kept. Questions are not kept at all, but as a hash.
package cache
