package work

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/prompt"
	"forge/engine/step"
)

// Findings are what models were shown beside the context of the task. They outlast attempts.
type Findings struct {
	looked  []Looked         // what was looked at
	Seen    []string         // files that the model was shown whole
	advice  []prompt.Section // for the attempt that begins
	answers []prompt.Section // what the user said to a model that could not go on
	Words   string           // the words of the user in them, and nothing of the model's
}

// Knows reports whether something with this key was looked at.
func (k *Findings) Knows(key string) bool {
	return slices.ContainsFunc(k.looked, func(l Looked) bool { return l.Key == key })
}

// Bytes is how much was seen by looking.
func (k *Findings) Bytes() (sum int) {
	for _, l := range k.looked {
		sum += len(l.Said.Text)
	}
	return sum
}

// Sections are what was explored, and what is advised for the next attempt: sections of documents from then on.
func (k *Findings) Sections() []prompt.Section {
	var sections []prompt.Section
	for i, l := range k.looked {
		name := fmt.Sprintf("Looked at, %d", i+1)
		if l.Said.Failed {
			name += " (in vain)"
		}
		sections = append(sections, prompt.Section{Kind: prompt.Explored, Name: name, Text: l.Question + "\n" + strings.TrimRight(l.Said.Text, "\n"), Data: true, Cut: 2})
	}
	return slices.Concat(sections, k.answers, k.advice)
}

// Looked is something that was looked at, and what was seen.
type Looked struct {
	Key      string // the same for what asks for the same
	Question string // what was asked, as JSON
	Said     step.ToolResult
}

// AddSeen notes files that a model was shown whole.
func (k *Findings) AddSeen(paths ...string) { k.Seen = Union(k.Seen, paths) }

// Add keeps what was looked at.
func (k *Findings) Add(l Looked) { k.looked = append(k.looked, l) }

// AddWords keeps the words of the user.
func (k *Findings) AddWords(said string) { k.Words += "\n" + said }

// Advise puts advice for the next attempt in the place of what there was.
func (k *Findings) Advise(advice []prompt.Section) { k.advice = advice }

// AddAnswer keeps what the user said to a model that could not go on.
func (k *Findings) AddAnswer(answer prompt.Section) { k.answers = append(k.answers, answer) }
