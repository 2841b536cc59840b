package memory

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"time"

	"forge/internal/failpoint"
	"forge/internal/sqlite"
)

// The limits of an import.
const (
	maxLine     = 1 << 20 // bytes
	importBatch = 200     // lines in one transaction
)

// BadLine is a line that was not imported.
type BadLine struct {
	Line   int // from 1
	Reason string
}

// Imported is what became of the lines of a file.
type Imported struct {
	Added int
	Known int       // rows that are here already, with the same content or another: what is here stays
	Bad   []BadLine // everything else
}

// Import reads JSONL as Export writes it, from a file with a name. Lines that are not valid are reported by
// their number, and do not keep the others out. To import a file twice adds nothing.
//
// An imported row says so: its origin is Import, with what the file says of it as the detail. Counts of
// verdicts are part of that detail and count for nothing: a file is not a gate. So an imported pattern is
// shown to no model before a gate of this memory has judged it.
func (s *Store) Import(ctx context.Context, r io.Reader, name string) (Imported, error) {
	var done Imported
	in := importer{store: s, name: name, lines: bufio.NewReaderSize(r, 64<<10)}
	for {
		batch, err := in.batch(&done)
		if err != nil {
			return done, fmt.Errorf("import %s: %w", name, err)
		}
		if len(batch) == 0 {
			return done, nil
		}
		added, err := in.add(ctx, batch)
		if err != nil {
			return done, err
		}
		done.Added += added
		done.Known += len(batch) - added
		failpoint.Hit(failImported)
	}
}

// importer reads one file.
type importer struct {
	store *Store
	name  string
	lines *bufio.Reader
	n     int // lines read
	ended bool
}

// batch reads lines until there are enough, or no more. Bad ones are noted.
func (in *importer) batch(done *Imported) ([]line, error) {
	var batch []line
	for !in.ended && len(batch) < importBatch {
		text, err := in.next()
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(text)) == 0 && len(text) <= maxLine {
			continue
		}
		l, err := parseBounded(text)
		if err != nil {
			done.Bad = append(done.Bad, BadLine{in.n, err.Error()})
			continue
		}
		l.Source = in.marked(l)
		batch = append(batch, l)
	}
	return batch, nil
}

func parseBounded(text []byte) (line, error) {
	if len(text) > maxLine {
		return line{}, fmt.Errorf("%w: longer than %d bytes", ErrInvalid, maxLine)
	}
	return parseLine(text)
}

// next reads a line of any length; it keeps just enough of a line that is too long to detect it.
func (in *importer) next() ([]byte, error) {
	var text []byte
	for {
		part, err := in.lines.ReadSlice('\n')
		if len(text) <= maxLine {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			in.ended = true
		case err != nil:
			return nil, err
		}
		in.n++
		return bytes.TrimSuffix(text, []byte("\n")), nil
	}
}

// marked is where an imported row comes from.
func (in *importer) marked(l line) lineSource {
	detail := fmt.Sprintf("line %d of %s; there: %s", in.n, in.name, Source(l.Source))
	if l.Successes+l.Failures > 0 {
		detail += fmt.Sprintf("; judged there %d times pass, %d times fail", l.Successes, l.Failures)
	}
	return lineSource{Origin: Import, Detail: detail}
}

// add stores the rows that are not here yet, and returns their number.
func (in *importer) add(ctx context.Context, batch []line) (added int, err error) {
	err = in.store.update(ctx, "import "+in.name, func(tx *sql.Tx) error {
		added = 0
		for _, l := range batch {
			known, err := l.known(ctx, tx)
			if err == nil && !known {
				added++
				err = l.put(ctx, tx, in.store.now())
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return added, err
}

// known reports whether there is a row of this identity.
func (l line) known(ctx context.Context, q sqlite.RowSource) (known bool, err error) {
	switch kind(l.Kind) {
	case kindEntry:
		err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM memory WHERE tier = ? AND agent = ? AND key = ?)`,
			string(l.Tier), l.Agent, l.Key).Scan(&known)
	case kindPattern:
		err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM patterns WHERE category = ? AND folded = ?)`,
			string(l.Category), fold(l.Pattern)).Scan(&known)
	default:
		err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM playbooks WHERE folded = ?)`, fold(l.Title)).Scan(&known)
	}
	return known, err
}

func (l line) put(ctx context.Context, tx *sql.Tx, now time.Time) (err error) {
	switch kind(l.Kind) {
	case kindEntry:
		_, err = putEntry(ctx, tx, l.entry(), now)
	case kindPattern:
		_, err = putPattern(ctx, tx, l.pattern(), now)
	default:
		_, err = putPlaybook(ctx, tx, l.playbook(), now)
	}
	return err
}
