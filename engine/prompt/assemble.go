package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"forge/engine/llm"
)

// TooLargeError says that a document is larger than its budget though everything that may be cut was.
type TooLargeError struct{ Tokens, Budget int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the request needs %d tokens and only %d are allowed: name fewer files, or a shorter task", e.Tokens, e.Budget)
}

// Assemble makes the messages of a document, shortened to the budget (in tokens), and tells what they are made of.
// It returns a *TooLargeError when that cannot be done.
//
// What the system says is one message. What is stable for a run is a message of its own, with the mark for caches
// (llm.Message.Stable) at its end; where there is none, the mark stands at the end of what the system says.
func (d Document) Assemble(budget int) ([]llm.Message, llm.Manifest, error) {
	ordered := slices.Clone(d.Sections)
	slices.SortStableFunc(ordered, func(a, b Section) int { return int(a.Kind.place()) - int(b.Kind.place()) })
	system := d.system()
	manifest := llm.Manifest{Budget: budget}
	for _, part := range system {
		manifest.Parts = append(manifest.Parts, llm.Part{Kind: part.kind, Name: part.name, Tokens: Tokens(part.text), Stable: true})
		manifest.Tokens += Tokens(part.text)
	}
	var before, after strings.Builder
	for i, s := range fitAll(ordered, budget-manifest.Tokens) {
		text := s.render()
		if s.Kind.stable() {
			before.WriteString(text)
		} else {
			after.WriteString(text)
		}
		part := s.part(Tokens(text))
		part.Cut = s.Text != ordered[i].Text
		manifest.Parts = append(manifest.Parts, part)
		manifest.Tokens += part.Tokens
	}
	if manifest.Tokens > budget {
		return nil, llm.Manifest{}, &TooLargeError{Tokens: manifest.Tokens, Budget: budget}
	}
	messages := marked(message(system), before.String(), after.String())
	manifest.Hash = hash(messages)
	return messages, manifest, nil
}

func (s Section) part(tokens int) llm.Part {
	return llm.Part{Kind: s.Kind.String(), Name: s.heading(), Source: s.Source, Tokens: tokens, Data: s.Data, Stable: s.Kind.stable()}
}

// marked are the messages of a document, with the mark for caches.
func marked(system llm.Message, before, after string) []llm.Message {
	messages := []llm.Message{system}
	if before != "" {
		messages = append(messages, llm.Message{Role: llm.User, Text: before})
	}
	messages[len(messages)-1].Stable = true
	if after != "" {
		messages = append(messages, llm.Message{Role: llm.User, Text: after})
	}
	return messages
}

// hash names messages by what a model reads of them.
func hash(messages []llm.Message) string {
	h := sha256.New()
	for _, m := range messages {
		// No two sequences are the same bytes: each text comes behind its length.
		_, _ = fmt.Fprintf(h, "%s %d\n%s\n", m.Role, len(m.Text), m.Text) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// render is the section as it stands in a message.
func (s Section) render() string {
	text := strings.TrimRight(s.Text, "\n")
	if s.Data {
		text = Fence(s.Text)
	}
	if s.Note != "" {
		text = s.Note + "\n\n" + text
	}
	return "## " + s.heading() + "\n\n" + text + "\n\n"
}

// maxHeading is how long a heading may be, in bytes: the name of a file may be longer, and made to be read.
const maxHeading = 200

// heading is the name on one line. Names come from files as well: what could begin another line is shown escaped.
func (s Section) heading() string {
	name := s.Name
	if quoted := strconv.Quote(name); strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`) != name {
		name = quoted
	}
	if len(name) > maxHeading {
		name = strings.ToValidUTF8(name[:maxHeading], "") + "…"
	}
	return name
}
