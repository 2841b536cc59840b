package llm

import "context"

// Only returns a chooser with a single model of unknown properties, for programs without a choice, and tests.
func Only(m Model) Chooser {
	return OnlyFrom(func(context.Context) (Model, error) { return m, nil })
}

// OnlyFrom is Only with a model that is looked up each time.
func OnlyFrom(find func(ctx context.Context) (Model, error)) Chooser { return only(find) }

type only func(ctx context.Context) (Model, error)

// Choose returns the model.
func (o only) Choose(ctx context.Context, _ Need) (Choice, error) {
	m, err := o(ctx)
	if err != nil {
		return Choice{}, err
	}
	return Choice{Primary: Candidate{Model: m, Provider: "only", ID: m.Name()}}, nil
}
