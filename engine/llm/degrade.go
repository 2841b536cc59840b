package llm

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Learned records which features models do not support. All callers in the process share one Learned. The zero value is
// ready to use.
type Learned struct {
	mu   sync.Mutex // guards lack
	lack map[string][]Feature
}

// Degrade wraps a model so that an unsupported feature (KindUnsupported) is omitted at once and from then on. Such a
// rejected request costs nothing, and each feature is omitted once, so there are at most as many additional calls as
// features, and only the first time.
//
// A schema is stated in the prompt instead. Tools are omitted, unless the request must call one, or already has turns of
// tools: then the failure is returned.
func (l *Learned) Degrade(provider, id string, m Model) Model {
	return &degrading{model: m, learned: l, name: provider + "\x00" + id}
}

// Lacks lists the unsupported features of a model.
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

// Name returns the name of the wrapped model.
func (d *degrading) Name() string { return d.model.Name() }

// Complete calls the model with the supported parts of the request.
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

// without returns the request without a feature; can is false if it does not have the feature, or
// requires it. Invariant: it is false for its own result, so that features run out.
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

// stating appends the schema of the answer to the messages, so that the provider's cache of the earlier ones stays valid.
func stating(messages []Message, schema []byte) []Message {
	text := fmt.Sprintf(statement, schema)
	stated := slices.Clone(messages)
	if last := len(stated) - 1; last >= 0 && stated[last].Role == User && !stated[last].Stable {
		stated[last].Text += "\n\n" + text
		return stated
	}
	return append(stated, Message{Role: User, Text: text})
}

// statement states a schema in words. Invariant: it has fewer than 300 bytes besides the schema (spend relies on that).
const statement = "Answer with exactly one JSON object and nothing else: no prose before or after it, and no code fence. " +
	"It must fit this JSON Schema:\n%s"
