package spend

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"forge/engine/llm"
	"forge/internal/failpoint"
)

// Attempt identifies an attempt.
type Attempt struct {
	Tree    string // the run whose limits count
	Run     string
	Folder  string
	Node    string
	Attempt int
	Key     string // llm.Request.Key
	// Provider and Model are those of the llm.Candidate.
	Provider, Model string
	Batch           bool
}

// Amount is what an attempt can cost, or has cost.
type Amount struct {
	Tokens   int64
	MicroUSD int64
	Unpriced bool // MicroUSD is not the model's own price
}

// ExhaustedError is the error of an attempt that was not made because it could exceed a limit.
type ExhaustedError struct {
	Tree   string
	Limits Limits
	Spent  Amount // charged, and held for attempts that were cut off
	Wanted Amount // the most the attempt can cost
}

// Error returns which limits are reached, and what to do.
func (e *ExhaustedError) Error() string {
	var short []string
	if e.Limits.Tokens > 0 && e.Spent.Tokens+e.Wanted.Tokens > e.Limits.Tokens {
		short = append(short, fmt.Sprintf("of the run's budget of %d tokens %d are spent and the next call needs up to %d",
			e.Limits.Tokens, e.Spent.Tokens, e.Wanted.Tokens))
	}
	if e.Limits.MicroUSD > 0 && e.Spent.MicroUSD+e.Wanted.MicroUSD > e.Limits.MicroUSD {
		text := fmt.Sprintf("of the run's budget of %s %s are spent and the next call can cost up to %s",
			dollars(e.Limits.MicroUSD), dollars(e.Spent.MicroUSD), dollars(e.Wanted.MicroUSD))
		if e.Wanted.Unpriced {
			text += " (its price is unknown, so the highest known price counts; set it in prices.yaml in Forge's folder)"
		}
		short = append(short, text)
	}
	return strings.Join(short, "; ") + ". Raise the limit and resume the run: " + e.advice()
}

func (e *ExhaustedError) advice() string {
	if e.Limits.MicroUSD > 0 && e.Spent.MicroUSD+e.Wanted.MicroUSD > e.Limits.MicroUSD {
		return fmt.Sprintf("forge resume %s --usd %s", e.Tree, strings.TrimPrefix(dollars(2*max(e.Limits.MicroUSD, e.Wanted.MicroUSD)), "$"))
	}
	return fmt.Sprintf("forge resume %s --tokens %d", e.Tree, 2*max(e.Limits.Tokens, e.Wanted.Tokens))
}

