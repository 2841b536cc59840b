//go:build unix

package sandbox

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// maxPipe is the capacity of a pipe, unless root changed it (fs.pipe-max-size of Linux).
const maxPipe = 1 << 20

// drain reads the content of a pipe without waiting. An expired deadline would also prevent (*os.File).Read from reading it.
func drain(to io.Writer, from *os.File) {
	raw, err := from.SyscallConn()
	if err != nil {
		return // it is closed
	}
	_ = raw.Control(func(fd uintptr) {
		for buf, left := make([]byte, 32<<10), maxPipe; left > 0; {
			n, err := syscall.Read(int(fd), buf)
			if errors.Is(err, syscall.EINTR) {
				continue
			}
			if n <= 0 {
				return // it is empty, or at its end
			}
			_, _ = to.Write(buf[:n])
			left -= n
		}
	})
}
