package permission

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Row is a line of the audit log: a decision about one call of a tool.
type Row struct {
	Seq     int       `json:"seq"` // from 1
	Time    time.Time `json:"time"`
	Run     string    `json:"run"`
	Agent   Agent     `json:"agent"`
	Tool    string    `json:"tool"`
	Call    string    `json:"call"`   // its arguments as JSON, without secrets; of a long one the beginning
	Digest  string    `json:"digest"` // SHA-256 of the whole call, before secrets were removed
	Verdict string    `json:"verdict"`
	Layer   string    `json:"layer"`
	Code    string    `json:"code,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Scope   Scope     `json:"scope,omitempty"` // of the user's answer
	Prev    string    `json:"prev"`            // the hash of the row before; empty in the first
	Hash    string    `json:"hash"`            // SHA-256 of Prev and the row without its hash
}

// After returns the row with its place after another one: numbered, and chained to it. The zero Row is before the first.
func (r Row) After(last Row) Row {
	r.Seq, r.Prev, r.Time = last.Seq+1, last.Hash, r.Time.UTC()
	r.Hash = r.sum()
	return r
}

func (r Row) sum() string {
	r.Hash = ""
	text, _ := json.Marshal(r) // strings, a number and a time
	sum := sha256.Sum256(append([]byte(r.Prev+"\n"), text...))
	return hex.EncodeToString(sum[:])
}

// Line returns the row as the log has it, without an end of line.
func (r Row) Line() []byte {
	text, _ := json.Marshal(r)
	return text
}

// BrokenError means that a row of the audit log does not fit: it was changed, or one before it was removed.
type BrokenError struct {
	Row    int // its number in the log, from 1
	Reason string
}

// Error names the row.
func (e *BrokenError) Error() string {
	return fmt.Sprintf("row %d of the audit log does not fit: %s", e.Row, e.Reason)
}

// ReadRow reads a line of the log.
func ReadRow(line []byte) (r Row, err error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&r)
	return r, err
}

// ReadNext reads the line after a row, the zero Row before the first. The error, a *BrokenError, is why it does not fit there.
func ReadNext(last Row, line []byte) (Row, error) {
	row, err := ReadRow(line)
	switch {
	case err != nil:
		return row, &BrokenError{last.Seq + 1, "it cannot be read"}
	case row.Seq != last.Seq+1 || row.Prev != last.Hash:
		return row, &BrokenError{last.Seq + 1, "it is not the one after the row before it"}
	case row.Hash != row.sum() || !bytes.Equal(row.Line(), line):
		return row, &BrokenError{last.Seq + 1, "it was changed"}
	}
	return row, nil
}

// Head is the last row of a log, stored next to the log to detect rows that are missing at the end. The zero Head is of none.
type Head struct {
	Seq  int    `json:"seq"`
	Hash string `json:"hash"`
}

// Verify reads all lines of a log, whose last row was at least the head. The error, a *BrokenError, is of the first row that does not fit or is missing;
// the rows before it are returned.
func Verify(lines [][]byte, head Head) (rows []Row, err error) {
	var last Row
	for _, line := range lines {
		if last, err = ReadNext(last, line); err != nil {
			return rows, err
		}
		rows = append(rows, last)
	}
	switch {
	case len(rows) < head.Seq:
		return rows, &BrokenError{len(rows) + 1, fmt.Sprintf("the end of the log is missing; its last row was row %d", head.Seq)}
	case head.Seq > 0 && rows[head.Seq-1].Hash != head.Hash:
		return rows[:head.Seq-1], &BrokenError{head.Seq, "it is not the one that was recorded"}
	}
	return rows, nil
}
