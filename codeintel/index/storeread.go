package index

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"forge/codeintel"
)

// loadWait is how long the first answer waits for a database that is locked.
const loadWait = time.Second

// load reads what is known of files, and their words. It is empty when nothing is kept on disk, or nothing that is
// of use.
func (s *store) load(ctx context.Context) (records map[string]record, segments []*segment) {
	if s.options.Dir == "" {
		return nil, nil
	}
	name := filepath.Join(s.options.Dir, databaseName)
	is, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		records, segments, err = s.loadFrom(ctx, is)
	}
	switch {
	case err == nil:
		return records, segments
	case isDamage(err):
		s.setAside(err)
	default:
		s.close()
		s.database = nil
		s.note(fmt.Sprintf("The index in %s cannot be read, all files are read again (%v).", s.options.Dir, err))
	}
	return nil, nil
}

func (s *store) loadFrom(ctx context.Context, is os.FileInfo) (map[string]record, []*segment, error) {
	database, err := openDatabase(s.options.Dir, loadWait)
	if err != nil {
		return nil, nil, err
	}
	s.database = database
	database.is = is
	version, err := database.version(ctx, database.pool)
	if err != nil || version == 0 {
		return nil, nil, err
	}
	records, err := loadRecords(ctx, database.pool)
	if err != nil {
		return nil, nil, fmt.Errorf("read files: %w", err)
	}
	segments, err := s.loadSegments(ctx, database.pool)
	if err != nil {
		return nil, nil, fmt.Errorf("read segments: %w", err)
	}
	s.mu.Lock()
	s.reading = database.pool
	s.mu.Unlock()
	return records, segments, nil
}

func loadRecords(ctx context.Context, from *sql.DB) (map[string]record, error) {
	records := map[string]record{}
	rows, err := from.QueryContext(ctx, "SELECT path, size, changed, seen, hash, reason FROM files")
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports it
	for rows.Next() {
		var r record
		var path, hash, reason sql.RawBytes
		if err := rows.Scan(&path, &r.size, &r.changed, &r.seen, &hash, &reason); err != nil {
			return nil, err
		}
		r.hash, r.reason = hex.EncodeToString(hash), Reason(reason)
		if r.isKept() {
			records[string(path)] = r
		}
	}
	return records, rows.Err()
}

func (s *store) loadSegments(ctx context.Context, from *sql.DB) ([]*segment, error) {
	var segments []*segment
	rows, err := from.QueryContext(ctx, "SELECT id, data FROM segments ORDER BY id DESC")
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports it
	for rows.Next() {
		var id int64
		var data sql.RawBytes
		if err := rows.Scan(&id, &data); err != nil {
			return nil, err
		}
		in, err := decodeSegment(data)
		if err != nil {
			return nil, err
		}
		s.ids[in] = id
		segments = append(segments, in)
	}
	return segments, rows.Err()
}

// outline returns an outline that is kept on disk.
func (s *store) outline(ctx context.Context, hash string, language codeintel.Language) (codeintel.Outline, bool) {
	s.mu.Lock()
	from := s.reading
	s.mu.Unlock()
	raw, err := hex.DecodeString(hash)
	if from == nil || err != nil {
		return codeintel.Outline{}, false
	}
	var data []byte
	err = from.QueryRowContext(ctx, "SELECT data FROM outlines WHERE hash = ? AND language = ? AND version = ?",
		raw, string(language), s.options.OutlinerVersion).Scan(&data)
	if err != nil {
		return codeintel.Outline{}, false // whatever it is: the file is parsed
	}
	outline, err := unsealOutline(data)
	return outline, err == nil
}

func unsealOutline(sealed []byte) (codeintel.Outline, error) {
	encoded, err := unseal(sealed)
	if err != nil {
		return codeintel.Outline{}, err
	}
	return decodeOutline(encoded)
}

// loadOutlines returns the outlines of files, as far as they are kept on disk; the others are nil.
func (s *store) loadOutlines(ctx context.Context, files []*file) []*codeintel.Outline {
	outlines := make([]*codeintel.Outline, len(files))
	s.mu.Lock()
	from := s.reading
	s.mu.Unlock()
	if from == nil || len(files) == 0 {
		return outlines
	}
	sealed := s.readOutlines(ctx, from, files) // what cannot be read is parsed
	inParts(len(files), s.options.Workers, func(_, from, to int) {
		for i := from; i < to; i++ {
			if outline, err := unsealOutline(sealed[i]); err == nil {
				outlines[i] = &outline
			}
		}
	})
	return outlines
}

// readOutlines returns the encoded outlines of files, as far as they are there.
func (s *store) readOutlines(ctx context.Context, from *sql.DB, files []*file) [][]byte {
	sealed := make([][]byte, len(files))
	wanted := map[outlineKey][]int{}
	for i, f := range files {
		key := outlineKey{f.Hash, f.Language}
		wanted[key] = append(wanted[key], i)
	}
	rows, err := from.QueryContext(ctx, "SELECT hash, language, data FROM outlines WHERE version = ?", s.options.OutlinerVersion)
	if err != nil {
		return sealed
	}
	defer rows.Close() //nolint:errcheck // nothing was written
	for rows.Next() {
		var hash, language, data sql.RawBytes
		if rows.Scan(&hash, &language, &data) != nil {
			break
		}
		if of := wanted[outlineKey{hex.EncodeToString(hash), codeintel.Language(language)}]; of != nil {
			data := bytes.Clone(data)
			for _, i := range of {
				sealed[i] = data
			}
		}
	}
	if rows.Err() != nil {
		return sealed // what is not read is parsed again
	}
	return sealed
}
