package acp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"
)

// change is a run that changes notes.md and creates new.md.
const change = `
- {match: {node: orchestrator}, reply: {json: {action: executor, reason: small}}}
- match: {node: executor}
  reply:
    json:
      explanation: It is noted.
      files: [{path: new.md, action: create, content: "# New\n"}]
      patch: |
        *** Begin Patch
        *** Update File: notes.md
        @@
         # Notes

        -One.
        +One and two.
        *** End Patch
      blocked: ""
- {match: {node: review}, reply: {json: {pass: true, reason: It is noted., issues: []}}}`

const changed = "# Notes\n\nOne and two.\n"

// The main job: a run with its plan, its checks and its diffs; the consent; the files, written by the client; and the undo.
func TestRun_IsShownAppliedAndUndone(t *testing.T) {
	t.Parallel()
	var d *harness
	d = start(t, setting{script: change, reads: true, writes: true, answer: func(r sdk.RequestPermissionRequest) string {
		require.Equal(t, notes, d.disk("notes.md"), "nothing is written before the consent")
		require.Empty(t, d.disk("new.md"))
		return allowing(r)
	}})
	answer := d.say("note two, in a new file as well")
	require.NoError(t, d.script.Verify())
	require.Equal(t, sdk.StopReasonEndTurn, answer.StopReason, d.text())
	require.Equal(t, changed, d.disk("notes.md"), d.text())
	require.Equal(t, "# New\n", d.disk("new.md"))
	require.Len(t, d.open, 2, "both went through the client")
	require.Positive(t, answer.Usage.TotalTokens)

	asked := d.questions()
	require.Len(t, asked, 2)
	require.Contains(t, *asked[0].ToolCall.Title, "Do you trust")
	require.Equal(t, sdk.PermissionOptionKindRejectOnce, asked[0].Options[1].Kind)
	require.Equal(t, []sdk.PermissionOptionId{"apply-all", "file-by-file", "reject"}, []sdk.PermissionOptionId{
		asked[1].Options[0].OptionId, asked[1].Options[1].OptionId, asked[1].Options[2].OptionId,
	})
	require.Contains(t, d.text(), "The model says: It is noted.")
	edit := d.find("Edit notes.md")
	require.Equal(t, sdk.ToolKindEdit, edit.kind)
	require.Equal(t, "completed", edit.status)
	require.Equal(t, d.full("notes.md"), edit.diff.Path)
	require.Equal(t, notes, *edit.diff.OldText)
	require.Equal(t, changed, edit.diff.NewText)
	require.Equal(t, 3, *edit.locations[0].Line)
	require.Nil(t, d.find("Create new.md").diff.OldText, "a new file has no old text")
	require.NotEmpty(t, d.plan())
	for _, entry := range d.plan() {
		require.Equal(t, sdk.PlanEntryStatusCompleted, entry.Status, entry.Content)
	}

	d.answer = nil
	require.Equal(t, sdk.StopReasonEndTurn, d.say("/undo").StopReason)
	require.Equal(t, notes, d.disk("notes.md"), d.text())
	require.NoFileExists(t, d.full("new.md"), "a deletion, which the protocol does not have, is made on disk")
	d.say("/redo")
	require.Equal(t, changed, d.disk("notes.md"), d.text())
	require.Equal(t, "# New\n", d.disk("new.md"))
}

// Whatever is not the answer that allows leaves the files as they are, and the change can be offered again.
func TestRun_WithoutConsentWritesNothing(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]string{"rejected": "reject", "cancelled": "", "unknown option": "apply everything"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := start(t, setting{script: change, writes: true, answer: trusting(option)})
			require.Equal(t, sdk.StopReasonEndTurn, d.say("note two").StopReason)
			require.Equal(t, notes, d.disk("notes.md"))
			require.NoFileExists(t, d.full("new.md"))
			require.Equal(t, "failed", d.find("Edit notes.md").status)
			require.Contains(t, d.text(), "Nothing was applied")

			d.answer = nil
			d.say("/resume")
			require.Equal(t, changed, d.disk("notes.md"), d.text())
		})
	}
}

// A folder that is not trusted: nothing of it is read, and the run ends.
func TestRun_WithoutTrustAsksNoModel(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: change, answer: func(sdk.RequestPermissionRequest) string { return "no" }})
	require.Equal(t, sdk.StopReasonEndTurn, d.say("note two").StopReason)
	require.Empty(t, d.script.Requests())
	require.Contains(t, d.text(), "not trusted")
}

// The user decides file by file.
func TestRun_FileByFile(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: change, writes: true, answer: func(r sdk.RequestPermissionRequest) string {
		switch *r.ToolCall.Title {
		case "Apply this change to 2 files":
			return "file-by-file"
		case "Create new.md":
			return "reject"
		}
		return allowing(r)
	}})
	d.say("note two")
	require.Equal(t, changed, d.disk("notes.md"), d.text())
	require.NoFileExists(t, d.full("new.md"))
	require.Equal(t, "failed", d.find("Create new.md").status)
	require.Equal(t, "completed", d.find("Edit notes.md").status)
	titles := map[string]int{}
	for _, c := range d.calls() {
		titles[c.title]++
	}
	require.Equal(t, 1, titles["Edit notes.md"], "each call is announced once")
}

