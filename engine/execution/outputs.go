package execution

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"forge/engine/step"
	"forge/memory"
)

// The keys under which an executor keeps what it left behind last, in the mid tier.
const (
	keyFiles   = "last_files_generated"
	keyDone    = "executor_done_at"
	keyWorkdir = "workdir"
)

// keepOutputs keeps what the executor of an attempt left behind, under its name: the files that it changed, when that was judged, and the
// folder. They are those of its last attempt, and go a day after the run has ended.
func (l *runMemory) keepOutputs(ctx context.Context, m *memory.Project, c step.LearnCall) error {
	files := redacted(l.host, c.Touched)
	slices.Sort(files)
	left := map[string]any{keyFiles: files, keyDone: l.host.Now().UTC().Format(time.RFC3339), keyWorkdir: l.params.Root}
	for _, key := range []string{keyFiles, keyDone, keyWorkdir} {
		value, err := json.Marshal(left[key])
		if err != nil {
			return fmt.Errorf("keep %s of %s: %w", key, c.Node, err)
		}
		_, err = m.Write(ctx, memory.Entry{
			Tier: memory.Mid, Agent: c.Node, Key: key, Value: value,
			Source: memory.Source{Origin: memory.Model, Run: l.run.ID, Node: c.Node},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
