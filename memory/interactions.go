package memory

import (
	"context"
	"database/sql"
	"fmt"
	"time"
	"unicode/utf8"
)

// Interaction is one call of a model. Source names the run and node that made it.
type Interaction struct {
	ID        ID
	Step      string // "implementation/0"
	Model     string
	Prompt    string // kept redacted, for thirty days in full
	Answer    string // likewise
	TokensIn  int
	TokensOut int
	Latency   time.Duration // to the millisecond
	Cost      int64         // in millionths of a US dollar
	Error     string        // why there is no answer
	Synopsis  bool          // prompt and answer have been reduced by gc
	Source    Source
	Created   time.Time
}

const interactionColumns = "id, step, model, prompt, answer, tokens_in, tokens_out, latency_ms, cost_usd_micros, error, synopsis, created_at, " + sourceColumns

func scanInteraction(row scanner) (Interaction, error) {
	var i Interaction
	var id, milliseconds int64
	err := row.Scan(append([]any{&id, &i.Step, &i.Model, &i.Prompt, &i.Answer, &i.TokensIn, &i.TokensOut, &milliseconds, &i.Cost,
		&i.Error, &i.Synopsis, moment{&i.Created}}, i.Source.scan()...)...)
	i.ID, i.Latency = kindInteraction.numbered(id), time.Duration(milliseconds)*time.Millisecond
	return i, err
}

// RecordInteraction keeps a call of a model, with prompt, answer and error redacted. It gives what is kept. The
// loss of power, but not the death of the process, may take the last ones back.
func (p *Project) RecordInteraction(ctx context.Context, i Interaction) (kept Interaction, err error) {
	if err := i.Source.check(); err != nil {
		return Interaction{}, fmt.Errorf("record a call of a model: %w", err)
	}
	err = p.db.WriteRelaxed(ctx, func(tx *sql.Tx) error {
		kept, err = scanInteraction(tx.QueryRowContext(ctx, `INSERT INTO interactions (step, model, prompt, answer, tokens_in, tokens_out,
				latency_ms, cost_usd_micros, error, created_at, `+sourceColumns+`) VALUES (`+marks(15)+`) RETURNING `+interactionColumns,
			values(i.Step, i.Model, p.redacted(i.Prompt), p.redacted(i.Answer), i.TokensIn, i.TokensOut, i.Latency.Milliseconds(), i.Cost,
				p.redacted(i.Error), stamp(p.now()), i.Source.args())...))
		return err
	})
	if err != nil {
		return Interaction{}, fmt.Errorf("record a call of a model: %w", err)
	}
	return kept, nil
}

// redacted is a text without secrets, or without itself where nobody can take them out.
func (s *Store) redacted(text string) string {
	if text == "" || s.options.Redact != nil {
		if text != "" {
			text = s.options.Redact(text)
		}
		return text
	}
	return fmt.Sprintf("[%d characters, not kept]", utf8.RuneCountInString(text))
}

// Interactions gives the calls of a run, or of all where it is empty, in their order.
func (p *Project) Interactions(ctx context.Context, run string, limit int) (calls []Interaction, err error) {
	err = p.view(ctx, "list calls of models", func(q querier) error {
		calls, err = selectAll(ctx, q, scanInteraction, `SELECT `+interactionColumns+` FROM interactions
			WHERE ? = '' OR run = ? ORDER BY id LIMIT ?`, run, run, limited(limit))
		return err
	})
	return calls, err
}
