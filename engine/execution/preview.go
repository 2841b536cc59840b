package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"forge/codeintel/repomap"
	"forge/codeintel/search"
	"forge/engine/activity"
	"forge/engine/atlas"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/pipeline"
	"forge/engine/state"
	"forge/engine/step"
	"forge/patch"
)

// Preview is what a node of a run would ask a model first.
type Preview struct {
	Node     string
	Model    string // as users know it; empty where none can be chosen
	Request  llm.Request
	Manifest llm.Manifest // of the request as it was made, before what is secret in it was replaced
	// Redacted reports whether secrets were replaced by marks: then Manifest describes other bytes than those of Request.
	Redacted bool
}

// Preview is what a node would ask a model first in a run with these params, which has written tests before. Nothing is kept.
func (h *Host) Preview(ctx context.Context, p Params, node string, tests patch.ChangeSet) (Preview, error) {
	l := h.New("preview", nil, p)
	h.Secrets.Learn(p.Root)
	repo, err := l.host.State.Repo(ctx, l.params.Root)
	if err != nil {
		return Preview{}, err
	}
	defer l.openTrees(repo)()
	l.params.Windows = l.host.Chooser != nil && l.choose(ctx) == nil // without a model there is a prompt all the same
	f := flow.InMemory(l.Run.ID, l.workers(ctx, repo), flow.DriverOptions{Now: l.host.Now})
	env, err := l.starting(ctx, f)
	if err != nil {
		return Preview{}, err
	}
	call, err := pipeline.Preview(ctx, env, l.params.Pipeline(), node, tests)
	if err != nil {
		return Preview{}, err
	}
	return l.shown(node, call)
}

// shown is a call as it would be sent.
func (l *Execution) shown(node string, call step.ModelCall) (Preview, error) {
	made, err := json.Marshal(call)
	if err != nil {
		return Preview{}, fmt.Errorf("write a call of the model: %w", err)
	}
	safe, err := l.host.Secrets.redaction(func(all event.SecretsRedacted) { l.Run.Log.Append(all) }).Call(made)
	if err != nil {
		return Preview{}, err
	}
	var sent step.ModelCall
	if err := json.Unmarshal(safe, &sent); err != nil {
		return Preview{}, fmt.Errorf("understand a call of the model: %w", err)
	}
	return Preview{
		Node: node, Model: l.model, Request: sent.Request, Manifest: sent.Manifest,
		Redacted: sent.Request.Hash() != call.Request.Hash(),
	}, nil
}

// ErrNotSent means that a run has made no call of a model at the given place.
var ErrNotSent = errors.New("no model was asked there")

// playBack plays the code of the run, and reports nothing.
func (l *Execution) playBack(ctx context.Context, f flow.Flow) error {
	env, err := l.starting(ctx, f)
	if errors.Is(err, flow.ErrNotJournaled) {
		return nil // it did not come further
	}
	if err != nil {
		return err
	}
	env.Emit = func(event.Data) {}
	pipeline.Run(ctx, env, l.params.Pipeline())
	return ctx.Err()
}

// sent is a call of a model that a run has begun, as it was sent.
func (l *Execution) sent(c flow.Call, s flow.Step) (Preview, error) {
	var call step.ModelCall
	if err := json.Unmarshal(c.Input, &call); err != nil {
		return Preview{}, fmt.Errorf("understand a call of the model: %w", err)
	}
	shown, err := l.shown(c.Node, call)
	var answer llm.Response
	if s.Output != nil && json.Unmarshal(s.Output, &answer) == nil {
		shown.Model = answer.Model
	}
	return shown, err
}

