package llm

import "context"

// Only chooses one model for everything, with nothing known about it: for programs that have no choice, and tests.
func Only(m Model) Chooser { return only{Candidate{Model: m, Provider: "only", ID: m.Name()}} }

type only struct{ candidate Candidate }

// Choose gives the model.
func (o only) Choose(context.Context, Need) (Choice, error) { return Choice{Primary: o.candidate}, nil }

// ChooserFunc is a Chooser that is one function.
type ChooserFunc func(ctx context.Context, n Need) (Choice, error)

// Choose calls f.
func (f ChooserFunc) Choose(ctx context.Context, n Need) (Choice, error) { return f(ctx, n) }
