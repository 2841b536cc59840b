package lsp

import (
	"errors"

	"forge/engine"
	"forge/memory"
)

// answerable is an error of the engine as an answer: what the caller named wrongly is InvalidParams.
func answerable(err error) error {
	var illegal *memory.StateError
	switch {
	case errors.Is(err, engine.ErrNoRun):
		return invalidParams("runId: %v; forge.runs with all lists those of a folder", err)
	case errors.As(err, &illegal), errors.Is(err, engine.ErrNotSent), errors.Is(err, engine.ErrNoGate), errors.Is(err, memory.ErrInvalid), errors.Is(err, memory.ErrNotFound),
		errors.Is(err, memory.ErrCollected):
		return invalidParams("%v", err)
	}
	return err
}
