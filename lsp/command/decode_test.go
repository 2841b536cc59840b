package command_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/lsp/command"
)

func raw(values ...string) []json.RawMessage {
	var messages []json.RawMessage
	for _, v := range values {
		messages = append(messages, json.RawMessage(v))
	}
	return messages
}

func TestDecode(t *testing.T) {
	t.Parallel()
	selection := &command.Range{Start: command.Position{Line: 1, Character: 2}, End: command.Position{Line: 3}}
	for name, tc := range map[string]struct {
		command   string
		arguments []json.RawMessage
		want      any
	}{
		"nothing":       {command.Run, nil, &command.RunArgs{}},
		"null":          {command.Run, raw("null"), &command.RunArgs{}},
		"empty object":  {command.Doctor, raw("{}"), &command.NoArgs{}},
		"one object":    {command.Run, raw(`{"task":"add","wait":true}`), &command.RunArgs{Task: "add", Wait: true}},
		"unknown field": {command.Run, raw(`{"task":"add","colour":[1]}`), &command.RunArgs{Task: "add"}},
		"null field":    {command.Run, raw(`{"task":null,"scope":null}`), &command.RunArgs{}},
		"other case is another field": {
			command.Run, raw(`{"Recipe":"nonsense"}`), &command.RunArgs{},
		},
		"nested": {
			command.Run,
			raw(`{"scope":{"uri":"file:///a","range":{"start":{"line":1,"character":2},"end":{"line":3,"character":0}},"diagnostics":["x"]}}`),
			&command.RunArgs{Scope: &command.Scope{URI: "file:///a", Range: selection, Diagnostics: []string{"x"}}},
		},
		"key=value": {
			command.Run, raw(`"task=a=b c"`, `"recipe=tdd"`, `"wait=true"`, `"limits.tokens=500"`),
			&command.RunArgs{Task: "a=b c", Recipe: "tdd", Wait: true, Limits: &command.Limits{Tokens: 500}},
		},
		"an amount": {
			command.Run, raw(`{"limits":{"costUSD":0.25}}`), &command.RunArgs{Limits: &command.Limits{CostUSD: 0.25}},
		},
		"an amount as text": {
			command.Run, raw(`"limits.costUSD=2"`), &command.RunArgs{Limits: &command.Limits{CostUSD: 2}},
		},
		"repeated key fills a list": {
			command.ApplyProposal, raw(`"select.hunks=f1h1"`, `"select.hunks=f1h2"`),
			&command.ProposalArgs{Select: &command.Select{Hunks: []string{"f1h1", "f1h2"}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := command.Decode(tc.command, tc.arguments)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(tc.want, got))
		})
	}
}

func TestDecodeNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		command   string
		arguments []json.RawMessage
		field     string
		want      string
	}{
		"wrong enum":         {command.Run, raw(`{"recipe":"dance"}`), "recipe", `"dance" is not allowed; want one of implement, fix, tdd, refactor`},
		"enum of wrong type": {command.Run, raw(`{"recipe":7}`), "recipe", "want one of implement, fix, tdd, refactor, test, document"},
		"wrong enum as text": {command.Run, raw(`"approve=all"`), "approve", "plan+edits, edits"},
		"string":             {command.Run, raw(`{"task":7}`), "task", "want a string"},
		"bool":               {command.Run, raw(`{"wait":"yes"}`), "wait", "want true or false"},
		"bool as text":       {command.Run, raw(`"wait=perhaps"`), "wait", "want true or false"},
		"no amount":          {command.Run, raw(`{"limits":{"costUSD":"much"}}`), "limits.costUSD", "want a number from 0"},
		"a debt":             {command.Run, raw(`{"limits":{"costUSD":-0.5}}`), "limits.costUSD", "want a number from 0"},
		"not a number":       {command.Run, raw(`"limits.costUSD=NaN"`), "limits.costUSD", "want a number from 0"},
		"fraction":           {command.Run, raw(`{"limits":{"tokens":1.5}}`), "limits.tokens", "whole number"},
		"negative":           {command.Run, raw(`{"limits":{"minutes":-1}}`), "limits.minutes", "whole number"},
		"huge":               {command.Run, raw(`{"limits":{"minutes":99999999999}}`), "limits.minutes", "whole number"},
		"object":             {command.Run, raw(`{"scope":"file:///a"}`), "scope", "want an object"},
		"list":               {command.ApplyProposal, raw(`{"select":{"hunks":"f1h1"}}`), "select.hunks", "want a list"},
		"list element":       {command.ApplyProposal, raw(`{"select":{"hunks":["a",2]}}`), "select.hunks[1]", "want a string"},
		"missing":            {command.Answer, raw(`{"runId":"r"}`), "askId", "is required"},
		"missing, nested":    {command.Run, raw(`{"scope":{}}`), "scope.uri", "is required"},
		"repeated scalar":    {command.Run, raw(`"task=a"`, `"task=b"`), "task", "want a string"},
		"value and object":   {command.Run, raw(`"limits=1"`, `"limits.tokens=1"`), "limits.tokens", "both"},
		"two objects":        {command.Run, raw(`{}`, `{}`), "", "want one JSON object"},
		"bare text":          {command.Run, raw(`"add a function"`), "", "want one JSON object"},
		"a list":             {command.Run, raw(`[1]`), "", "want one JSON object"},
		"not JSON":           {command.Run, raw(`{`), "", "want one JSON object"},
		"trailing":           {command.Run, raw(`{} {}`), "", "want one JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := command.Decode(tc.command, tc.arguments)
			var wrong *command.ArgumentError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, tc.field, wrong.Field)
			require.Contains(t, wrong.Error(), tc.want)
		})
	}
}

func TestDecodeUnknownCommandNamesTheKnown(t *testing.T) {
	t.Parallel()
	_, err := command.Decode("forge.dance", raw())
	var unknown *command.UnknownError
	require.ErrorAs(t, err, &unknown)
	for _, name := range command.Names() {
		require.Contains(t, err.Error(), name)
	}
}

// FuzzDecode checks that no arguments make Decode panic, and that what it accepts keeps to the enums.
func FuzzDecode(f *testing.F) {
	f.Add(`{"task":"a","recipe":"tdd"}`)
	f.Add(`"limits.tokens=5"`)
	f.Add(`"..=5"`)
	f.Add(`{"scope":{"uri":"x","range":{"start":{},"end":{}}}}`)
	f.Fuzz(func(t *testing.T, argument string) {
		for _, name := range command.Names() {
			args, err := command.Decode(name, raw(argument))
			if run, ok := args.(*command.RunArgs); ok && err == nil && run.Recipe != "" {
				require.Contains(t, strings.Split("implement,fix,tdd,refactor,test,document,explain,review", ","), run.Recipe)
			}
		}
	})
}
