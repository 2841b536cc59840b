package memory

// The places where a process may die, in addition to those of internal/sqlite before and after each commit.
const (
	failImported  = "memory.imported"  // a batch of imported lines is on disk, and more are to come
	failIndexed   = "memory.indexed"   // a part of the index is made again, and it is not marked as whole
	failCollected = "memory.collected" // one kind of rows has been collected, others not yet
)
