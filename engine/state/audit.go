package state

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"forge/engine/permission"
)

// auditLog is what is known of the audit log up to a place in it. Rows before the place are not read again; rows that other processes
// append after it are.
type auditLog struct {
	mu       sync.Mutex
	file     os.FileInfo    // that was read; nil before the first time
	read     int64          // bytes
	last     permission.Row // the last row that can be read
	broken   bool           // a row does not fit the one before it
	spoiled  bool           // the last line is no row
	approved map[string]int // rows before the first that does not fit in which the user allowed a call once, by its digest
}

// auditFile is what the log needs of its file.
type auditFile interface {
	io.ReaderAt
	io.Writer
	Stat() (os.FileInfo, error)
	Truncate(size int64) error
	Sync() error
}

// catchUp reads the rows that are new, and reports whether the log ends with a whole row, as it must to be continued.
func (l *auditLog) catchUp(log auditFile) (whole bool, err error) {
	info, err := log.Stat()
	if err != nil {
		return false, err
	}
	if l.file == nil || !os.SameFile(l.file, info) || info.Size() < l.read {
		l.read, l.last, l.broken, l.spoiled, l.approved = 0, permission.Row{}, false, false, map[string]int{}
	}
	l.file = info
	data := make([]byte, info.Size()-l.read)
	if n, err := log.ReadAt(data, l.read); n < len(data) {
		return false, err
	}
	for {
		line, rest, found := bytes.Cut(data, []byte("\n"))
		if !found {
			return len(data) == 0 && !l.spoiled, nil
		}
		l.take(line)
		data = rest
	}
}

// take reads one line.
func (l *auditLog) take(line []byte) {
	l.read += int64(len(line)) + 1
	row, err := permission.ReadNext(l.last, line)
	if l.broken = l.broken || err != nil; err != nil {
		row, err = permission.ReadRow(line)
	}
	if l.spoiled = err != nil; l.spoiled {
		return
	}
	l.last = row
	if !l.broken && row.Layer == "answer" && row.Verdict == permission.Allow.String() && row.Scope == permission.Once {
		l.approved[row.Digest]++
	}
}

// Record appends a row to the audit log, without secrets.
func (p *Permissions) Record(ctx context.Context, r permission.Row) error {
	r.Call, r.Reason = p.plain(r.Call), p.plain(r.Reason)
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	return p.locked(ctx, func() error {
		log, err := os.OpenFile(p.file("audit.jsonl"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
		if err != nil {
			return p.project.state.Explain(err)
		}
		if err = errors.Join(p.log.add(log, r, p.head()), log.Close()); err != nil {
			return fmt.Errorf("write the audit log: %w", err)
		}
		return p.keepHead(permission.Head{Seq: p.log.last.Seq, Hash: p.log.last.Hash})
	})
}

// head returns which row was the last one of the log. An unreadable file counts as missing: a program that can change it can also rewrite the log.
func (p *Permissions) head() (h permission.Head) {
	data, err := os.ReadFile(p.file("audit.head"))
	if err != nil || json.Unmarshal(data, &h) != nil || h.Seq < 0 {
		return permission.Head{}
	}
	return h
}

// keepHead is called by one process at a time. After a power loss the file may be missing: then missing rows are not detected.
func (p *Permissions) keepHead(h permission.Head) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	temp := p.file("audit.head.new")
	if err := os.WriteFile(temp, data, 0o600); err != nil {
		return p.project.state.Explain(err)
	}
	return p.project.state.Explain(os.Rename(temp, p.file("audit.head")))
}

// add appends a row, and syncs it: the head must not name a row that a loss of power takes. A log that does not end with a row, or that has
// lost rows, cannot be continued. The beginning of a row that the head does not know is no loss: the disk was full, or the process died, and
// the call that the row is about was not allowed. It is cut off.
func (l *auditLog) add(log auditFile, r permission.Row, head permission.Head) error {
	whole, err := l.catchUp(log)
	if err != nil {
		return err
	}
	lost := l.last.Seq < head.Seq || l.last.Seq == head.Seq && l.last.Hash != head.Hash
	switch {
	case l.spoiled || !whole && lost:
		return errors.New("its last row was cut off or changed: forge audit verify names it; move the log away to begin another one")
	case l.last.Seq > 0 && lost:
		return errors.New("its last rows were removed or changed: forge audit verify names the first; move the log away to begin another one")
	case !whole:
		if err := log.Truncate(l.read); err != nil {
			return err
		}
	}
	line := r.After(l.last).Line()
	if _, err := log.Write(append(line, '\n')); err != nil {
		return errors.Join(err, log.Truncate(l.read))
	}
	if err := log.Sync(); err != nil {
		return err
	}
	l.take(line)
	return nil
}

// Approvals counts how often the user allowed a call once, as the audit log has it: of a broken log, in the rows that fit.
func (p *Permissions) Approvals(digest string) int {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	log, err := os.Open(p.file("audit.jsonl"))
	if err != nil {
		return 0
	}
	defer log.Close() //nolint:errcheck // it was only read
	if _, err := p.log.catchUp(log); err != nil {
		return 0
	}
	return p.log.approved[digest]
}

// Audit reads and verifies the whole audit log; the error of a row that does not fit is a *permission.BrokenError.
func (p *Permissions) Audit() ([]permission.Row, error) {
	head := p.head() // before the log, which other processes continue
	data, err := os.ReadFile(p.file("audit.jsonl"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	var lines [][]byte
	if len(data) > 0 {
		lines = bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	}
	return permission.Verify(lines, head)
}
