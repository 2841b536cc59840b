package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/patch"
)

const (
	calcGo = "package calc\n\n// Add adds.\nfunc Add(a, b int) int {\n\treturn a + b\n}\n\n// Mul multiplies.\nfunc Mul(a, b int) int {\n\treturn a + b\n}\n"
	docGo  = "// Package calc counts.\npackage calc\n"
)

// fixedCalc has two hunks: one in Add, one in Mul.
var (
	fixedCalc = strings.Replace(calcGo, "adds.", "adds two numbers.", 1)
	bothCalc  = strings.Replace(fixedCalc, "Mul(a, b int) int {\n\treturn a + b", "Mul(a, b int) int {\n\treturn a * b", 1)
)

func calcChange() patch.FileChange {
	return patch.FileChange{Kind: patch.Update, Path: "calc.go", Before: calcGo, After: bothCalc}
}

func docChange() patch.FileChange {
	return patch.FileChange{Kind: patch.Update, Path: "doc.go", Before: docGo, After: docGo + "\nconst Version = 1\n"}
}

// proposal runs a script to its proposal.
func (d *harness) proposal() api.RunResult {
	d.t.Helper()
	var r api.RunResult
	require.NoError(d.t, d.execute(api.Run, api.RunArgs{Task: "add Sub", Wait: true}, &r))
	require.NotEmpty(d.t, r.ProposalID)
	return r
}

func (d *harness) apply(files []string, hunks ...string) api.ApplyResult {
	d.t.Helper()
	var result api.ApplyResult
	args := api.ProposalArgs{Select: &api.Select{Files: files, Hunks: hunks}}
	require.NoError(d.t, d.execute(api.ApplyProposal, args, &result))
	return result
}

func states(result api.ApplyResult) []string {
	var all []string
	for _, file := range result.Files {
		all = append(all, file.State)
	}
	return all
}

// startWithCalc opens calc.go and leaves doc.go closed, with a proposal for both.
func startWithCalc(t *testing.T, changes ...capable) *harness {
	t.Helper()
	e := &fakeEngine{script: proposing(calcChange(), docChange())}
	d := start(t, map[string]string{"calc.go": calcGo, "doc.go": docGo}, e, changes...)
	d.Open(d.uri("calc.go"), "go", calcGo)
	d.proposal()
	return d
}

func TestApply_InParts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich)
		first := d.apply(nil, "f1h1")
		require.Equal(t, []string{"applied"}, states(first))
		require.Equal(t, "checkpoint-r1", first.Checkpoint)
		require.Equal(t, "not saved yet", first.Files[0].Message)
		require.Equal(t, fixedCalc, d.Text(d.uri("calc.go")), "the other hunk is left alone")
		require.Equal(t, docGo, d.Text(d.uri("doc.go")))

		require.Equal(t, []string{"applied", "applied"}, states(d.apply(nil)), "the rest, in an open and in a closed file")
		require.Equal(t, bothCalc, d.Text(d.uri("calc.go")))
		require.Equal(t, docChange().After, d.Text(d.uri("doc.go")))
		require.Equal(t, calcGo, onDisk(t, d, "calc.go"), "an open buffer is not saved by applying")

		want := []patch.ChangeSet{
			{Files: []patch.FileChange{{Path: "calc.go", Before: calcGo, After: fixedCalc}}},
			{Files: []patch.FileChange{{Path: "calc.go", Before: fixedCalc, After: bothCalc}, docChange()}},
		}
		require.Empty(t, cmp.Diff(want, d.engine.records()))
	})
}

func onDisk(t *testing.T, d *harness, path string) string {
	t.Helper()
	text, err := os.ReadFile(d.uri(path).FsPath())
	require.NoError(t, err)
	return string(text)
}

