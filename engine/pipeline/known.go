package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/prompt"
	"forge/engine/step"
)

// known is what models were shown beside the context of the task. It outlasts attempts.
type known struct {
	explored []looked         // what was looked at
	saw      []string         // files that the model was shown whole
	advice   []prompt.Section // for the attempt that begins
	answers  []prompt.Section // what the user said to a model that could not go on
	answered string           // the words of the user in them, and nothing of the model's
}

func (k *known) knows(key string) bool {
	return slices.ContainsFunc(k.explored, func(l looked) bool { return l.key == key })
}

func (k *known) exploredBytes() (sum int) {
	for _, l := range k.explored {
		sum += len(l.said.Text)
	}
	return sum
}

// findings are what was explored, and what is advised for the next attempt: sections of documents from then on.
func (k *known) findings() []prompt.Section {
	var sections []prompt.Section
	for i, l := range k.explored {
		name := fmt.Sprintf("Looked at, %d", i+1)
		if l.said.Failed {
			name += " (in vain)"
		}
		sections = append(sections, prompt.Section{Kind: prompt.Explored, Name: name, Text: l.question + "\n" + strings.TrimRight(l.said.Text, "\n"), Data: true, Cut: 2})
	}
	return slices.Concat(sections, k.answers, k.advice)
}

// looked is something that was looked at, and what was seen.
type looked struct {
	key      string // the same for what asks for the same
	question string // what was asked, as JSON
	said     step.ToolResult
}

// show notes files that a model was shown whole.
func (k *known) show(paths ...string) { k.saw = merge(k.saw, paths) }

// add keeps what was looked at.
func (k *known) add(l looked) { k.explored = append(k.explored, l) }

// hear keeps the words of the user.
func (k *known) hear(said string) { k.answered += "\n" + said }

// advise puts advice for the next attempt in the place of what there was.
func (k *known) advise(advice []prompt.Section) { k.advice = advice }

// addAnswer keeps what the user said to a model that could not go on.
func (k *known) addAnswer(answer prompt.Section) { k.answers = append(k.answers, answer) }
