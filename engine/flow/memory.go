package flow

// Memory is a flow whose journal is in memory, for tests of code over Flow.
type Memory struct{ Flow }

// InMemory is a run without a store.
func InMemory(id string, workers map[string]Worker, o DriverOptions) *Memory { return nil }

// Steps are the journal so far.
func (m *Memory) Steps() []Step { return nil }

// Again is the same run played once more from its journal, as after a crash.
func (m *Memory) Again() *Memory { return nil }

// Performed is what was really performed since InMemory or Again, in order: no replayed step is in it.
func (m *Memory) Performed() []Call { return nil }