func TestApply_SendsVersionsAndLabel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t)
		d.apply(nil)
		p := decodeParams[protocol.ApplyWorkspaceEditParams](t, d.Expect(protocol.MethodWorkspaceApplyEdit, nil))
		require.Equal(t, "Forge: add Sub", *p.Label)
		open, ok := p.Edit.DocumentChanges[0].(*protocol.TextDocumentEdit)
		require.True(t, ok)
		require.EqualValues(t, 1, *open.TextDocument.Version)
		closed, ok := p.Edit.DocumentChanges[1].(*protocol.TextDocumentEdit)
		require.True(t, ok)
		require.Nil(t, closed.TextDocument.Version, "what is not open has no version")
		require.Empty(t, p.Edit.ChangeAnnotations, "this client does not know annotations")
		require.Len(t, open.Edits, 2, "hunks are minimal edits, never a whole file")
	})
}

func TestApply_SelectByURIAndReject(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t)
		require.Equal(t, []string{"applied"}, states(d.apply([]string{string(d.uri("doc.go"))})))
		var rejected api.ApplyResult
		require.NoError(t, d.execute(api.RejectProposal, api.ProposalArgs{}, &rejected))
		require.Equal(t, "2 hunks rejected", rejected.Files[0].Message)
		var p api.Proposal
		require.NoError(t, d.execute(api.ShowProposal, nil, &p))
		require.Equal(t, "closed", p.State)
		require.Equal(t, "accepted", p.Files[1].Hunks[0].State, "what was accepted stays accepted")
		require.Equal(t, calcGo, d.Text(d.uri("calc.go")))
		require.ErrorContains(t, d.execute(api.ApplyProposal,
			api.ProposalArgs{Select: &api.Select{Hunks: []string{"f9h9"}}}, nil), "f1h1")
	})
}

func insert(line uint32, text string) protocol.TextEdit {
	at := protocol.Position{Line: line}
	return protocol.TextEdit{Range: protocol.Range{Start: at, End: at}, NewText: text}
}

// Text that the user typed elsewhere in the file is kept, and the hunks move with it.
func TestApply_TypingDuringTheRunIsMerged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t)
		d.Edit(d.uri("calc.go"), insert(1, "import \"fmt\"\n"))
		require.Equal(t, []string{"applied", "applied"}, states(d.apply(nil)))
		require.Equal(t, strings.Replace(bothCalc, "package calc\n", "package calc\nimport \"fmt\"\n", 1), d.Text(d.uri("calc.go")))
		before := d.engine.records()[0].Files[0].Before
		require.Contains(t, before, "fmt", "undo must not remove what the user typed")
	})
}

// A line that the user types directly above or below a pending hunk leaves it where it is: it can be accepted and rejected as before.
func TestApply_TypingBesideAHunkKeepsIt(t *testing.T) {
	for where, typed := range map[string]struct {
		line uint32
		want string
	}{
		"above": {9, "\t// mine\n\treturn a * b\n"},
		"below": {10, "\treturn a * b\n\t// mine\n"},
	} {
		t.Run(where, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := startWithCalc(t)
				was := d.get("").Files[0].Hunks[1]
				d.Edit(d.uri("calc.go"), insert(typed.line, "\t// mine\n"))
				now := d.get("").Files[0].Hunks[1]
				require.Equal(t, "pending", now.State)
				require.NotNil(t, now.At, "it has a place")
				moved := 10 - int(typed.line)
				require.Equal(t, api.Span{Start: was.At.Start + moved, End: was.At.End + moved}, *now.At)

				require.Equal(t, []string{"applied"}, states(d.apply(nil, now.ID)))
				require.Contains(t, d.Text(d.uri("calc.go")), typed.want)
				require.Equal(t, "accepted", d.get("").Files[0].Hunks[1].State)
			})
		})
	}
}

// If the user typed in the same lines, their text stays and the conflict is shown.
func TestApply_TypingInTheSameLinesIsAConflict(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t)
		d.Edit(d.uri("calc.go"), insert(9, "\tmine() //"))
		result := d.apply(nil)
		require.Equal(t, []string{"partial", "applied"}, states(result))
		require.Contains(t, result.Files[0].Message, "1 hunk left out: you changed the same lines")
		require.Contains(t, d.Text(d.uri("calc.go")), "\tmine() //\treturn a + b\n", "the user's text")
		require.Contains(t, d.Text(d.uri("calc.go")), "adds two numbers", "the other hunk")

		d.Expect(protocol.MethodTextDocumentPublishDiagnostics, func(params []byte) bool {
			return strings.Contains(string(params), "left out, because you changed the same lines")
		})
		d.Expect(protocol.MethodWindowShowMessage, func(params []byte) bool {
			return strings.Contains(string(params), "you changed the same lines")
		})
		var p api.Proposal
		require.NoError(t, d.execute(api.ShowProposal, nil, &p))
		require.Equal(t, "conflict", p.Files[0].Hunks[1].State)
	})
}

