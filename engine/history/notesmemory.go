package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"forge/memory"
)

// Remembered is one row of memory: exactly one of the pointers is set.
type Remembered struct {
	Scope    memory.Scope // the row's scope, in which its id is unique
	Score    float64      // score in a search; otherwise 0
	Entry    *memory.Entry
	Pattern  *memory.Pattern
	Playbook *memory.Playbook
}

// MemoryKey names an entry. Without a tier it is memory.Long; without a scope, a folder's own memory is written, and
// is read before that of all folders.
type MemoryKey struct {
	Scope    memory.Scope
	Tier     memory.Tier
	Agent    string
	Key      string
	Priority int // for Remember: notes of a higher priority come first in prompts
}

func (k MemoryKey) tier() memory.Tier {
	if k.Tier == "" {
		return memory.Long
	}
	return k.Tier
}

// checkTier rejects an unknown tier; an empty one is a default.
func checkTier(tier memory.Tier) error {
	if tier == "" || slices.Contains(memory.Tiers, tier) {
		return nil
	}
	return fmt.Errorf("%w: the tier must be one of %q, not %q", memory.ErrInvalid, memory.Tiers, tier)
}

// scoped returns the stores of a scope; empty means both, the folder's own first.
func (n *Notes) scoped(ctx context.Context, root string, scope memory.Scope) ([]*memory.Store, error) {
	m, err := n.options.State.Memory(ctx, root)
	if err != nil {
		return nil, err
	}
	switch scope {
	case "":
		return []*memory.Store{m.Store, m.Global.Store}, nil
	case memory.ScopeProject:
		return []*memory.Store{m.Store}, nil
	case memory.ScopeGlobal:
		return []*memory.Store{m.Global.Store}, nil
	}
	return nil, fmt.Errorf("%w: the scope must be %s or %s, not %q", memory.ErrInvalid, memory.ScopeProject, memory.ScopeGlobal, scope)
}

// oneStore returns the store of a scope; empty means the folder's own.
func (n *Notes) oneStore(ctx context.Context, root string, scope memory.Scope) (*memory.Store, error) {
	scope = cmp.Or(scope, memory.ScopeProject)
	stores, err := n.scoped(ctx, root, scope)
	if err != nil {
		return nil, err
	}
	return stores[0], nil
}

// scopeOf returns the scope of an index in the result of scoped.
func scopeOf(asked memory.Scope, i int) memory.Scope {
	if asked != "" {
		return asked
	}
	return []memory.Scope{memory.ScopeProject, memory.ScopeGlobal}[i]
}

// Recollect returns the entry under a key. The error matches memory.ErrNotFound if there is none.
func (n *Notes) Recollect(ctx context.Context, root string, k MemoryKey) (Remembered, error) {
	if err := checkTier(k.Tier); err != nil {
		return Remembered{}, err
	}
	stores, err := n.scoped(ctx, root, k.Scope)
	for i, store := range stores {
		var entry memory.Entry
		if entry, err = store.Read(ctx, k.tier(), k.Agent, k.Key); err == nil {
			return Remembered{Scope: scopeOf(k.Scope, i), Entry: &entry}, nil
		}
		if !errors.Is(err, memory.ErrNotFound) {
			break
		}
	}
	return Remembered{}, err
}

// Remember stores the user's text under a key, and replaces an existing one.
func (n *Notes) Remember(ctx context.Context, root string, k MemoryKey, text string) (Remembered, error) {
	if err := checkTier(k.Tier); err != nil {
		return Remembered{}, err
	}
	store, err := n.oneStore(ctx, root, k.Scope)
	if err != nil {
		return Remembered{}, err
	}
	entry, err := store.Write(ctx, memory.Entry{
		Tier: k.tier(), Agent: k.Agent, Key: k.Key, Value: memory.JSON(n.options.Secrets.Plain(text)), Priority: k.Priority, Source: byUser,
	})
	k.Scope = cmp.Or(k.Scope, memory.ScopeProject)
	return Remembered{Scope: k.Scope, Entry: &entry}, err
}

// MemoryKind is a kind of rows that users see.
type MemoryKind string

// The kinds.
const (
	Entries   MemoryKind = "entry"
	Patterns  MemoryKind = "pattern"
	Playbooks MemoryKind = "playbook"
)

// MemoryFilter chooses rows. Its zero value chooses all.
type MemoryFilter struct {
	Scope  memory.Scope
	Kind   MemoryKind
	Tier   memory.Tier // of entries: patterns and playbooks have none
	Agent  string      // of entries
	Prefix string      // of the keys of entries
	Limit  int         // 0: none
	// Category chooses patterns of one category, and no other rows.
	Category memory.Category
}

// has reports whether rows of a kind may be chosen.
func (f MemoryFilter) has(kind MemoryKind) bool {
	if f.Category != "" && kind != Patterns {
		return false
	}
	return (f.Kind == "" || f.Kind == kind) && (kind == Entries || f.Tier == "" && f.Agent == "" && f.Prefix == "")
}