// notSent returns why there is nothing to show, and which calls can be shown.
func notSent(id string, at step.Place, steps []flow.Step) error {
	var places []string
	for _, s := range steps {
		if s.Do != step.ActivityModel.Name {
			continue
		}
		if s.Node == at.Node && s.Attempt == at.Attempt {
			return fmt.Errorf("run %s, %s, attempt %d: settings have changed since, so that what was sent cannot be composed again", id, at.Node, at.Attempt)
		}
		if place := fmt.Sprintf("%s/%d", s.Node, s.Attempt); !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	if places == nil {
		return fmt.Errorf("run %s: %w", id, ErrNotSent)
	}
	return fmt.Errorf("run %s, %s, attempt %d: %w: there is %s", id, at.Node, at.Attempt, ErrNotSent, strings.Join(places, ", "))
}

// Sent returns the calls that a run has made at a place, as they were sent; steps are its journal.
func (h *Host) Sent(ctx context.Context, p *state.Project, kept flow.Run, steps []flow.Step, place step.Place) ([]Preview, error) {
	sent, err := h.playedBack(ctx, p, kept, steps, func(s flow.Step) bool { return s.Node == place.Node && s.Attempt == place.Attempt })
	if err == nil && len(sent) == 0 {
		err = notSent(kept.ID, place, steps)
	}
	return sent, err
}

// SentIn returns the call of an exchange, as it was sent; steps are the journal of its run. The error matches ErrNotSent if the call cannot be
// composed again.
func (h *Host) SentIn(ctx context.Context, p *state.Project, kept flow.Run, steps []flow.Step, x step.Exchange) (Preview, error) {
	sent, err := h.playedBack(ctx, p, kept, steps, func(s flow.Step) bool { return s.Seq == x.Seq })
	if err == nil && len(sent) == 0 {
		err = fmt.Errorf("run %s, call %d: %w as it would be composed now: settings have changed since, or a retry has replaced the call", kept.ID, x.Number, ErrNotSent)
	}
	if err != nil {
		return Preview{}, err
	}
	return sent[0], nil
}

// playedBack replays a run from its journal, and returns the wanted calls of models as they were sent.
func (h *Host) playedBack(ctx context.Context, p *state.Project, kept flow.Run, steps []flow.Step, wanted func(flow.Step) bool) ([]Preview, error) {
	l, err := h.executionOf(p, kept)
	if err != nil {
		return nil, err
	}
	h.Secrets.Learn(l.params.Root)
	var mu sync.Mutex // guards sent and broken
	var sent []Preview
	var broken error
	err = l.playBack(ctx, flow.Replay(kept.ID, steps, func(c flow.Call, s flow.Step) {
		mu.Lock()
		defer mu.Unlock()
		if c.Do == step.ActivityModel.Name && wanted(s) {
			shown, err := l.sent(c, s)
			sent, broken = append(sent, shown), errors.Join(broken, err)
		}
	}))
	if err = errors.Join(err, broken); err != nil {
		return nil, err
	}
	return sent, nil
}

// pack lets the folder's index choose what a model should see. The texts are those of the tree.
func (l *Execution) pack(ctx context.Context, n activity.Need) (activity.Packed, error) {
	a, complete, err := l.host.Atlas(ctx, l.params.Root)
	switch {
	case ctx.Err() != nil:
		return activity.Packed{}, ctx.Err()
	case err != nil:
		return activity.Packed{Why: "the index of the folder cannot be used: " + err.Error()}, nil //nolint:nilerr // words choose then
	case !complete:
		return activity.Packed{Why: "the folder is still being indexed"}, nil
	}
	open := slices.Sorted(maps.Keys(l.params.Unsaved))
	var targets []string
	if n.Focus != "" {
		open = append([]string{n.Focus}, slices.DeleteFunc(open, func(p string) bool { return p == n.Focus })...)
		targets = []string{n.Focus}
	}
	packed, err := a.Excerpts(ctx, atlas.ExcerptsRequest{
		Query: search.Query{Text: n.Task, Open: open}, Targets: targets, Own: n.Files, Budget: n.Most,
		Read: n.Tree.ReadFile, Changed: n.Changed, Tests: n.Tests, Uses: n.Uses,
	})
	if err != nil {
		return activity.Packed{}, err
	}
	return packedOf(packed, n.Tree), nil
}

var tiers = map[repomap.Tier]step.Tier{
	repomap.TierTarget: step.TierTarget, repomap.TierDirect: step.TierDependency, repomap.TierTransitive: step.TierInterface,
}

// packedOf converts a pack for the run. It omits signatures of files that are not in the tree any more.
func packedOf(p repomap.Pack, tree activity.Tree) (packed activity.Packed) {
	packed.Found = p.Found
	for _, s := range p.Sections {
		if s.How == repomap.InMap {
			packed.Map = s.Text
			continue
		}
		if s.How == repomap.OnlyPath {
			continue // it is in the list of files
		}
		if s.How == repomap.Signatures {
			if _, err := tree.ReadFile(s.Path); err != nil {
				continue
			}
		}
		packed.Files = append(packed.Files, step.File{Path: s.Path, Text: s.Text, Tier: tiers[s.Tier], Signatures: s.How == repomap.Signatures, Windows: s.How == repomap.Windows})
	}
	return packed
}
