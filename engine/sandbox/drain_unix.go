//go:build unix

package sandbox

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// maxPipe is the most that a pipe holds, unless root says otherwise (fs.pipe-max-size of Linux).
const maxPipe = 1 << 20

// drain reads what is in a pipe and waits for nothing. A deadline that is over keeps (*os.File).Read from what was written before it, too.
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
