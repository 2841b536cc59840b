package llm

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Learned is what a process has learned about features that models do not take. One Learned is shared by everything in the
// process that asks models. The zero value is ready to use.
type Learned struct {
	mu   sync.Mutex // guards lack
	lack map[string][]Feature
}

// Degrade makes a model that is asked without a feature which it turned out not to take (KindUnsupported), at once and
// from then on. A request that a model turns down so costs nothing, and each feature is left out once, so that there are
// at most as many calls more as there are features, and those only the first time.
//
// A schema is stated in the prompt instead. Tools are not offered, unless the request must have one called, or has turns
// of tools already: then the failure stands.
func (l *Learned) Degrade(provider, id string, m Model) Model {
	return &degrading{model: m, learned: l, name: provider + "\x00" + id}
}

// Lacks lists the features that a model turned out not to take.
func (l *Learned) Lacks(provider, id string) []Feature { return l.of(provider + "\x00" + id) }

func (l *Learned) of(name string) []Feature {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lack[name])
}

func (l *Learned) add(name string, f Feature) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lack == nil {
		l.lack = map[string][]Feature{}
	}
	if !slices.Contains(l.lack[name], f) {
		l.lack[name] = append(l.lack[name], f)
	}
}

type degrading struct {
	model   Model
	learned *Learned
	name    string
}

// Name is the name of the model behind it.
func (d *degrading) Name() string { return d.model.Name() }

// Complete asks the model with what it takes of the request.
func (d *degrading) Complete(ctx context.Context, q Request, onDelta func(string)) (Response, error) {
	for _, f := range d.learned.of(d.name) {
		if less, can := q.without(f); can {
			q = less
		}
	}
	for {
		response, err := d.model.Complete(ctx, q, onDelta)
		failure := failureOf(err)
		if failure == nil || failure.Kind != KindUnsupported || ctx.Err() != nil {
			return response, err
		}
		less, can := q.without(failure.Feature)
		if !can {
			return response, err
		}
		d.learned.add(d.name, failure.Feature)
		q = less
	}
}

// without is the request without a feature; can is false where it has none of it, or cannot do without.
// Invariant: it is false for what it has returned, so that features run out.
func (r Request) without(f Feature) (less Request, can bool) {
	switch f {
	case FeatureSchema:
		can = len(r.Schema) > 0
		if can {
			r.Messages = stating(r.Messages, r.Schema)
		}
		r.Schema, r.SchemaName = nil, ""
	case FeatureTools:
		can = len(r.Tools) > 0 && r.UseTool == "" && !slices.ContainsFunc(r.Messages, isOfTools)
		r.Tools = nil
	case FeatureTemperature:
		can = !r.OwnTemperature
		r.Temperature, r.OwnTemperature = 0, true
	case FeatureThinking:
		can = r.Thinking > 0
		r.Thinking = 0
	}
	return r, can
}

func isOfTools(m Message) bool { return m.Role == Tool || len(m.Calls) > 0 }

// stating are the messages with the schema of the answer at their end, so that what a provider has cached of them stays
// as it is.
func stating(messages []Message, schema []byte) []Message {
	text := fmt.Sprintf(statement, schema)
	stated := slices.Clone(messages)
	if last := len(stated) - 1; last >= 0 && stated[last].Role == User && !stated[last].Stable {
		stated[last].Text += "\n\n" + text
		return stated
	}
	return append(stated, Message{Role: User, Text: text})
}

// statement puts a schema into words. Invariant: it has fewer than 300 bytes beside the schema (spend counts on that).
const statement = "Answer with exactly one JSON object and nothing else: no prose before or after it, and no code fence. " +
	"It must fit this JSON Schema:\n%s"
