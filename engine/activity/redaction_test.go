package activity

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/secret"
	"forge/engine/step"
)

// An unlisted activity is redacted: only the listed ones return their results as they are.
func TestRedaction_CoversActivitiesByDefault(t *testing.T) {
	t.Parallel()
	const hidden = "q7Zk2Vd9Lm4Xc1Bn8"
	secrets := secret.New()
	secrets.Learn(secret.Value{Name: "TOKEN", Text: hidden})
	var reported []event.SecretsRedacted
	r := &Redaction{Secrets: secrets, Report: func(all event.SecretsRedacted) { reported = append(reported, all) }}
	says := flow.Worker{Activity: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`"` + hidden + `"`), nil
	}}
	workers := r.Guard(map[string]flow.Worker{"of tomorrow": says, step.ActivityLearn.Name: says, step.ActivityRead.Name: says})
	for name, kept := range map[string]bool{"of tomorrow": false, step.ActivityLearn.Name: false, step.ActivityRead.Name: true} {
		output, err := workers[name].Activity(t.Context(), "", nil)
		require.NoError(t, err)
		require.Equal(t, kept, string(output) == `"`+hidden+`"`, name)
	}
	require.NotEmpty(t, reported)
}
