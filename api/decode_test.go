package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/api"
)

func raw(values ...string) []json.RawMessage {
	var messages []json.RawMessage
	for _, v := range values {
		messages = append(messages, json.RawMessage(v))
	}
	return messages
}

func TestDecode_ReadsThreeForms(t *testing.T) {
	t.Parallel()
	selection := &api.Range{Start: api.Position{Line: 1, Character: 2}, End: api.Position{Line: 3}}
	for name, tc := range map[string]struct {
		command   string
		arguments []json.RawMessage
		want      any
	}{
		"nothing":       {api.Run, nil, &api.RunArgs{}},
		"null":          {api.Run, raw("null"), &api.RunArgs{}},
		"empty object":  {api.Doctor, raw("{}"), &api.NoArgs{}},
		"one object":    {api.Run, raw(`{"task":"add","wait":true}`), &api.RunArgs{Task: "add", Wait: true}},
		"unknown field": {api.Run, raw(`{"task":"add","colour":[1]}`), &api.RunArgs{Task: "add"}},
		"null field":    {api.Run, raw(`{"task":null,"scope":null}`), &api.RunArgs{}},
		"other case is another field": {
			api.Run, raw(`{"Recipe":"nonsense"}`), &api.RunArgs{},
		},
		"nested": {
			api.Run,
			raw(`{"scope":{"uri":"file:///a","range":{"start":{"line":1,"character":2},"end":{"line":3,"character":0}},"diagnostics":["x"]}}`),
			&api.RunArgs{Scope: &api.Scope{URI: "file:///a", Range: selection, Diagnostics: []string{"x"}}},
		},
		"key=value": {
			api.Run, raw(`"task=a=b c"`, `"recipe=tdd"`, `"wait=true"`, `"limits.tokens=500"`),
			&api.RunArgs{Task: "a=b c", Recipe: "tdd", Wait: true, Limits: &api.Limits{Tokens: 500}},
		},
		"an amount": {
			api.Run, raw(`{"limits":{"costUSD":0.25}}`), &api.RunArgs{Limits: &api.Limits{CostUSD: 0.25}},
		},
		"an amount as text": {
			api.Run, raw(`"limits.costUSD=2"`), &api.RunArgs{Limits: &api.Limits{CostUSD: 2}},
		},
		"repeated key fills a list": {
			api.ApplyProposal, raw(`"select.hunks=f1h1"`, `"select.hunks=f1h2"`),
			&api.ProposalArgs{Select: &api.Select{Hunks: []string{"f1h1", "f1h2"}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := api.Decode(tc.command, tc.arguments)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(tc.want, got))
		})
	}
}

func TestDecode_NamesTheInvalidField(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		command   string
		arguments []json.RawMessage
		field     string
		want      string
	}{
		"wrong enum":         {api.Run, raw(`{"recipe":"dance"}`), "recipe", `"dance" is not allowed; want one of implement, fix, tdd, refactor`},
		"enum of wrong type": {api.Run, raw(`{"recipe":7}`), "recipe", "want one of implement, fix, tdd, refactor, test, document"},
		"wrong enum as text": {api.Run, raw(`"approve=all"`), "approve", "plan+edits, edits"},
		"string":             {api.Run, raw(`{"task":7}`), "task", "want a string"},
		"bool":               {api.Run, raw(`{"wait":"yes"}`), "wait", "want true or false"},
		"bool as text":       {api.Run, raw(`"wait=perhaps"`), "wait", "want true or false"},
		"no amount":          {api.Run, raw(`{"limits":{"costUSD":"much"}}`), "limits.costUSD", "want a number from 0"},
		"a debt":             {api.Run, raw(`{"limits":{"costUSD":-0.5}}`), "limits.costUSD", "want a number from 0"},
		"not a number":       {api.Run, raw(`"limits.costUSD=NaN"`), "limits.costUSD", "want a number from 0"},
		"fraction":           {api.Run, raw(`{"limits":{"tokens":1.5}}`), "limits.tokens", "whole number"},
		"negative":           {api.Run, raw(`{"limits":{"minutes":-1}}`), "limits.minutes", "whole number"},
		"huge":               {api.Run, raw(`{"limits":{"minutes":99999999999}}`), "limits.minutes", "whole number"},
		"object":             {api.Run, raw(`{"scope":"file:///a"}`), "scope", "want an object"},
		"list":               {api.ApplyProposal, raw(`{"select":{"hunks":"f1h1"}}`), "select.hunks", "want a list"},
		"list element":       {api.ApplyProposal, raw(`{"select":{"hunks":["a",2]}}`), "select.hunks[1]", "want a string"},
		"missing":            {api.Answer, raw(`{"runId":"r"}`), "askId", "is required"},
		"missing, nested":    {api.Run, raw(`{"scope":{}}`), "scope.uri", "is required"},
		"repeated scalar":    {api.Run, raw(`"task=a"`, `"task=b"`), "task", "want a string"},
		"value and object":   {api.Run, raw(`"limits=1"`, `"limits.tokens=1"`), "limits.tokens", "both"},
		"unknown key":        {api.GC, raw(`"dryrun=true"`), "dryrun", "is unknown; want one of dryRun, folder"},
		"unknown dotted key": {api.Run, raw(`"limits.cost=1"`), "limits.cost", "is unknown; want one of costUSD, tokens, minutes"},
		"unknown object":     {api.Doctor, raw(`"limits.tokens=1"`), "limits", "is unknown; this takes no arguments"},
		"two objects":        {api.Run, raw(`{}`, `{}`), "", "want one JSON object"},
		"bare text":          {api.Run, raw(`"add a function"`), "", "want one JSON object"},
		"a list":             {api.Run, raw(`[1]`), "", "want one JSON object"},
		"not JSON":           {api.Run, raw(`{`), "", "want one JSON object"},
		"trailing":           {api.Run, raw(`{} {}`), "", "want one JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := api.Decode(tc.command, tc.arguments)
			var wrong *api.ArgumentError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, tc.field, wrong.Field)
			require.Contains(t, wrong.Error(), tc.want)
		})
	}
}

func TestDecode_UnknownCommandNamesTheKnown(t *testing.T) {
	t.Parallel()
	_, err := api.Decode("forge.dance", raw())
	var unknown *api.UnknownError
	require.ErrorAs(t, err, &unknown)
	for _, name := range api.Names() {
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
		for _, name := range api.Names() {
			args, err := api.Decode(name, raw(argument))
			if run, ok := args.(*api.RunArgs); ok && err == nil && run.Recipe != "" {
				require.Contains(t, strings.Split("implement,fix,tdd,refactor,test,document,explain,review", ","), run.Recipe)
			}
		}
	})
}
