package state

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/engine/workspace"
	"forge/internal/inert"
	"forge/patch"
)

// Conversation is what was asked and answered in runs that continue each other. Its id is the Thread of its runs; a run without one
// is a conversation of its own, with the id of the run.
type Conversation struct {
	ID    string
	Turns []Turn // the oldest first; at least one
}

// Title returns the beginning of what was asked first, in one line.
func (c Conversation) Title() string {
	return patch.Clip(strings.Join(strings.Fields(c.Turns[0].Asked), " "), 100)
}

// Last returns the time of the last turn.
func (c Conversation) Last() time.Time { return c.Turns[len(c.Turns)-1].At }

// Count returns the number of turns, those of a synopsis included.
func (c Conversation) Count() (n int) {
	for _, t := range c.Turns {
		n += max(1, t.Synopsis)
	}
	return n
}

// Turn is one request of a conversation and its result: a line of its file. Its names are a file format.
type Turn struct {
	At       time.Time `json:"at"`
	Run      string    `json:"run,omitempty"` // empty for a synopsis
	Recipe   string    `json:"recipe,omitempty"`
	Asked    string    `json:"asked"` // both texts are shortened to the length of a line: the run has the whole texts
	Answered string    `json:"answered,omitempty"`
	Synopsis int       `json:"synopsis,omitempty"` // how many turns the line replaces; 0 is one
}

// maxTurnLine is the most bytes of a line with its end. Systems append a write of this size as a whole.
const maxTurnLine = 4096

// synopsisAfter is the age at which a conversation is reduced to a synopsis.
const synopsisAfter = 14 * 24 * time.Hour

// ErrNoConversation means that a folder has no conversation of the given id, or none at all.
var ErrNoConversation = errors.New("there is no such conversation")

// AddTurn appends a turn to a conversation of the folder. Processes may append at the same time.
func (p *Project) AddTurn(ctx context.Context, id string, t Turn) error {
	if err := checkConversationID(id); err != nil {
		return err
	}
	line, err := turnLine(t)
	if err != nil {
		return err
	}
	return p.withConversations(ctx, func() error {
		file, err := OpenLines(p.ConversationFile(id))
		if err != nil {
			return err
		}
		_, err = file.Write(line)
		return errors.Join(err, file.Close())
	})
}

// checkConversationID rejects what cannot be the id of a conversation, which is the name of a file.
func checkConversationID(id string) error {
	if !ValidID(id) {
		return fmt.Errorf("%q is no id of a conversation: want letters, digits, dots, dashes and underscores, at most 128", id)
	}
	return nil
}

