package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// A question continues the last conversation of the folder, or a named one: the model sees the earlier turns.
func TestAsk_ContinuesAConversation(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- {match: {node: answer, contains: ["who adds?"]}, reply: {text: Add does.}}
- {match: {node: answer, contains: ["and where?", "The user: who adds?", "The answer: Add does."]}, reply: {text: In sum.go.}}
- {match: {node: answer, contains: ["something else"]}, reply: {text: Nothing.}}
- {match: {node: answer, contains: ["and when?", "The answer: Add does.", "The user: and where?"]}, reply: {text: Always.}}`, sumModule())
	require.Contains(t, w.refused(1, "ask", "--trust", "--continue", "and where?"), "none was held in")
	for _, args := range [][]string{{"who adds?"}, {"--continue", "and where?"}, {"something else"}} {
		code, _, stderr := w.run(append([]string{"ask", "--trust"}, args...)...)
		require.Zero(t, code, stderr)
	}
	all := asked[api.ConversationsResult](w, "conversations").Conversations
	require.Len(t, all, 2)
	require.Equal(t, "something else", all[0].Title)
	require.Equal(t, 2, all[1].Turns)
	code, _, stderr := w.run("ask", "--continue="+all[1].ID, "and when?")
	require.Zero(t, code, stderr)
	w.played()

	turns := asked[api.ConversationsResult](w, "conversations", all[1].ID).Turns
	require.Len(t, turns, 3)
	require.Equal(t, all[1].ID, turns[0].RunID, "a conversation has the id of its first run")
	require.Equal(t, "Always.", turns[2].Answered)
	_, stdout, _ := w.run("conversations", all[1].ID)
	require.Contains(t, stdout, "and when?\n\nAlways.\n")
	require.Contains(t, w.refused(2, "ask", "--continue=../x", "q"), "is no id of a conversation")
}

// Processes that end runs at the same time write whole lines of at most 4 KiB, however long the answers are.
func TestConversation_ProcessesWriteWholeLines(t *testing.T) {
	t.Parallel()
	const asking = 4
	w := scripted(t, fmt.Sprintf("\n- {match: {node: answer}, times: %d, reply: {text: %q}}", asking+1, strings.Repeat("long \"answer\" é\n", 1000)), sumModule())
	code, _, stderr := w.run("ask", "--trust", "the first")
	require.Zero(t, code, stderr)
	id := asked[api.ConversationsResult](w, "conversations").Conversations[0].ID
	var all sync.WaitGroup
	for i := range asking {
		all.Go(func() {
			code, _, stderr := execute(t, w.command(t.Context(), "ask", "--continue="+id, fmt.Sprintf("question %d", i)))
			require.Zero(t, code, stderr)
		})
	}
	all.Wait()
	require.Len(t, asked[api.ConversationsResult](w, "conversations", id).Turns, asking+1)
	text := w.conversation(id)
	require.Equal(t, asking+1, strings.Count(text, "\n"))
	for line := range strings.Lines(text) {
		require.LessOrEqual(t, len(line), 4096)
		require.Greater(t, len(line), 3800, "as much of the answer as fits")
	}
}

// A conversation that rested for two weeks is a synopsis after forge gc, and can be continued.
func TestGC_ReducesOldConversations(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- {match: {node: answer, contains: ["who adds?"]}, reply: {text: Add does.}}
- {match: {node: answer, contains: ["and where?"]}, reply: {text: In sum.go.}}
- {match: {node: answer, contains: ["and when?", "The user: who adds?\nand where?", "The answer: In sum.go."]}, reply: {text: Always.}}`, sumModule())
	for _, args := range [][]string{{"who adds?"}, {"--continue", "and where?"}} {
		code, _, stderr := w.run(append([]string{"ask", "--trust"}, args...)...)
		require.Zero(t, code, stderr)
	}
	id := asked[api.ConversationsResult](w, "conversations").Conversations[0].ID
	require.Zero(t, asked[api.GCResult](w, "gc").Conversations, "it is new")

	old := time.Now().UTC().AddDate(0, 0, -15).Format("2006-01-02T")
	require.NoError(t, os.WriteFile(w.conversationFile(id), []byte(regexp.MustCompile(`"at":"\d{4}-\d\d-\d\dT`).ReplaceAllString(w.conversation(id), `"at":"`+old)), 0o600))
	require.Equal(t, 1, asked[api.GCResult](w, "gc", "--dry-run").Conversations)
	_, stdout, _ := w.run("gc", "--dry-run")
	require.Contains(t, stdout, " 1 conversation would be reduced to a synopsis")
	_, stdout, _ = w.run("gc")
	require.Contains(t, stdout, " 1 conversation reduced to a synopsis")
	info, err := os.Stat(w.conversationFile(id))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "what was asked is for nobody else")
	require.Equal(t, 1, strings.Count(w.conversation(id), "\n"))
	require.Zero(t, asked[api.GCResult](w, "gc").Conversations)
	listed := asked[api.ConversationsResult](w, "conversations", id)
	require.Equal(t, 2, listed.Conversations[0].Turns)
	require.Equal(t, 2, listed.Turns[0].Synopsis)

	code, _, stderr := w.run("ask", "--continue", "and when?")
	require.Zero(t, code, stderr)
	w.played()
}

// conversationFile is the file of a conversation.
func (w *world) conversationFile(id string) string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.home, "projects", "*", "conversations", id+".jsonl"))
	require.NoError(w.t, err)
	require.Len(w.t, found, 1)
	return found[0]
}

func (w *world) conversation(id string) string {
	w.t.Helper()
	text, err := os.ReadFile(w.conversationFile(id))
	require.NoError(w.t, err)
	return string(text)
}