func TestApply_ClientWithoutDocumentChanges(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, withoutDocumentChanges)
		require.Equal(t, []string{"applied", "applied"}, states(d.apply(nil)))
		p := decodeParams[protocol.ApplyWorkspaceEditParams](t, d.Expect(protocol.MethodWorkspaceApplyEdit, nil))
		require.Empty(t, p.Edit.DocumentChanges)
		require.Len(t, p.Edit.Changes, 2)
		require.Equal(t, bothCalc, d.Text(d.uri("calc.go")))
	})
}

func newFile() patch.FileChange {
	return patch.FileChange{Kind: patch.Create, Path: "sub/sub.go", After: "package sub\n"}
}

func TestApply_CreatesDeletesAndMoves(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := &fakeEngine{script: proposing(
			patch.FileChange{Kind: patch.Delete, Path: "old.go", Before: "package calc\n"},
			patch.FileChange{Kind: patch.Move, Path: "b.go", From: "a.go", Before: "package a\n\nvar x int\n", After: "package b\n\nvar x int\n"},
			patch.FileChange{Kind: patch.Create, Path: "new.go", After: "package calc\n"},
		)}
		d := start(t, map[string]string{"old.go": "package calc\n", "a.go": "package a\n\nvar x int\n"}, e, rich)
		d.proposal()
		require.Equal(t, []string{"applied", "applied", "applied"}, states(d.apply(nil)))
		require.NoFileExists(t, d.uri("old.go").FsPath())
		require.NoFileExists(t, d.uri("a.go").FsPath())
		require.Equal(t, "package b\n\nvar x int\n", onDisk(t, d, "b.go"))
		require.Equal(t, "package calc\n", onDisk(t, d, "new.go"))
		raw := string(d.Expect(protocol.MethodWorkspaceApplyEdit, nil))
		require.Contains(t, raw, `"ignoreIfExists":true`)
		require.NotContains(t, raw, `"recursive":true`)
		require.NotContains(t, raw, `"overwrite":true`)
	})
}

// A folder takes the place of a file, beside another change.
func TestApply_CreatesAFolderInThePlaceOfAFile(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := &fakeEngine{script: proposing(
			calcChange(), patch.FileChange{Kind: patch.Delete, Path: "conf", Before: "old\n"}, patch.FileChange{Kind: patch.Create, Path: "conf/main", After: "new\n"},
		)}
		d := start(t, map[string]string{"calc.go": calcGo, "conf": "old\n"}, e, rich)
		d.proposal()
		require.Equal(t, []string{"applied", "applied", "applied"}, states(d.apply(nil)))
		require.Equal(t, "new\n", onDisk(t, d, "conf/main"))
		require.Equal(t, bothCalc, onDisk(t, d, "calc.go"))
	})
}

// A client that announces no creation may make a file whose text is edited, as Emacs does. One that refuses gets the rest alone.
func TestApply_ClientThatCannotCreateFiles(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := &fakeEngine{script: proposing(calcChange(), newFile())}
		d := start(t, map[string]string{"calc.go": calcGo}, e, withoutResourceOperations)
		d.proposal()
		result := d.apply(nil)
		require.Equal(t, []string{"applied", "skipped"}, states(result))
		require.Contains(t, result.Files[1].Message, "open sub/sub.go as a new, empty file, and accept again")
		require.NotContains(t, string(d.Expect(protocol.MethodWorkspaceApplyEdit, nil)), `"create"`)
		require.Equal(t, bothCalc, onDisk(t, d, "calc.go"))
		d.Open(d.uri("sub/sub.go"), "go", "")
		require.Equal(t, []string{"applied"}, states(d.apply([]string{"sub/sub.go"})), "what the message says helps")
	})
}

