package lsp

import (
	"errors"
	"fmt"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/engine/batch"
	"forge/lsp/transport"
	"forge/memory"
)

// answerable is an error of a command as an answer: what the caller named wrongly is InvalidParams, and advice says what to do next.
func answerable(err error) error {
	var wrong *api.ArgumentError
	var unknown *api.UnknownError
	var illegal *memory.StateError
	var busy *service.BusyError
	switch {
	case errors.As(err, &wrong), errors.As(err, &unknown):
		return transport.InvalidParams("%v", err)
	case errors.Is(err, engine.ErrNoRun):
		return transport.InvalidParams("runId: %v; forge.runs with all lists those of a folder", err)
	case errors.Is(err, batch.ErrNoJob):
		return transport.InvalidParams("id: %v; forge.batch.list lists those there are", err)
	case errors.As(err, &illegal), errors.Is(err, engine.ErrNotSent), errors.Is(err, engine.ErrNoGate), errors.Is(err, memory.ErrInvalid),
		errors.Is(err, memory.ErrNotFound), errors.Is(err, memory.ErrCollected):
		return transport.InvalidParams("%v", err)
	case errors.As(err, &busy):
		return fmt.Errorf("%w; forge.sessions tells who works on it", err)
	case errors.Is(err, engine.ErrNotTrusted):
		return fmt.Errorf("%w. If you trust it: forge validate --trust in a terminal, or say so when a run asks", err)
	}
	return err
}
