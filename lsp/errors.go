package lsp

import (
	"fmt"

	"forge/api/service"
	"forge/lsp/transport"
)

// answerable is an error of a command as an answer: what the caller named wrongly is InvalidParams, and advice says what to do next.
func answerable(err error) error {
	switch service.FaultOf(err) {
	case service.WrongInput, service.Illegal, service.NotThere, service.Collected:
		return transport.InvalidParams("%v", err)
	case service.NoSuchRun:
		return transport.InvalidParams("runId: %v; forge.runs with all lists those of a folder", err)
	case service.NoSuchBatch:
		return transport.InvalidParams("id: %v; forge.batch.list lists those there are", err)
	case service.Busy:
		return fmt.Errorf("%w; forge.sessions lists who works on it", err)
	case service.NotTrusted:
		return fmt.Errorf("%w. If you trust it: forge validate --trust in a terminal, or say so when a run asks", err)
	case service.NoFault, service.Failed, service.OtherVersion, service.Cancelled:
	}
	return err
}
