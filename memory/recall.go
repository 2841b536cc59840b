package memory

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"forge/internal/sqlite"
	"forge/memory/words"
)

// Query asks for the rows of memory that concern a text.
type Query struct {
	Text  string
	Scope Scope // empty: the project's memory and the global one
	// Categories and Tiers choose among patterns and entries. Where only one of them is given the other kind
	// is left out; where neither is, all categories and all tiers on disk are asked.
	Categories    []Category
	Tiers         []Tier
	Run           string  // entries of the mid tier count only if this run has written them
	Limit         int     // 0: RecallLimit
	MinConfidence float64 // of patterns, 0 to 1; what is under HiddenBelow is never recalled
}

// How much is recalled.
const (
	RecallLimit   = 15
	fallbackLimit = 5 // patterns, by confidence, where no row has any of the words
	globalScope   = 0.8
	entryTrust    = 0.5 // an entry was never judged: what (s+1)/(s+f+2) is then
)

// Hit is one row that was recalled: an entry or a pattern.
type Hit struct {
	ID      ID
	Scope   Scope // whose row it is: ids are those of one file
	Score   float64
	Entry   *Entry
	Pattern *Pattern
}

// Recall returns the rows of the project's and the global memory that have most to do with a text, best first.
// A row's score is its place in the order of bm25 (1 for the first, 0.02 for the fiftieth) × (0.5 + 0.5 ×
// confidence) × 1 for the project or 0.8 for the global memory. Where no row has any of the words these are
// the five patterns of the highest confidence.
func (p *Project) Recall(ctx context.Context, q Query) ([]Hit, error) {
	var stores []*Store
	for _, s := range []*Store{p.Store, p.Global.Store} {
		if q.Scope == "" || q.Scope == s.scope {
			stores = append(stores, s)
		}
	}
	return recall(ctx, stores, q)
}

func recall(ctx context.Context, stores []*Store, q Query) ([]Hit, error) {
	var hits []Hit
	for _, s := range stores {
		found, err := s.matches(ctx, q)
		if err != nil {
			return nil, err
		}
		hits = append(hits, found...)
	}
	limit := cmp.Or(max(q.Limit, 0), RecallLimit)
	if len(hits) == 0 && q.wantsPatterns() {
		limit = min(limit, fallbackLimit)
		for _, s := range stores {
			found, err := s.trusted(ctx, q)
			if err != nil {
				return nil, err
			}
			hits = append(hits, found...)
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Scope, a.Scope), compareIDs(a.ID, b.ID))
	})
	return cutTo(limit, hits), nil
}

func (q Query) wantsPatterns() bool { return len(q.Categories) > 0 || len(q.Tiers) == 0 }

func (q Query) wantsEntries() bool { return len(q.Tiers) > 0 || len(q.Categories) == 0 }

// compareIDs orders rows by kind, and by age within it.
func compareIDs(a, b ID) int {
	x, m, _ := a.parse()
	y, n, _ := b.parse()
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(m, n), cmp.Compare(a, b))
}

