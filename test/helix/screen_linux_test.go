package helix

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// patience is how long one wait may take. No test depends on it: without it a Helix that hangs would hang the test.
const patience = 3 * time.Minute

// screen is a Helix on a pseudo-terminal. It is typed to, and read by the messages that it exchanges with its server: the terminal gets
// changed cells only.
type screen struct {
	*session
	cmd    *exec.Cmd
	end    chan struct{} // closed when Helix has ended
	pty    *os.File
	log    string
	reader sync.WaitGroup

	mu   sync.Mutex // guards seen
	seen bytes.Buffer
}

// open starts Helix with a file.
func (d *session) open(file string) *screen {
	t := d.t
	t.Helper()
	pty, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	var number, unlocked int32
	control(t, pty, syscall.TIOCSPTLCK, unsafe.Pointer(&unlocked))
	control(t, pty, syscall.TIOCGPTN, unsafe.Pointer(&number))
	control(t, pty, syscall.TIOCSWINSZ, unsafe.Pointer(&[4]uint16{50, 160}))
	tty, err := os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	s := &screen{session: d, end: make(chan struct{}), pty: pty, log: filepath.Join(t.TempDir(), "log")}
	ctx, cancel := context.WithCancel(t.Context())
	s.cmd = exec.CommandContext(ctx, helix(t), file)
	s.cmd.Dir, s.cmd.Env = d.workspace, append(os.Environ(), append(d.environ, tapLog+"="+s.log, tapServer+"="+forge, "TERM=xterm-256color", "LC_ALL=C.UTF-8")...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, tty
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, s.cmd.Start())
	require.NoError(t, tty.Close())
	s.reader.Go(s.read)
	go func() {
		_ = s.cmd.Wait() // the server has ended, which its messages say; or it was killed
		close(s.end)
	}()
	t.Cleanup(func() { cancel(); <-s.end; _ = pty.Close(); s.reader.Wait() })
	return s
}

func (s *screen) ended() bool {
	select {
	case <-s.end:
		return true
	default:
		return false
	}
}

func control(t *testing.T, f *os.File, request uintptr, value unsafe.Pointer) {
	t.Helper()
	raw, err := f.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(value)); errno != 0 {
			err = errno
		}
	}))
	require.NoError(t, err)
}

// read takes what Helix draws: a full terminal would hold it up.
func (s *screen) read() {
	for part := make([]byte, 4096); ; {
		n, err := s.pty.Read(part)
		s.mu.Lock()
		s.seen.Write(part[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// types types keys.
func (s *screen) types(keys string) {
	s.t.Helper()
	_, err := s.pty.WriteString(keys)
	require.NoError(s.t, err)
}

// command types a command while no menu is open. An Escape that Helix has not read yet makes the key behind it Alt: that is h, which does
// nothing then, and otherwise moves the cursor.
func (s *screen) command(line string) {
	s.t.Helper()
	s.types("h:" + line + "\r")
}

// messages are those that were exchanged so far.
func (s *screen) messages() (all []line) {
	text, _ := os.ReadFile(s.log) // before the server is started there is none
	for entry := range strings.Lines(string(text)) {
		var l line
		if json.Unmarshal([]byte(entry), &l) == nil {
			all = append(all, l)
		}
	}
	return all
}

// until waits for a message after the first so many, and returns it. Meanwhile it presses a key, if there is one, until the message comes:
// a menu takes keys only once it is drawn, which cannot be seen from outside. It presses ever more seldom: each save that is asked for begins
// anew with what the server is asked before it.
func (s *screen) until(what string, from int, key string, is func(l line) bool) message {
	s.t.Helper()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	press, pause := time.Now(), 200*time.Millisecond
	for end := time.Now().Add(patience); time.Now().Before(end); <-look.C {
		for _, l := range s.messages()[min(from, len(s.messages())):] {
			if is(l) {
				return l.Message
			}
		}
		if key != "" && !time.Now().Before(press) {
			s.types(key)
			pause *= 2
			press = time.Now().Add(pause)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var tail []string
	for _, l := range s.messages()[max(0, len(s.messages())-15):] {
		tail = append(tail, l.To+" "+l.Message.Method+" "+string(l.Message.Params)+string(l.Message.Result)+string(l.Message.Error))
	}
	drawn := s.seen.Bytes()
	s.t.Fatalf("%s did not come\nthe last messages:\n%s\ndrawn last: %q", what, strings.Join(tail, "\n"), drawn[max(0, len(drawn)-3000):])
	return message{}
}
