//go:build unix

package terminal

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// unreadWriter writes to a file that may have no reader, such as the stderr of a server. A text for which there is no room is left out, and counted.
type unreadWriter struct {
	file *os.File

	mu   sync.Mutex
	lost int // texts that were left out since the last one
}

// unread returns the writer.
func unread(file *os.File) *unreadWriter { return &unreadWriter{file: file} }

// room is how many bytes a pipe takes at once if poll(2) says that it takes any (PIPE_BUF of POSIX).
const room = 512

// Write never fails and never waits.
func (w *unreadWriter) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := text
	if w.lost > 0 {
		all = append(fmt.Appendf(nil, "\n[forge] %d messages were left out: nothing read them\n", w.lost), text...)
	}
	for len(all) > 0 {
		n := min(len(all), room)
		if !w.ready() {
			w.lost++
			return len(text), nil
		}
		if _, err := w.file.Write(all[:n]); err != nil {
			return len(text), nil //nolint:nilerr // nowhere is left to report it
		}
		all = all[n:]
	}
	w.lost = 0
	return len(text), nil
}

// ready reports whether a write of room bytes would not wait.
func (w *unreadWriter) ready() bool {
	raw, err := w.file.SyscallConn()
	if err != nil {
		return true
	}
	ready := true
	_ = raw.Control(func(fd uintptr) {
		for {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 0) //nolint:gosec // a descriptor
			if err != unix.EINTR {                                                       //nolint:errorlint // of a system call
				ready = n > 0 || err != nil
				return
			}
		}
	})
	return ready
}
