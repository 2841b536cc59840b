package gitdir

import (
	"io/fs"
	"sync"
	"time"
)

// Stamp is the metadata that identifies the state of a file. Every change of a byte, a mode, a name or a time
// changes the file's ctime, which no program can set: an equal stamp means the same file with the same
// content, if its ctime was over when the stamp was taken (see Settled). The zero stamp matches no file.
type Stamp struct {
	Mode         fs.FileMode
	Size         int64
	Modified     int64 // nanoseconds
	Changed      int64 // nanoseconds: ctime
	Device, Node uint64
}

// Settled reports whether the clock of the file system, which ticks every few milliseconds, has advanced since
// the file's last change. now is the ctime of a file changed after the stamp was taken. Other stamps prove
// nothing: a second write within the tick leaves the same stamp.
func (s Stamp) Settled(now int64) bool { return s.Changed < now }

// tick is how much older than now a file's last change must be to count as over: some file system clocks tick that
// slowly. coarseTick is for those with a resolution of seconds. Forge may not write a file into the folder to read
// its clock.
const (
	tick       = 20 * time.Millisecond
	coarseTick = 2500 * time.Millisecond
)

// IsOver reports whether a stamp taken at a time is reliable.
func (s Stamp) IsOver(taken time.Time) bool {
	wait := tick
	if s.Changed%int64(time.Second) == 0 {
		wait = coarseTick
	}
	return s.Changed < taken.Add(-wait).UnixNano()
}

// Last keeps the value for the last key. Its methods are safe for concurrent use; the value is never changed in place.
type Last[K comparable, V any] struct {
	mu    sync.Mutex // guards the fields below
	known bool
	key   K
	value V
}

// Find returns the kept value, if it is that of the key.
func (l *Last[K, V]) Find(key K) (value V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.value, l.known && l.key == key
}

// Keep replaces the kept value.
func (l *Last[K, V]) Keep(key K, value V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known, l.key, l.value = true, key, value
}
