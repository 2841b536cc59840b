package shadow

import "io/fs"

// stamp is what the file system says of a file. Whoever changes a byte, a mode, a name or even a time of the
// file changes its ctime, which no program can set: the same stamp is the same file with the same content, as
// long as its ctime was over when the stamp was taken (see settled). The zero stamp is nobody's.
type stamp struct {
	Mode         fs.FileMode
	Size         int64
	Modified     int64 // nanoseconds
	Changed      int64 // nanoseconds: ctime
	Device, Node uint64
}

// settled reports whether the clock of the file system, which ticks every few milliseconds, has gone on since
// the file was changed last. now is the ctime of a file changed after the stamp was taken. A stamp that is not
// settled proves nothing: a second write within the tick leaves the same one.
func (s stamp) settled(now int64) bool { return s.Changed < now }