// Reserve charges the most that an attempt can cost, before it is made, and gives it a number for Settle. An attempt that could
// go past the limits of its tree is an *ExhaustedError, and is charged nothing. Where only attempts that are under way in
// this process are in its way, it waits for them: they will cost less than is reserved.
func (l *Ledger) Reserve(ctx context.Context, a Attempt, most Amount) (id int64, err error) {
	for {
		id, ended, err := l.reserve(ctx, a, most)
		if ended == nil {
			return id, err
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// under is closed when an attempt of a tree, or any other, has ended; it is nil where none of the tree is under way here.
func (l *Ledger) under(tree string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.going[tree] == 0 {
		return nil
	}
	return l.ended
}

func (l *Ledger) begun(tree string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.going[tree]++
}

// over notifies the waiters that an attempt has ended.
func (l *Ledger) over(tree string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.going[tree]--; l.going[tree] <= 0 {
		delete(l.going, tree)
	}
	close(l.ended)
	l.ended = make(chan struct{})
}

// reserve is Reserve without patience: ended is what to wait for, if there is something.
//
// Invariant: transactions of a process run one after another, so that what is under way is known to each of them.
func (l *Ledger) reserve(ctx context.Context, a Attempt, most Amount) (id int64, ended <-chan struct{}, err error) {
	going := false
	err = l.db.Write(ctx, func(tx *sql.Tx) error {
		if err := supersede(ctx, tx, a); err != nil {
			return err
		}
		if err := l.check(ctx, tx, a.Tree, most); err != nil {
			ended = l.under(a.Tree)
			return err
		}
		l.begun(a.Tree)
		going = true
		return tx.StmtContext(ctx, l.statements.insert).QueryRowContext(ctx, //nolint:sqlclosecheck // it is closed with the transaction
			a.Tree, a.Run, a.Folder, a.Node, a.Attempt, a.Provider, a.Model, a.Key, a.Batch, reserved,
			most.Tokens, most.MicroUSD, most.Unpriced, l.now().UnixNano()).Scan(&id)
	})
	if exhausted := (*ExhaustedError)(nil); errors.As(err, &exhausted) {
		return 0, ended, exhausted
	}
	if err != nil {
		if going {
			l.over(a.Tree)
		}
		return 0, nil, fmt.Errorf("reserve what a call of %s can cost: %w", a.Model, err)
	}
	failpoint.Hit(FailpointReserved)
	return id, nil, nil
}

// supersede makes earlier attempts at the same call cost nothing, if the call is made by batch: they wait for the same item, which
// the provider bills once. If the attempt that takes over is interrupted, it counts for them.
func supersede(ctx context.Context, tx *sql.Tx, a Attempt) error {
	if !a.Batch || a.Key == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, `UPDATE attempts SET state = ?, tokens = 0, money = 0, unpriced = 0, input = 0, output = 0, cache_read = 0,
		cache_write = 0 WHERE tree = ? AND key = ? AND batch AND provider = ? AND model = ?`, free, a.Tree, a.Key, a.Provider, a.Model)
	return err
}

// check refuses what could go past the limits of a tree.
func (l *Ledger) check(ctx context.Context, tx *sql.Tx, tree string, most Amount) error {
	limits, err := scanLimits(tx.StmtContext(ctx, l.statements.limits).QueryRowContext(ctx, tree)) //nolint:sqlclosecheck // it is closed with the transaction
	if err != nil {
		return err
	}
	var spent Amount
	err = tx.StmtContext(ctx, l.statements.sum).QueryRowContext(ctx, tree). //nolint:sqlclosecheck // as above
										Scan(&spent.Tokens, &spent.MicroUSD)
	if err != nil {
		return err
	}
	if limits.Tokens > 0 && spent.Tokens+most.Tokens > limits.Tokens || limits.MicroUSD > 0 && spent.MicroUSD+most.MicroUSD > limits.MicroUSD {
		return &ExhaustedError{Tree: tree, Limits: limits, Spent: spent, Wanted: most}
	}
	return nil
}

// Ending is what became of an attempt.
type Ending int

const (
	// Answered is an attempt that the provider billed.
	Answered Ending = iota
	// Lost is one that may have been billed, by an unknown amount: it stays charged at its most.
	Lost
	// Free is one that was turned down, or never sent.
	Free
	// BrokenOff is one that its caller left. It stays reserved, as that of a process that died.
	BrokenOff
)

// Settle replaces what was reserved for an attempt by what became of it, once. An attempt that cannot be settled, because the
// disk is full, say, stays charged at its most.
func (l *Ledger) Settle(ctx context.Context, a Attempt, id int64, e Ending, u llm.Usage, cost llm.Cost) error {
	defer l.over(a.Tree)
	failpoint.Hit(FailpointSettling)
	if e == BrokenOff {
		return nil
	}
	// The billed amount is kept, also if the caller is gone meanwhile. A loss of power may take it back, to the reserved one.
	ctx = context.WithoutCancel(ctx)
	err := l.db.WriteRelaxed(ctx, func(tx *sql.Tx) error { return l.settle(ctx, tx, id, e, u, cost) })
	if err != nil {
		return fmt.Errorf("settle a call of %s: %w", a.Model, err)
	}
	return nil
}

func (l *Ledger) settle(ctx context.Context, tx *sql.Tx, id int64, e Ending, u llm.Usage, cost llm.Cost) (err error) {
	now := l.now().UnixNano()
	switch e {
	case Answered:
		u = plausible(u)
		_, err = tx.StmtContext(ctx, l.statements.settle).ExecContext(ctx, settled, now, //nolint:sqlclosecheck // it is closed with the transaction
			tokens(u), cost.MicroUSD, cost.Unpriced, u.Input, u.Output, u.CacheRead, u.CacheWrite, id)
	case Free:
		_, err = tx.ExecContext(ctx, "UPDATE attempts SET state = ?, ended = ?, tokens = 0, money = 0, unpriced = 0 WHERE id = ? AND state = 'reserved'",
			free, now, id)
	case Lost:
		_, err = tx.ExecContext(ctx, "UPDATE attempts SET state = ?, ended = ? WHERE id = ? AND state = 'reserved'", lost, now, id)
	case BrokenOff: // it stays
	}
	return err
}

// Bound is the most tokens that one call can use.
type Bound struct{ Input, Output int }

// Tokens is the sum of both.
func (b Bound) Tokens() int64 { return int64(b.Input) + int64(b.Output) }

const (
	// perPart is more than what providers put around a message, a call or a tool: who speaks, where it begins and ends.
	perPart = 16
	// around is more than what they add to a request with tools or a schema, which some of them put into words of their
	// own (https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/overview: up to 735 tokens), and to one without.
	around, aroundTools = 32, 1024
	// unknownWindow is the longest answer of a model of which nothing is known: no model gives longer ones.
	unknownWindow = 1 << 20
)

// Most bounds what a call can use, in a window of so many tokens (0 is unknown).
//
// A token of the models that Forge speaks to is at least one byte of text: their vocabularies are made by merging
// bytes (BPE) or letters with single bytes for what is left (SentencePiece with byte fallback). So a text has at most as
// many tokens as bytes. Prose has a quarter of that, and code a third, but nothing smaller holds for every text: base64,
// Tibetan and punctuation come near a token per byte. JSON of schemas and tools counts twice, for what is made of it. What
// a provider adds is in the constants above, and in 300 bytes for a schema that is put into words (llm.Degrade).
//
// That is four times too much for most requests, so the other bound matters: a provider turns down what is larger than its
// window, and bills nothing for it. A window that is set too small makes this bound wrong, one too large only makes it wide.
//
// The answer is as long as MaxTokens and Thinking allow, or the window where MaxTokens leaves it to the provider.
// What is left of a wide bound is given back when the call is settled, and others wait for it: see Ledger.Reserve.
func Most(q llm.Request, window int) Bound {
	input := around
	for _, m := range q.Messages {
		input += perPart + len(m.Text) + len(m.CallID)
		for _, c := range m.Calls {
			input += perPart + len(c.ID) + len(c.Name) + 2*len(c.Arguments)
		}
	}
	for _, t := range q.Tools {
		input += perPart + len(t.Name) + len(t.Description) + 2*len(t.Schema)
	}
	if len(q.Schema) > 0 || len(q.Tools) > 0 {
		input += aroundTools + len(q.SchemaName) + 2*len(q.Schema)
	}
	limit := window
	if limit <= 0 {
		limit = unknownWindow
	}
	output := limit
	if q.MaxTokens > 0 {
		output = q.MaxTokens + max(0, q.Thinking)
	}
	if window > 0 {
		input, output = min(input, window), min(output, window)
	}
	return Bound{Input: input, Output: output}
}