// withConversations calls do with the lock of the folder's conversations.
func (p *Project) withConversations(ctx context.Context, do func() error) error {
	dir := filepath.Dir(p.ConversationFile("*"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // nothing is written to it
	if err := workspace.WaitForLock(ctx, lock); err != nil {
		return fmt.Errorf("lock the conversations: %w", err)
	}
	defer workspace.Unlock(lock)
	return do()
}

// turnLine encodes a turn as a line. Texts that are too long for it are shortened, the answer first.
func turnLine(t Turn) ([]byte, error) {
	for most := maxTurnLine; most > 0; most -= 64 {
		t.Asked, t.Answered = inert.Clip(t.Asked, most/2-len("…")), inert.Clip(t.Answered, most-len("…"))
		var line bytes.Buffer
		encoder := json.NewEncoder(&line) // ends the line
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(t); err != nil {
			return nil, fmt.Errorf("encode a turn of a conversation: %w", err)
		}
		if line.Len() <= maxTurnLine {
			return line.Bytes(), nil
		}
	}
	return nil, errors.New("a turn of a conversation does not fit into a line")
}

// Conversation returns a conversation of the folder. The error matches ErrNoConversation.
func (p *Project) Conversation(id string) (Conversation, error) {
	if err := checkConversationID(id); err != nil {
		return Conversation{}, err
	}
	turns, err := readTurns(p.ConversationFile(id))
	if err == nil && len(turns) == 0 {
		err = fmt.Errorf("%w as %q", ErrNoConversation, id)
	}
	return Conversation{ID: id, Turns: turns}, err
}

// Conversations lists the conversations of the folder, the one with the newest turn first.
func (p *Project) Conversations(ctx context.Context) ([]Conversation, error) {
	names, err := workspace.Matching(filepath.Dir(p.ConversationFile("*")), "*.jsonl")
	if err != nil {
		return nil, err
	}
	var all []Conversation
	for _, name := range names {
		turns, err := readTurns(name)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		if len(turns) > 0 {
			all = append(all, Conversation{ID: strings.TrimSuffix(filepath.Base(name), ".jsonl"), Turns: turns})
		}
	}
	slices.SortStableFunc(all, func(a, b Conversation) int { return b.Last().Compare(a.Last()) })
	return all, nil
}

// readTurns reads the turns of a file. It skips damaged lines; of several turns of one run, as a resumed run has, the last counts. A
// missing file has none.
func readTurns(name string) (turns []Turn, err error) {
	text, err := os.ReadFile(name) //nolint:gosec // a file of our own
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read a conversation: %w", err)
	}
	for line := range bytes.Lines(text) {
		var t Turn
		if json.Unmarshal(line, &t) != nil || t.Asked == "" {
			continue
		}
		if t.Run != "" {
			turns = slices.DeleteFunc(turns, func(before Turn) bool { return before.Run == t.Run })
		}
		turns = append(turns, t)
	}
	return turns, nil
}

// ReduceConversations replaces old conversations of the folder by synopses, or with dryRun does nothing, and returns their number.
func (p *Project) ReduceConversations(ctx context.Context, dryRun bool) (int, error) {
	all, err := p.Conversations(ctx)
	if err != nil {
		return 0, err
	}
	now := p.state.Now()
	old := slices.DeleteFunc(all, func(c Conversation) bool {
		return len(c.Turns) == 1 && c.Turns[0].Synopsis > 0 || now.Sub(c.Last()) < synopsisAfter
	})
	if dryRun || len(old) == 0 {
		return len(old), nil
	}
	return len(old), p.withConversations(ctx, func() error {
		for _, c := range old {
			if err := reduce(p.ConversationFile(c.ID), now); err != nil {
				return err
			}
		}
		return nil
	})
}

// reduce replaces the turns of a file by their synopsis, unless there is a new turn. The caller has the lock.
func reduce(name string, now time.Time) error {
	turns, err := readTurns(name)
	if err != nil || len(turns) == 0 {
		return err
	}
	c := Conversation{Turns: turns}
	if now.Sub(c.Last()) < synopsisAfter {
		return nil
	}
	line, err := turnLine(c.synopsis())
	if err != nil {
		return err
	}
	next, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // a file of our own
	if err != nil {
		return err
	}
	_, err = next.Write(line)
	if err = errors.Join(err, next.Sync(), next.Close()); err != nil {
		return err
	}
	return os.Rename(next.Name(), name)
}

// The most bytes of a synopsis for each question, and for the last answer.
const (
	synopsisAsked    = 160
	synopsisAnswered = 1200
)

// synopsis returns a turn that summarizes a whole conversation: what was asked, and the last answer.
func (c Conversation) synopsis() Turn {
	var asked []string
	for _, t := range c.Turns {
		if t.Synopsis > 0 {
			asked = append(asked, t.Asked)
			continue
		}
		asked = append(asked, inert.Clip(strings.Join(strings.Fields(t.Asked), " "), synopsisAsked-len("…")))
	}
	last := c.Turns[len(c.Turns)-1]
	return Turn{At: last.At, Asked: strings.Join(asked, "\n"), Answered: inert.Clip(last.Answered, synopsisAnswered-len("…")), Synopsis: c.Count()}
}
