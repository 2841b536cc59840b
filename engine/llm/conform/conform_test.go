// Package conform tests all adapters of engine/llm with one suite, against the scripted model (engine/llm/llmtest), which
// speaks the format of each adapter on loopback.
//
// A check is a function that returns what is wrong, so that a test can also show that the check detects a broken
// adapter: see Check.
package conform_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// Adapter is an adapter under test.
type Adapter struct {
	Name string
	// New creates the adapter for a server whose root is o.BaseURL ("http://127.0.0.1:4711"): it appends the usual
	// path of its provider's base URLs. It must use the options' HTTP, time-outs, clock, key and tags.
	New func(o wire.Options) llm.Model
	// Lacks lists the abilities that its provider lacks; their checks are skipped.
	Lacks []Ability
}

// Ability is a feature that some providers lack.
type Ability string

// The abilities.
const (
	Streams     Ability = "streams"      // answers in pieces
	Whole       Ability = "whole"        // answers in one piece
	Keys        Ability = "keys"         // a key goes with requests
	Quotas      Ability = "quotas"       // an account can be exhausted
	Temperature Ability = "temperature"  // as Request.Temperature
	Schemas     Ability = "schemas"      // as Request.Schema
	Tools       Ability = "tools"        // as Request.Tools
	ToolChoice  Ability = "tool choice"  // as Request.UseTool
	RawTools    Ability = "raw tools"    // arguments travel as text, so that they can be malformed
	Thinking    Ability = "thinking"     // as Request.Thinking
	Refusals    Ability = "refusals"     // a refusal differs from an answer
	Filters     Ability = "filters"      // a filtered answer is marked
	FinishWords Ability = "finish words" // a finish reason can be unknown
	CacheReads  Ability = "cache reads"  // in usage
	CacheWrites Ability = "cache writes" // in usage
	CacheMarks  Ability = "cache marks"  // Message.Stable reaches the provider
)

// way is how an answer is requested.
type way string

const (
	streamed way = "stream"
	whole    way = "whole"
)

// check is one thing that an adapter must do.
type check struct {
	name  string
	needs []Ability
	ways  []way // nil means both
	run   func(*trial) error
}

func checks() []check {
	return slices.Concat(answerChecks, requestChecks, toolChecks, faultChecks, cutChecks, lifeChecks)
}

// Names returns the names of all checks, for Check.
func Names() []string {
	var names []string
	for _, c := range checks() {
		names = append(names, c.name)
	}
	return names
}

// Run runs every check, streamed and whole, that the provider's abilities permit.
func Run(t *testing.T, a Adapter) {
	t.Helper()
	for _, c := range checks() {
		for _, w := range c.waysOf(a) {
			t.Run(fmt.Sprintf("%s/%s/%s", a.Name, c.name, w), func(t *testing.T) {
				t.Parallel()
				if err := c.try(t.Context(), a, w, t.Logf); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// Check runs one check both ways and returns what is wrong with the adapter, or nil. It is for tests of the checks
// themselves: it fails for an unknown check, or if the adapter lacks the ability.
func Check(ctx context.Context, a Adapter, name string) error {
	for _, c := range checks() {
		if c.name != name {
			continue
		}
		for _, w := range c.waysOf(a) {
			if err := c.try(ctx, a, w, func(string, ...any) {}); err != nil {
				return fmt.Errorf("%s: %w", w, err)
			}
		}
		if len(c.waysOf(a)) > 0 {
			return nil
		}
	}
	return fmt.Errorf("no check %q for the adapter %s", name, a.Name)
}

// waysOf returns the ways in which the check applies to an adapter.
func (c check) waysOf(a Adapter) []way {
	for _, need := range c.needs {
		if a.lacks(need) {
			return nil
		}
	}
	ways := c.ways
	if ways == nil {
		ways = []way{streamed, whole}
	}
	return slices.DeleteFunc(slices.Clone(ways), func(w way) bool {
		return w == streamed && a.lacks(Streams) || w == whole && a.lacks(Whole)
	})
}

func (a Adapter) lacks(what Ability) bool { return slices.Contains(a.Lacks, what) }

// try runs the check; say receives its counts.
func (c check) try(ctx context.Context, a Adapter, w way, say func(format string, args ...any)) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &trial{Adapter: a, way: w, say: say}
	defer func() {
		if ended := t.end(); err == nil {
			err = ended
		}
	}()
	t.within = func() context.Context { return ctx }
	return c.run(t)
}