// Emacs makes a buffer of its own for a file whose text is edited, which may be one that it reports nothing of until it is saved.
func TestApply_ClientMakesTheFileThatIsEdited(t *testing.T) {
	for _, opened := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			e := &fakeEngine{script: proposing(calcChange(), newFile())}
			d := start(t, map[string]string{"calc.go": calcGo}, e, withoutResourceOperations)
			d.proposal()
			own := d.applyEdit()
			d.Handle(protocol.MethodWorkspaceApplyEdit, func(params []byte) (any, error) {
				if opened {
					d.Open(d.uri(newFile().Path), "go", "")
					return own(params)
				}
				var p protocol.ApplyWorkspaceEditParams
				require.NoError(t, protocol.Unmarshal(params, &p))
				p.Edit.DocumentChanges = p.Edit.DocumentChanges[:1]
				rest, err := protocol.Marshal(&p)
				require.NoError(t, err)
				return own(rest)
			})
			result := d.apply(nil)
			if opened {
				require.Equal(t, []string{"applied", "applied"}, states(result))
				return
			}
			require.Equal(t, []string{"applied", "sent"}, states(result))
			require.NoError(t, os.MkdirAll(filepath.Dir(d.uri(newFile().Path).FsPath()), 0o755))
			require.NoError(t, os.WriteFile(d.uri(newFile().Path).FsPath(), []byte(newFile().After), 0o600))
			pause(600)
			synctest.Wait()
			require.Equal(t, "accepted", d.get("").Files[1].State)
			require.Len(t, d.engine.records(), 2)
		})
	}
}

// Neovim announces operations on files, and not the list of changes that they are in.
func TestApply_OperationsAloneAreDocumentChanges(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := &fakeEngine{script: proposing(newFile())}
		d := start(t, nil, e, func(p *protocol.InitializeParams) {
			edits := p.Capabilities.Workspace.WorkspaceEdit
			edits.DocumentChanges = nil
			edits.ChangeAnnotationSupport = &protocol.ChangeAnnotationsSupportOptions{}
		})
		d.proposal()
		require.Equal(t, []string{"applied"}, states(d.apply(nil)))
		require.Equal(t, newFile().After, onDisk(t, d, newFile().Path))
		require.Empty(t, d.lastEdit().ChangeAnnotations, "its annotations are a question without a view of the change")
	})
}

// A user who goes to the hint of a created file has its document open, empty and without a file. Neovim sends it as a line break.
func TestApply_CreateIntoAnOpenEmptyDocument(t *testing.T) {
	for name, change := range map[string]capable{"plain": func(*protocol.InitializeParams) {}, "cannot create files": withoutResourceOperations} {
		for _, empty := range []string{"", "\n"} {
			t.Run(fmt.Sprintf("%s %q", name, empty), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					d := start(t, nil, &fakeEngine{script: proposing(newFile())}, change)
					d.proposal()
					d.Open(d.uri(newFile().Path), "go", empty)
					require.Equal(t, []string{"applied"}, states(d.apply(nil)))
					require.Equal(t, newFile().After, d.Text(d.uri(newFile().Path)))
				})
			})
		}
	}
}

// A file that appeared meanwhile is not emptied.
func TestApply_CreateNeverEmptiesAFile(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := &fakeEngine{script: proposing(patch.FileChange{Kind: patch.Create, Path: "new.go", After: "package calc\n"})}
		d := start(t, nil, e)
		d.proposal()
		require.NoError(t, os.WriteFile(d.uri("new.go").FsPath(), []byte("// mine\n"), 0o600))
		require.Equal(t, []string{"conflict"}, states(d.apply(nil)))
		require.Equal(t, "// mine\n", onDisk(t, d, "new.go"))
	})
}

