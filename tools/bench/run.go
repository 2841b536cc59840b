package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// measureRun measures how long forge.run takes to be acknowledged: the folder is frozen with its open
// buffers, and the run goes on in the background. Each run is cancelled then, which is not counted.
func measureRun(ctx context.Context, b *bench) (_ []row, err error) {
	model, url, err := startModel(ctx, b.forge)
	if err != nil {
		return nil, err
	}
	defer model.stop()
	p := b.forge
	p.env = append(p.env[:len(p.env):len(p.env)], "FORGE_BASE_URL="+url, "FORGE_MODEL=scripted")
	s, err := start(ctx, p, b.workspace)
	if err != nil {
		return nil, err
	}
	var times pair
	err = s.open(ctx, b.workspace)
	if err == nil {
		err = s.beTrusted(ctx)
	}
	for i := 0; i < b.runs && err == nil; i++ {
		var took time.Duration
		if took, err = s.timeRun(ctx); err == nil {
			times.forge.add(took)
		}
	}
	if err == nil && s.asked.Load() > 1 {
		err = errors.New("forge.run asked something: the runs waited for a person and did nothing")
	}
	rows := latency("forge.run acknowledged", times, nil, []goal{atMost(50)})
	for i := range rows {
		rows[i].gopls = missing
	}
	return rows, errors.Join(err, s.stop(ctx))
}

// beTrusted makes a run up to its end, so that the folder comes to be trusted and its first snapshot is
// taken. The model refuses what is asked of it, which blocks the run.
func (s *server) beTrusted(ctx context.Context) error {
	answer, err := s.execute(ctx, "forge.run", map[string]any{"task": task, "wait": true})
	if err == nil && s.asked.Load() != 1 {
		err = fmt.Errorf("forge.run did not ask whether the folder is trusted, and answered %s", answer)
	}
	return err
}

const task = "add a function Sum with tests"

// timeRun starts a run, cancels it after the acknowledgement, and waits until it is quiet.
func (s *server) timeRun(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	answer, err := s.execute(ctx, "forge.run", map[string]any{"task": task})
	took := time.Since(began)
	if err != nil {
		return 0, err
	}
	var run struct {
		ID    string `json:"runId"`
		State string `json:"state"`
	}
	if err := json.Unmarshal(answer, &run); err != nil || run.ID == "" || run.State != "running" {
		return 0, errors.Join(fmt.Errorf("the acknowledgement %s names no run that is running", answer), err)
	}
	_, err = s.execute(ctx, "forge.cancel", map[string]any{"runId": run.ID})
	return took, err
}

func (s *server) execute(ctx context.Context, command string, argument any) (json.RawMessage, error) {
	return s.call(ctx, "workspace/executeCommand", map[string]any{"command": command, "arguments": []any{argument}})
}

// model is the scripted model, in a process of its own.
type model struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
}

// startModel starts the model and returns its base URL. It is stopped by who started it.
func startModel(ctx context.Context, forge program) (*model, string, error) {
	ctx, cancel := context.WithCancel(ctx)
	m := &model{cmd: exec.CommandContext(ctx, forge.argv[0], "dev", "model"), cancel: cancel}
	m.cmd.Env = forge.env
	out, err := m.cmd.StdoutPipe()
	if err == nil {
		err = m.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, "", fmt.Errorf("start the scripted model: %w", err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		m.stop()
		return nil, "", fmt.Errorf("start the scripted model: it does not say where it listens: %w", err)
	}
	return m, strings.TrimSpace(line), nil
}

// stop ends the model. Its exit code reports lines of the script that were not requested, which is so
// for runs that are cancelled.
func (m *model) stop() {
	m.cancel()
	_ = m.cmd.Wait()
}
