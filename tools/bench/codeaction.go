package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// How often code actions are asked for: of how many servers, and how often of each once it is warm.
const (
	codeActionStarts = 8
	codeActionsWarm  = 50
)

// codeActions are the times of one server.
type codeActions struct {
	first time.Duration
	warm  []time.Duration
}

// measureCodeAction measures what an editor asks with every move of the cursor: the actions for a
// selection. The first is asked right after the document was opened; the warm ones when the server has
// come to rest.
func measureCodeAction(ctx context.Context, b *bench) ([]row, error) {
	var first, warm pair
	absent := map[string]bool{}
	err := b.alternate(codeActionStarts, func(p program) error {
		times, err := codeActionsOnce(ctx, p, b.workspace)
		if notThere(err) {
			absent[p.name] = true
			return nil
		}
		if err != nil {
			return err
		}
		first.of(p).add(times.first)
		for _, t := range times.warm {
			warm.of(p).add(t)
		}
		return nil
	})
	rows := append(latency("code action, first", first, nil, nil), latency("code action, warm", warm, nil, []goal{atMost(5)})...)
	for i := range rows {
		if absent["forge"] {
			rows[i].forge = missing
		}
		if absent["gopls"] {
			rows[i].gopls = missing
		}
	}
	return rows, err
}

func codeActionsOnce(ctx context.Context, p program, w workspace) (times codeActions, err error) {
	s, err := start(ctx, p, w)
	if err != nil {
		return codeActions{}, err
	}
	err = s.open(ctx, w)
	if err == nil {
		times, err = s.timeCodeActions(ctx, w)
	}
	return times, errors.Join(err, s.stop(ctx))
}

func (s *server) timeCodeActions(ctx context.Context, w workspace) (times codeActions, err error) {
	if times.first, err = s.timeCodeAction(ctx, w); err != nil {
		return codeActions{}, err
	}
	if err := settle(ctx, s.cmd.Process.Pid); err != nil {
		return codeActions{}, err
	}
	for range codeActionsWarm {
		took, err := s.timeCodeAction(ctx, w)
		if err != nil {
			return codeActions{}, err
		}
		times.warm = append(times.warm, took)
	}
	return times, nil
}

// timeCodeAction asks once. An answer without an action is an error: a server that offers nothing is
// quick.
func (s *server) timeCodeAction(ctx context.Context, w workspace) (time.Duration, error) {
	began := time.Now()
	answer, err := s.call(ctx, "textDocument/codeAction", map[string]any{
		"textDocument": w.document(),
		"range":        w.selection(),
		"context":      map[string]any{"diagnostics": []any{}, "triggerKind": 1},
	})
	took := time.Since(began)
	if err != nil {
		return 0, err
	}
	var actions []json.RawMessage
	if err := json.Unmarshal(answer, &actions); err != nil {
		return 0, fmt.Errorf("read the code actions: %w", err)
	}
	if len(actions) == 0 {
		return 0, errors.New("the server offers no code action for a function's body")
	}
	return took, nil
}