// matches are the rows of one file that have words of the text.
func (s *Store) matches(ctx context.Context, q Query) (hits []Hit, err error) {
	asked := words.OfQuestion(q.Text)
	if len(asked) == 0 {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // it is a matter of milliseconds, and watching each query costs some
	err = s.viewTx(ctx, "recall", func(tx *sql.Tx) error {
		from := s.recall.In(tx)
		if q.wantsPatterns() {
			found, err := s.matchPatterns(ctx, from, q, asked)
			if err != nil {
				return err
			}
			hits = append(hits, found...)
		}
		if q.wantsEntries() {
			found, err := s.matchEntries(ctx, from, q, asked)
			if err != nil {
				return err
			}
			hits = append(hits, found...)
		}
		return nil
	})
	return hits, err
}

func (s *Store) matchPatterns(ctx context.Context, from sqlite.Source, q Query, asked []string) ([]Hit, error) {
	var w sqlite.Where
	sqlite.In(&w, "category", q.Categories)
	patterns := words.Index[Pattern]{Table: "pattern_words", Rows: "patterns", Columns: patternColumns, Scan: scanPattern(s.now()), Text: patternText}
	found, err := patterns.Best(ctx, from, asked, w)
	var hits []Hit
	for i, p := range found {
		if h, ok := s.patternHit(p, q, place(i)); ok {
			hits = append(hits, h)
		}
	}
	return hits, err
}

// patternHit scores a pattern, unless its confidence is too low to be recalled.
func (s *Store) patternHit(p Pattern, q Query, score float64) (Hit, bool) {
	ok := p.Confidence >= max(q.MinConfidence, HiddenBelow)
	return Hit{ID: p.ID, Scope: s.scope, Score: s.weigh(score, p.Confidence), Pattern: &p}, ok
}

func (s *Store) matchEntries(ctx context.Context, from sqlite.Source, q Query, asked []string) ([]Hit, error) {
	var w sqlite.Where
	sqlite.In(&w, "tier", q.Tiers)
	w.And("(expires_at = '' OR expires_at > ?)", stamp(s.now()))
	w.And("(tier <> 'mid' OR run = ?)", q.Run)
	entries := words.Index[Entry]{Table: "memory_words", Rows: "memory", Columns: entryColumns, Scan: scanEntry, Text: entryText}
	found, err := entries.Best(ctx, from, asked, w)
	var hits []Hit
	for i, e := range found {
		hits = append(hits, Hit{ID: e.ID, Scope: s.scope, Score: s.weigh(place(i), entryTrust), Entry: &e})
	}
	return hits, err
}

// place is the order of bm25 as a number: 1 for the first candidate, and evenly down.
func place(i int) float64 { return 1 - float64(i)/words.Most }

// weigh is a score with what is known of the row, and of whose it is.
func (s *Store) weigh(place, confidence float64) float64 {
	score := place * (0.5 + 0.5*confidence)
	if s.scope == ScopeGlobal {
		score *= globalScope
	}
	return score
}

// trusted are the patterns of one file with the highest confidence.
func (s *Store) trusted(ctx context.Context, q Query) (hits []Hit, err error) {
	var w sqlite.Where
	sqlite.In(&w, "category", q.Categories)
	err = s.view(ctx, "recall", func(from sqlite.RowSource) error {
		// SQL does not know what has faded: ten times as many rows are read as are returned.
		found, err := sqlite.All(ctx, from, scanPattern(s.now()), `SELECT `+patternColumns+` FROM patterns`+w.String()+`
			ORDER BY (successes + 1.0) / (successes + failures + 2) DESC, id LIMIT ?`, append(w.Args, 10*fallbackLimit)...)
		for _, p := range found {
			if h, ok := s.patternHit(p, q, 0); ok {
				h.Score = s.weigh(1, p.Confidence)
				hits = append(hits, h)
			}
		}
		return err
	})
	return hits, err
}

// ViewQuery asks for the part of memory that goes into a prompt.
type ViewQuery struct {
	Run  string // whose mid tier it is
	Text string // the task
	Tags []string
}

// The quotas of a prompt.
const (
	warmQuota     = 8
	coldQuota     = 8
	patternQuota  = 5
	playbookQuota = 5
	// PromptConfidence is what a pattern needs to be shown to a model.
	PromptConfidence = 0.55
)

// View is the part of memory that goes into a prompt, each part best first, in the order of the parts. The same memory
// gives the same view.
type View struct {
	Own       []Hit // what the user has written into the long tier, by priority, then the newest first (ADR 154)
	Warm      []Hit // of this run's mid tier and the episodic one, at most 8
	Cold      []Hit // of the long tier, at most 8
	Patterns  []Hit // at most 5 with a confidence of at least 0.55
	Playbooks []Playbook
}

// View collects it.
func (p *Project) View(ctx context.Context, q ViewQuery) (View, error) {
	own, err := p.own(ctx)
	view := View{Own: own}
	if err != nil {
		return View{}, err
	}
	if view.Warm, err = p.Recall(ctx, Query{Text: q.Text, Tiers: []Tier{Mid, Episodic}, Run: q.Run, Limit: warmQuota}); err != nil {
		return View{}, err
	}
	if view.Cold, err = p.Recall(ctx, Query{Text: q.Text, Tiers: []Tier{Long}, Limit: coldQuota}); err != nil {
		return View{}, err
	}
	view.Patterns, err = p.Recall(ctx, Query{Text: q.Text, Categories: Categories, MinConfidence: PromptConfidence, Limit: patternQuota})
	if err != nil {
		return View{}, err
	}
	view.Playbooks, err = p.PlaybooksFor(ctx, q.Tags)
	return view, err
}

// own are the user's own entries of the long tier, those of the project before the global ones of the same priority.
func (p *Project) own(ctx context.Context) (hits []Hit, err error) {
	for _, s := range []*Store{p.Store, p.Global.Store} {
		entries, err := s.List(ctx, EntryFilter{Tier: Long})
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Source.Origin == User {
				hits = append(hits, Hit{ID: e.ID, Scope: s.scope, Entry: &e})
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Entry.Priority, a.Entry.Priority), cmp.Compare(b.Scope, a.Scope), b.Entry.Updated.Compare(a.Entry.Updated))
	})
	return hits, nil
}
