package tool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"forge/engine/llm"
)

type askArgs struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices,omitempty" jsonschema:"two to four, the most careful first; left out where only words will do"`
}

// maxChoices is how many answers the user is given to choose from.
const maxChoices = 4

// Question reads the arguments of a tool that the user answers. The error states, for the model, what is wrong with them.
func Question(args json.RawMessage) (question string, choices []string, err error) {
	var a askArgs
	if err := llm.Decode(string(args), &a); err != nil {
		return "", nil, err
	}
	switch {
	case strings.TrimSpace(a.Question) == "":
		return "", nil, errors.New("the question is empty")
	case len(a.Choices) == 1 || len(a.Choices) > maxChoices:
		return "", nil, errors.New("choices are two to four, or none")
	}
	return a.Question, a.Choices, nil
}

// askUser is for runs without a user to ask.
func askUser(context.Context, World, askArgs) (Result, error) {
	return failed("no user can answer here: decide by what is in the folder, and state what you assumed"), nil
}
