package event_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/graph"
)

func TestGuard_RemovesTextBeforeObservers(t *testing.T) {
	t.Parallel()
	hide := func(document []byte) []byte { return bytes.ReplaceAll(document, []byte("hush"), []byte("****")) }
	log := event.NewLog("r", time.Now)
	log.Guard(hide)
	node := event.NodeChanged{Node: graph.Node{ID: "x", Reason: "hush now"}}
	log.AppendOnce(node)
	log.Append(event.RunStarted{Task: "nothing to hide"})
	told := log.Since(0)
	require.Equal(t, "**** now", told[0].Data.(event.NodeChanged).Node.Reason)
	require.Equal(t, event.RunStarted{Task: "nothing to hide"}, told[1].Data)

	again := event.Restore("r", time.Now, told)
	again.Guard(hide)
	again.AppendOnce(node)
	require.Len(t, again.Since(0), 2, "an event without it is not repeated")
}

func TestGuard_DropsUnreadableEvents(t *testing.T) {
	t.Parallel()
	log := event.NewLog("r", time.Now)
	log.Guard(func([]byte) []byte { return []byte("no JSON") })
	log.Append(event.RunStarted{Task: "hush"})
	require.Equal(t, event.Unknown{Name: "run.started", Raw: []byte("null")}, log.Since(0)[0].Data)
}
