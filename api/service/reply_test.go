package service

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
)

// A text given in advance answers the first question for information. It consents to no question that the user has not seen, and to no second one.
func TestReply_AnswersOneQuestion(t *testing.T) {
	t.Parallel()
	unsure := event.Question{ID: "q1", Kind: event.AskClarification, Title: "Which?", Default: "1", FreeText: "an answer"}
	tests := func(id, detail string) event.Question {
		return event.Question{
			ID: id, RunID: "r-1", Kind: event.AskUnblock, Title: "1 test passes today and would not any more. Is that wanted?", Detail: detail,
			Choices: []event.Choice{{ID: "reject", Title: "No, they must continue to pass"}, {ID: "approve", Title: "Yes, they ask for what is to change"}},
			Default: "reject", FreeText: "what the change should do instead",
		}
	}
	seen := []event.Event{{Data: event.Asked{Question: tests("q7", "TestA")}}}
	for name, c := range map[string]struct {
		text     string
		asked    []event.Question
		answered []string // "" is no answer
	}{
		"information":                       {"round up", []event.Question{unsure, unsure}, []string{"1 round up", "1 round up"}},
		"a yes to a question for a text":    {"yes", []event.Question{unsure, tests("q2", "TestA")}, []string{"1 yes", ""}},
		"a yes to a question that was seen": {"yes", []event.Question{tests("q1", "TestA"), tests("q1", "TestA"), tests("q2", "TestA")}, []string{"approve ", "approve ", ""}},
		"a no":                              {"No", []event.Question{tests("q1", "TestA")}, []string{"reject "}},
		"a yes to another one":              {"yes", []event.Question{tests("q1", "TestB")}, []string{""}},
		"other words":                       {"yes, TestA may change", []event.Question{tests("q1", "TestA")}, []string{""}},
		"none":                              {"", []event.Question{unsure, tests("q1", "TestA")}, []string{"", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Reply{Text: c.text}
			r.Seen = seen
			for i, q := range c.asked {
				got := ""
				if answer, is := r.To(q); is {
					got = answer.Choice + " " + answer.Text
				}
				require.Equal(t, c.answered[i], got, i)
			}
		})
	}
}
