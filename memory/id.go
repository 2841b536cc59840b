package memory

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"forge/internal/lazyregexp"
)

// ID names one row of one file, for as long as there is memory: an id is never given twice. It begins with
// what it names: "entry-12", "pattern-3", "playbook-1", "spec-2", "iteration-4",
// "task_0123456789ab".
type ID string

// kind is what an ID names.
type kind string

const (
	kindEntry     kind = "entry"
	kindPattern   kind = "pattern"
	kindPlaybook  kind = "playbook"
	kindSpec      kind = "spec"
	kindIteration kind = "iteration"
	kindTask      kind = "task"
)

// numbered is the id of the row with a number.
func (k kind) numbered(n int64) ID { return ID(fmt.Sprintf("%s-%d", k, n)) }

// parse splits an id into its kind and its number, which is 0 for tasks.
func (id ID) parse() (kind, int64, error) {
	if drawn.MatchString(string(id)) {
		name, _, _ := strings.Cut(string(id), "_")
		return kind(name), 0, nil
	}
	name, digits, _ := strings.Cut(string(id), "-")
	n, err := strconv.ParseInt(digits, 10, 64)
	switch k := kind(name); k {
	case kindEntry, kindPattern, kindPlaybook, kindSpec, kindIteration:
		if err == nil && n > 0 && k.numbered(n) == id {
			return k, n, nil
		}
	}
	return "", 0, fmt.Errorf("%w: %q is no id of memory; ids look like entry-12, pattern-3 or task_0123456789ab", ErrInvalid, string(id))
}

// numberOf is the number in an id that must name one kind of row.
func (id ID) numberOf(want kind) (int64, error) {
	k, n, err := id.parse()
	if err == nil && k != want {
		err = fmt.Errorf("%w: %s names no %s", ErrInvalid, id, want)
	}
	return n, err
}

// drawn matches the random ids, which mean the same in every file.
var drawn = lazyregexp.New(`^task_[0-9a-f]{12}$`)

// draw makes an id of twelve hexadecimal digits.
func (k kind) draw(random io.Reader) (ID, error) {
	if random == nil {
		random = rand.Reader
	}
	var b [6]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("draw an id: %w", err)
	}
	return ID(string(k) + "_" + hex.EncodeToString(b[:])), nil
}

// names are what runs, projects and conversations may be called: they become names of files.
var names = lazyregexp.New(`^[\w.-]{1,128}$`)

// checkName refuses what is no name, and the two names that every folder has already.
func checkName(what, name string) error {
	if !names.MatchString(name) || name == "." || name == ".." {
		return fmt.Errorf("%w: %q is no name of a %s: 1 to 128 letters, digits, dots, dashes and underscores", ErrInvalid, name, what)
	}
	return nil
}
