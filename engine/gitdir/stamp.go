package gitdir

import (
	"io/fs"
	"time"
)

// Stamp is what the file system says of a file. Whoever changes a byte, a mode, a name or even a time of the
// file changes its ctime, which no program can set: the same stamp is the same file with the same content, as
// long as its ctime was over when the stamp was taken (see Settled). The zero stamp is nobody's.
type Stamp struct {
	Mode         fs.FileMode
	Size         int64
	Modified     int64 // nanoseconds
	Changed      int64 // nanoseconds: ctime
	Device, Node uint64
}

// Settled reports whether the clock of the file system, which ticks every few milliseconds, has gone on since
// the file was changed last. now is the ctime of a file changed after the stamp was taken. A stamp that is not
// Settled proves nothing: a second write within the tick leaves the same one.
func (s Stamp) Settled(now int64) bool { return s.Changed < now }

// tick is how much older than now a file's last change has to be to count as over: clocks of file systems tick that
// slowly. coarseTick is that of those that know seconds only. The folder is not ours to write a file into, by which
// its own clock could be asked.
const (
	tick       = 20 * time.Millisecond
	coarseTick = 2500 * time.Millisecond
)

// IsOver reports whether a stamp that was taken at a time can be believed later.
func (s Stamp) IsOver(taken time.Time) bool {
	wait := tick
	if s.Changed%int64(time.Second) == 0 {
		wait = coarseTick
	}
	return s.Changed < taken.Add(-wait).UnixNano()
}
