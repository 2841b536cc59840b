package sandbox

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"
)

// grace is how long a pipe may stay open after the end of the process tree. It expires if an outside process holds the other end,
// or this machine is too busy to read the rest.
const grace = 500 * time.Millisecond

// capped keeps the first bytes written to it and drops the rest.
type capped struct {
	buf       bytes.Buffer
	limit     int
	truncated bool
	heard     func(part []byte) // nil receives nothing
}

// Write never fails, so that a drain continues beyond the limit.
func (c *capped) Write(p []byte) (int, error) {
	keep := min(len(p), c.limit-c.buf.Len())
	c.buf.Write(p[:keep])
	c.truncated = c.truncated || keep < len(p)
	if c.heard != nil {
		c.heard(p)
	}
	return len(p), nil
}

// streams are the three pipes of one process and the goroutines that serve them.
type streams struct {
	out, err capped
	theirs   []*os.File // the process's ends, closed after its start
	ours     []*os.File
	stdin    io.Closer // nil if the input is none
	copies   []func()
	done     chan struct{} // one value per copy
}

// connect creates the pipes. It uses files rather than os/exec's own copying, which waits for every
// holder of a pipe before the rest of the tree can be ended.
func connect(c Command, limit int) (_ *streams, err error) {
	s := &streams{out: capped{limit: limit}, err: capped{limit: limit}, done: make(chan struct{}, 3)}
	defer func() {
		if err != nil {
			s.abandon()
		}
	}()
	if err := s.input(c.Stdin); err != nil {
		return nil, err
	}
	if err := s.output(&s.out); err != nil {
		return nil, err
	}
	if c.Merged {
		s.theirs = append(s.theirs, s.theirs[1])
		return s, nil
	}
	if err := s.output(&s.err); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *streams) input(stdin io.Reader) error {
	if stdin == nil {
		null, err := os.Open(os.DevNull)
		if err == nil {
			s.theirs = append(s.theirs, null)
		}
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	s.theirs, s.ours = append(s.theirs, r), append(s.ours, w)
	s.stdin, _ = stdin.(io.Closer)
	s.copies = append(s.copies, func() {
		_, _ = io.Copy(w, stdin) // a process may ignore its input
		_ = w.Close()
	})
	return nil
}

func (s *streams) output(to *capped) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	s.theirs, s.ours = append(s.theirs, w), append(s.ours, r)
	s.copies = append(s.copies, func() {
		if _, err := io.Copy(to, r); errors.Is(err, os.ErrDeadlineExceeded) {
			drain(to, r)
		}
	})
	return nil
}

// serve starts the copying, after the process has started.
func (s *streams) serve() {
	closeAll(s.theirs)
	for _, c := range s.copies {
		go func() {
			c()
			s.done <- struct{}{}
		}()
	}
}

// finish waits until all output was read. The tree has ended, so the pipes are at their end; one that is held
// open from outside is closed after grace, with its content until then.
func (s *streams) finish() {
	if s.stdin != nil {
		_ = s.stdin.Close() // it was only read
	}
	for _, f := range s.ours {
		if err := f.SetDeadline(time.Now().Add(grace)); err != nil && !errors.Is(err, os.ErrClosed) {
			// This system's pipes have no deadlines: closing is the only way, and may lose unread output.
			_ = f.Close()
		}
	}
	for range s.copies {
		<-s.done
	}
	closeAll(s.ours)
}

// abandon closes everything if no process was started.
func (s *streams) abandon() {
	closeAll(s.theirs)
	closeAll(s.ours)
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // a second close is harmless
	}
}