// A client that does not write files: the engine does.
func TestRun_IsWrittenOnDiskWithoutTheClient(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: change})
	d.say("note two")
	require.Equal(t, changed, d.disk("notes.md"), d.text())
	require.Empty(t, d.open)
	d.say("/undo")
	require.Equal(t, notes, d.disk("notes.md"), d.text())
}

// Unsaved text of a file that the prompt names is what the run works on, what the diff begins with, and what is kept.
func TestRun_WorksOnUnsavedText(t *testing.T) {
	t.Parallel()
	unsaved := notes + "Unsaved.\n"
	d := start(t, setting{script: strings.Replace(change, "node: executor", `node: executor, contains: [Unsaved.]`, 1), reads: true, writes: true})
	d.buffers[d.full("notes.md")] = unsaved
	d.say("note two", sdk.ResourceLinkBlock("notes.md", "file://"+d.full("notes.md")))
	require.NoError(t, d.script.Verify())
	require.Equal(t, unsaved, *d.find("Edit notes.md").diff.OldText, d.text())
	require.Equal(t, changed+"Unsaved.\n", d.buffers[d.full("notes.md")])
	d.say("/undo")
	require.Equal(t, unsaved, d.buffers[d.full("notes.md")], "the undo keeps it, too")
}

// What the user types while the run works is merged, unless it is in the same lines.
func TestRun_MergesWhatWasTypedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ typed, want, status string }{
		"elsewhere":      {"Typed.\n" + notes, "Typed.\n" + changed, "completed"},
		"the same lines": {"# Notes\n\nOne, and mine.\n", "# Notes\n\nOne, and mine.\n", "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d *harness
			d = start(t, setting{script: change, reads: true, writes: true, answer: func(r sdk.RequestPermissionRequest) string {
				if asks(r) {
					d.mu.Lock()
					d.buffers[d.full("notes.md")] = c.typed
					d.mu.Unlock()
				}
				return allowing(r)
			}})
			d.say("note two")
			require.Equal(t, c.want, d.buffers[d.full("notes.md")], d.text())
			require.Equal(t, c.status, d.find("Edit notes.md").status)
			require.Equal(t, "# New\n", d.disk("new.md"), "the other file is not affected")
		})
	}
}

// A client that reads a missing file as an empty one has no such file: it can be made, taken back, and made again.
func TestRun_AMissingFileMayReadAsEmpty(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: change, reads: true, writes: true, client: func(e *editor) {
		e.onRead = func(path string) (string, error) {
			text, _ := os.ReadFile(path)
			return string(text), nil
		}
	}})
	d.say("note two")
	require.Equal(t, "# New\n", d.disk("new.md"), d.text())
	d.say("/undo")
	require.NoFileExists(t, d.full("new.md"))
	require.Equal(t, sdk.StopReasonEndTurn, d.say("/redo").StopReason)
	for _, c := range d.calls() {
		if c.title == "Create new.md" {
			require.Nil(t, c.diff.OldText)
		}
	}
	require.Equal(t, "# New\n", d.disk("new.md"), d.text())
	d.say("/undo")
	require.NoFileExists(t, d.full("new.md"))
}

// A client that adds a line end to what it writes, as CodeCompanion does to open buffers, is sent one less: the files are as they should be.
func TestRun_ClientThatAddsALineEnd(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: change, reads: true, writes: true, client: func(e *editor) {
		e.onSave = func(path, text string) error {
			if filepath.Base(path) == "notes.md" { // it is open
				text += "\n"
			}
			return os.WriteFile(path, []byte(text), 0o600)
		}
	}})
	d.say("note two")
	require.Equal(t, changed, d.disk("notes.md"), d.text())
	require.Equal(t, "# New\n", d.disk("new.md"))
	d.say("/undo")
	require.Equal(t, notes, d.disk("notes.md"), d.text())
	require.NoFileExists(t, d.full("new.md"))
}

// A client that cannot write does not have its unsaved text written over on disk.
func TestRun_DoesNotWriteBelowUnsavedText(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: change, reads: true})
	d.buffers[d.full("notes.md")] = "Unsaved.\n" + notes
	d.say("note two")
	require.Equal(t, notes, d.disk("notes.md"))
	require.Equal(t, "# New\n", d.disk("new.md"))
	require.Contains(t, d.text(), "unsaved changes: save it")
	require.Equal(t, "failed", d.find("Edit notes.md").status)
}

// A client that claims to have written is not believed, and one that fails is reported.
func TestRun_ChecksWhatTheClientWrote(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		save func(path, text string) error
		says string
	}{
		"lies":  {func(string, string) error { return nil }, "the file has another text"},
		"fails": {func(string, string) error { return errNoTerminals }, "the editor did not write it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := start(t, setting{script: change, reads: true, writes: true, client: func(e *editor) { e.onSave = c.save }})
			d.say("note two")
			require.Contains(t, d.text(), c.says)
			require.NotContains(t, d.text(), "Applied")
			require.Equal(t, "failed", d.find("Edit notes.md").status)
			d.say("/undo")
			require.Contains(t, d.text(), "nothing to undo", "what is not there is not recorded")
		})
	}
}
