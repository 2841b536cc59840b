package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine"
	"forge/engine/llm"
	"forge/engine/llm/llmtest"
)

func TestModel_IsNamed(t *testing.T) {
	t.Parallel()
	script, err := llmtest.Parse("one", []byte("entries:\n- reply: {text: a}\n"))
	require.NoError(t, err)
	for name, choose := range map[string]func(context.Context) (llm.Model, error){
		script.Model().Name(): func(context.Context) (llm.Model, error) { return script.Model(), nil },
		"":                    func(context.Context) (llm.Model, error) { return nil, errors.New("there is no model") },
	} {
		e := engine.New(engine.Options{StateDir: t.TempDir(), Chooser: llm.OnlyFrom(choose)})
		t.Cleanup(e.Close)
		require.Equal(t, name, e.Model(t.Context()))
	}
}
