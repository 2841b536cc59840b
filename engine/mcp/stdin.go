package mcp

import (
	"io"
	"os"
	"time"
)

// stdin is the input of a server. It ends with the process, too: the sandbox waits for both.
type stdin struct{ *io.PipeReader }

// WriteTo copies the input to the pipe of a process until either of them ends.
func (s stdin) WriteTo(pipe io.Writer) (int64, error) {
	if f, is := pipe.(*os.File); is && f.SetReadDeadline(time.Time{}) == nil {
		over := make(chan struct{})
		go func() {
			defer close(over)
			untilGone(f)
			_ = s.CloseWithError(io.ErrClosedPipe)
		}()
		defer func() {
			_ = f.SetReadDeadline(time.Now()) // which ends untilGone
			<-over
		}()
	}
	return io.Copy(struct{ io.Writer }{pipe}, s.PipeReader)
}

// untilGone blocks until no process reads from a pipe any more, or a deadline of the pipe is over: the sandbox sets one when the process
// has ended. Nothing is read: this is the end that is written to.
func untilGone(pipe *os.File) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	woken := false
	_ = raw.Read(func(uintptr) (done bool) { // any end is one
		done, woken = woken, true
		return done
	})
}
