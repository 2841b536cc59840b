package work

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/prompt"
	"forge/engine/step"
)

// Findings are what models have seen besides the context of the task. They outlast attempts.
type Findings struct {
	looked  []Looked         // results of exploring
	Seen    []string         // files that the model has seen whole
	advice  []prompt.Section // for the next attempt
	answers []prompt.Section // the user's answers to a blocked model
	Words   string           // only the user's words in them
}

// Knows reports whether a request with this key was made.
func (k *Findings) Knows(key string) bool {
	return slices.ContainsFunc(k.looked, func(l Looked) bool { return l.Key == key })
}

// Bytes returns the size of all explored results.
func (k *Findings) Bytes() (sum int) {
	for _, l := range k.looked {
		sum += len(l.Said.Text)
	}
	return sum
}

// Sections returns the explored results, and the advice for the next attempt: sections of later documents.
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

// Looked is one request with its result.
type Looked struct {
	Key      string // equal for equal requests
	Question string // the request, as JSON
	Said     step.ToolResult
}

// AddSeen adds files that a model has seen whole.
func (k *Findings) AddSeen(paths ...string) { k.Seen = Union(k.Seen, paths) }

// Add adds a request with its result.
func (k *Findings) Add(l Looked) { k.looked = append(k.looked, l) }

// AddWords adds words of the user.
func (k *Findings) AddWords(said string) { k.Words += "\n" + said }

// Advise replaces the advice for the next attempt.
func (k *Findings) Advise(advice []prompt.Section) { k.advice = advice }

// AddAnswer adds the user's answer to a blocked model.
func (k *Findings) AddAnswer(answer prompt.Section) { k.answers = append(k.answers, answer) }