// Memories lists rows: entries by tier, agent and key, then patterns, then playbooks; the folder's own first.
func (n *Notes) Memories(ctx context.Context, root string, f MemoryFilter) ([]Remembered, error) {
	if err := checkTier(f.Tier); err != nil {
		return nil, err
	}
	if f.Category != "" && !slices.Contains(memory.Categories, f.Category) {
		return nil, fmt.Errorf("%w: the category must be one of %q, not %q", memory.ErrInvalid, memory.Categories, f.Category)
	}
	stores, err := n.scoped(ctx, root, f.Scope)
	if err != nil {
		return nil, err
	}
	var all []Remembered
	for i, store := range stores {
		rows, err := f.rows(ctx, store)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			row.Scope = scopeOf(f.Scope, i)
			all = append(all, row)
		}
	}
	if f.Limit > 0 && len(all) > f.Limit {
		all = all[:f.Limit]
	}
	return all, nil
}

func (f MemoryFilter) categories() []memory.Category {
	if f.Category == "" {
		return nil
	}
	return []memory.Category{f.Category}
}

func (f MemoryFilter) rows(ctx context.Context, store *memory.Store) (rows []Remembered, err error) {
	var entries []memory.Entry
	var patterns []memory.Pattern
	var playbooks []memory.Playbook
	if f.has(Entries) {
		var agents []string
		if f.Agent != "" {
			agents = []string{f.Agent}
		}
		entries, err = store.List(ctx, memory.EntryFilter{Tier: f.Tier, Agents: agents, Prefix: f.Prefix})
	}
	if err == nil && f.has(Patterns) {
		patterns, err = store.Patterns(ctx, f.categories()...)
	}
	if err == nil && f.has(Playbooks) {
		playbooks, err = store.Playbooks(ctx)
	}
	for i := range entries {
		rows = append(rows, Remembered{Entry: &entries[i]})
	}
	for i := range patterns {
		rows = append(rows, Remembered{Pattern: &patterns[i]})
	}
	for i := range playbooks {
		rows = append(rows, Remembered{Playbook: &playbooks[i]})
	}
	return rows, err
}

// SearchMemory returns the entries and patterns most relevant to a text, best first; a limit of 0 means memory's default.
func (n *Notes) SearchMemory(ctx context.Context, root, text string, scope memory.Scope, limit int) ([]Remembered, error) {
	m, err := n.options.State.Memory(ctx, root)
	if err != nil {
		return nil, err
	}
	if !slices.Contains([]memory.Scope{"", memory.ScopeProject, memory.ScopeGlobal}, scope) {
		_, err := n.scoped(ctx, root, scope)
		return nil, err
	}
	hits, err := m.Recall(ctx, memory.Query{Text: text, Scope: scope, Limit: limit})
	var rows []Remembered
	for _, h := range hits {
		rows = append(rows, Remembered{Scope: h.Scope, Score: h.Score, Entry: h.Entry, Pattern: h.Pattern})
	}
	return rows, err
}

// WhyRemembered returns the source of a row, and the changes of its rank since. The error matches memory.ErrNotFound.
func (n *Notes) WhyRemembered(ctx context.Context, root string, scope memory.Scope, id string) (memory.Provenance, error) {
	store, err := n.oneStore(ctx, root, scope)
	if err != nil {
		return memory.Provenance{}, err
	}
	return store.Why(ctx, memory.ID(id))
}

// Forget deletes a row of memory permanently. The error matches memory.ErrNotFound if there is none.
func (n *Notes) Forget(ctx context.Context, root string, scope memory.Scope, id string) error {
	store, err := n.oneStore(ctx, root, scope)
	if err != nil {
		return err
	}
	return store.Forget(ctx, memory.ID(id))
}

// ExportMemory writes rows as JSON lines, and returns their number; see memory.Store.Export.
func (n *Notes) ExportMemory(ctx context.Context, root string, scope memory.Scope, w io.Writer, tiers ...memory.Tier) (int, error) {
	for _, tier := range tiers {
		if err := checkTier(tier); err != nil {
			return 0, err
		}
	}
	store, err := n.oneStore(ctx, root, scope)
	if err != nil {
		return 0, err
	}
	return store.Export(ctx, w, tiers...)
}

// redactLines replaces the secrets in lines of JSON.
func (n *Notes) redactLines(text []byte) []byte {
	var safe bytes.Buffer
	for line := range bytes.Lines(text) {
		redacted, _ := n.options.Secrets.JSON(line)
		safe.Write(redacted)
	}
	return safe.Bytes()
}

// ImportMemory reads the output of ExportMemory, from a file with a name; see memory.Store.Import.
func (n *Notes) ImportMemory(ctx context.Context, root string, scope memory.Scope, r io.Reader, name string) (memory.Imported, error) {
	store, err := n.oneStore(ctx, root, scope)
	if err != nil {
		return memory.Imported{}, err
	}
	lines, err := io.ReadAll(r)
	if err != nil {
		return memory.Imported{}, fmt.Errorf("read %s: %w", name, err)
	}
	return store.Import(ctx, bytes.NewReader(n.redactLines(lines)), name)
}