func TestApply_ClientThatCannotApply(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, withoutApplyEdit)
		for _, name := range []string{api.ApplyProposal, api.PreviewProposal} {
			require.ErrorContains(t, d.execute(name, api.ProposalArgs{}, nil), "does not let a server apply edits")
		}
		d.Expect(protocol.MethodWindowShowMessage, func(params []byte) bool {
			return strings.Contains(string(params), "does not let a server apply edits")
		})
	})
}

// Editors show no byte order mark and do not count it: it stays in the file, and columns are right.
func TestApply_ByteOrderMarkIsKept(t *testing.T) {
	const mark = "\uFEFF"
	bubble(t, func(t *testing.T) {
		change := patch.FileChange{Path: "a.txt", Before: mark + "one\r\ntwo\r\n", After: mark + "ONE\r\ntwo\r\n"}
		e := &fakeEngine{script: proposing(change)}
		d := start(t, map[string]string{"a.txt": change.Before}, e)
		d.Open(d.uri("a.txt"), "text", "one\r\ntwo\r\n")
		d.proposal()
		require.Equal(t, []string{"applied"}, states(d.apply(nil)))
		require.Equal(t, "ONE\r\ntwo\r\n", d.Text(d.uri("a.txt")))
		require.Empty(t, cmp.Diff([]patch.ChangeSet{{Files: []patch.FileChange{change}}}, d.engine.records()))
	})
}

// crlf returns a text with the other kind of line ends.
func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// Emacs and Kakoune keep no carriage returns in their texts, and write them when they save the file: what they have open compares with the text
// that the run has read from the disk, and gets no carriage returns.
func TestApply_CarriageReturnsThatTheEditorHides(t *testing.T) {
	bubble(t, func(t *testing.T) {
		change := calcChange()
		change.Before, change.After = crlf(change.Before), crlf(change.After)
		d := start(t, map[string]string{"calc.go": change.Before}, &fakeEngine{script: proposing(change)})
		d.proposal()
		u := d.uri("calc.go")
		d.Open(u, "go", calcGo)
		d.Edit(u, insert(0, "// typed\n"))
		synctest.Wait()
		require.Equal(t, protocol.Position{Line: 3}, d.lenses(u)[0].Range.Start)
		require.Equal(t, []string{"applied"}, states(d.apply(nil, "f1h1")))
		require.Equal(t, "// typed\n"+fixedCalc, d.Text(u))
		require.Equal(t, "applied", d.apply(nil).Files[0].State)
		require.Equal(t, "// typed\n"+bothCalc, d.Text(u))
		require.Equal(t, crlf("// typed\n"+bothCalc), d.engine.records()[1].Files[0].After, "an undo finds what is saved")
	})
}

// The twin: the run has read the text of the editor, and the file was closed since.
func TestApply_CarriageReturnsThatTheEditorHid(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, map[string]string{"calc.go": crlf(calcGo)}, &fakeEngine{script: proposing(calcChange())})
		d.Open(d.uri("calc.go"), "go", calcGo)
		d.proposal()
		d.Close(d.uri("calc.go"))
		require.Equal(t, []string{"applied"}, states(d.apply(nil)))
		require.Equal(t, crlf(bothCalc), onDisk(t, d, "calc.go"))
	})
}

// One edit is under way at a time: a second one would open a modal question in some editors.
func TestApply_OneEditAtATime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t)
		own, release := d.applyEdit(), make(chan struct{})
		inside := 0
		d.Handle(protocol.MethodWorkspaceApplyEdit, func(params []byte) (any, error) {
			inside++
			<-release
			return own(params)
		})
		post := func(hunk string) {
			d.Post(protocol.MethodWorkspaceExecuteCommand, executeParams(t, api.ApplyProposal,
				api.ProposalArgs{Select: &api.Select{Hunks: []string{hunk}}}))
		}
		post("f1h1")
		post("f2h1")
		synctest.Wait()
		require.Equal(t, 1, inside)
		close(release)
		synctest.Wait()
		require.Equal(t, 2, inside)
		require.Equal(t, fixedCalc, d.Text(d.uri("calc.go")))
		require.Equal(t, docChange().After, d.Text(d.uri("doc.go")))
	})
}
