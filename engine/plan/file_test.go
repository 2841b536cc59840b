package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

// planText is a plan with two parts, one per line.
const planText = `{
  "version": 1,
  "task": "add taxes",
  "parts": [
    {"id": "rates", "title": "Rates", "objective": "A table.", "files": ["rates.go"], "dependsOn": [], "verify": ["a rate"], "doneWhen": "it is there"},
    {"id": "taxes", "title": "Taxes", "objective": "A sum.", "files": ["taxes.go"], "dependsOn": ["rates"], "verify": ["a tax"], "doneWhen": "it adds up"}
  ]
}
`

func TestReadPlan_SaysWhereFaultsAre(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		fault string // its beginning; empty for none
	}{
		"right":                {planText, ""},
		"with a mark of order": {patch.ByteOrderMark + planText, ""},
		"empty":                {" \n", "1:1: error: the file is empty"},
		"text behind it":       {planText + "}", "9:1: error: this is no JSON: invalid character '}' after top-level value"},
		"a task of numbers":    {strings.Replace(planText, `"add taxes"`, `5`, 1), "3:11: error: \"task\" cannot be a JSON number"},
		"a part of words":      {`{"version": 1, "task": "t", "parts": ["x"]}`, "1:41: error: a part cannot be a JSON string"},
		"half written":         {planText[:strings.Index(planText, `"taxes.go"`)], "6:"},
		"no JSON":              {strings.Replace(planText, `"version": 1`, `"version": x`, 1), "2:14: error: this is no JSON"},
		"a list":               {"[]", "1:1: error: a plan is a JSON object"},
		"parts no list":        {`{"version": 1, "task": "t", "parts": {}}`, "1:38: error: \"parts\" is a list"},
		"newer":                {strings.Replace(planText, `"version": 1`, `"version": 9`, 1), "2:3: error: version 9 is of a newer Forge"},
		"no version":           {strings.Replace(planText, "  \"version\": 1,\n", "", 1), "1:1: error: \"version\" is missing"},
		"no task":              {strings.Replace(planText, "add taxes", " ", 1), "3:3: error: \"task\" is missing"},
		"wrong type":           {strings.Replace(planText, `["rates.go"]`, `"rates.go"`, 1), "5:82: error: \"files\" cannot be a JSON string"},
		"unknown field":        {strings.Replace(planText, `"title": "Taxes"`, `"title": "Taxes", "colour": "red"`, 1), "6:39: warning: \"colour\" is no field of a part"},
		"unknown member":       {strings.Replace(planText, `"version": 1`, `"version": 1, "owner": "me"`, 1), "2:17: warning: \"owner\" is no field of a plan"},
		"no parts":             {`{"version": 1, "task": "t", "parts": []}`, "1:29: error: 0 parts: give between 1 and"},
		"outside":              {strings.Replace(planText, `"taxes.go"`, `"../taxes.go"`, 1), "6:"},
		"no such part":         {strings.Replace(planText, `["rates"]`, `["rate"]`, 1), "6:99: warning: taxes does not wait for rate: there is no such part"},
		"the same id":          {strings.Replace(planText, `"id": "taxes"`, `"id": "rates"`, 1), "6:6: error: two parts have the id rates"},
		"a circle":             {strings.Replace(planText, `"dependsOn": []`, `"dependsOn": ["taxes"]`, 1), "5:"},
		"one file for both":    {strings.NewReplacer(`["rates"]`, `[]`, `"taxes.go"`, `"rates.go"`).Replace(planText), "6:"},
		"too large":            {strings.Repeat(" ", MaxFile) + planText, "1:1: error: the file has"},
		"odd risk":             {strings.Replace(planText, `"doneWhen": "it adds up"`, `"doneWhen": "it adds up", "risk": "odd"`, 1), "6:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, faults := Read([]byte(c.text), nil)
			if c.fault == "" {
				require.Empty(t, faults)
				require.Len(t, file.Parts, 2)
				return
			}
			require.NotEmpty(t, faults)
			require.Contains(t, faults[0].String(), c.fault)
			require.True(t, strings.HasPrefix(faults[0].String(), c.fault), "%v", faults)
			require.Equal(t, !strings.Contains(faults[0].String(), "warning"), Broken(faults), "%v", faults)
		})
	}
}

// What Forge writes, it reads.
func TestReadPlan_ReadsWhatIsWritten(t *testing.T) {
	t.Parallel()
	file, faults := Read([]byte(planText), nil)
	require.Empty(t, faults)
	written, err := json.MarshalIndent(file, "", "  ")
	require.NoError(t, err)
	again, faults := Read(written, nil)
	require.Empty(t, faults)
	require.Equal(t, file, again)
}

func FuzzReadPlan(f *testing.F) {
	f.Add([]byte(planText))
	f.Add([]byte(`{"parts": [{"files": [null]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, faults := Read(text, nil)
		if plan := (Plan{file.Parts}); !Broken(faults) && plan.Check() != nil {
			t.Fatal("a plan without an error does not hold")
		}
		lines := strings.Count(string(text), "\n") + 1
		for _, fault := range faults {
			if fault.Line < 1 || fault.Line > lines || fault.Column < 1 || fault.Message == "" {
				t.Fatal(fault)
			}
		}
	})
}
