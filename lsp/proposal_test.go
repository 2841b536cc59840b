package lsp_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
)

func (d *harness) get(id string) api.Proposal {
	d.t.Helper()
	var p api.Proposal
	require.NoError(d.t, d.execute(api.ShowProposal, api.ProposalRef{ProposalID: id}, &p))
	return p
}

// content is a document of Forge's as a client reads it.
func (d *harness) content(u string) string {
	d.t.Helper()
	var result struct {
		Text string `json:"text"`
	}
	require.NoError(d.t, d.Request(protocol.MethodWorkspaceTextDocumentContent, map[string]string{"uri": u}, &result))
	return result.Text
}

func TestProposal_DocumentsForADiffEditor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich)
		d.Edit(d.uri("calc.go"), insert(0, "// typed\n"))
		file := d.get("").Files[0]
		require.Equal(t, "forge://proposal/p-r1/base/calc.go", file.Base)
		require.Equal(t, "// typed\n"+calcGo, d.content(file.Base), "what the user has now")
		require.Equal(t, "// typed\n"+bothCalc, d.content(file.Proposed))
		require.Equal(t, &api.Span{Start: 3, End: 4}, file.Hunks[0].Lines, "in the proposed text")
		require.Equal(t, &api.Span{Start: 3, End: 4}, file.Hunks[0].At, "in the text of now")

		require.NoError(t, d.execute(api.RejectProposal, api.RejectArgs{Select: &api.Select{Hunks: []string{"f1h2"}}, Note: "wrong"}, nil))
		require.Equal(t, "// typed\n"+fixedCalc, d.content(file.Proposed), "without what was rejected")
		require.Equal(t, "wrong", d.get("").Files[0].Hunks[1].Note)
		d.apply(nil, "f1h1")
		require.Equal(t, "// typed\n"+fixedCalc, d.content(file.Base))
		require.Error(t, d.Request(protocol.MethodWorkspaceTextDocumentContent, map[string]string{"uri": "forge://proposal/p-r1/base/none.go"}, nil))
	})
}

func TestProposal_DocumentsOfNamesWithOddLetters(t *testing.T) {
	bubble(t, func(t *testing.T) {
		change := docChange()
		change.Path = "a b/#100%?.go"
		e := &fakeEngine{script: proposing(change)}
		d := start(t, map[string]string{change.Path: docGo}, e, rich)
		d.proposal()
		file := d.get("").Files[0]
		require.Equal(t, docGo, d.content(file.Base))
		require.Equal(t, change.After, d.content(file.Proposed))
	})
}

func TestProposal_StatesOfFiles(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich)
		p := d.get("")
		require.Equal(t, []string{"pending", "pending"}, fileStates(p))
		require.Equal(t, []int{2, 2, 2, 0}, []int{p.Files[0].Adds, p.Files[0].Removes, p.Files[1].Adds, p.Files[1].Removes})
		require.Equal(t, api.Checks{Of: "whole", State: "checked", Gates: p.Gates}, p.Checks)

		result := d.apply(nil, "f1h1")
		require.Contains(t, result.Message, "not this part of it")
		p = d.get("")
		require.Equal(t, []string{"partial", "pending"}, fileStates(p))
		require.Equal(t, []string{"part", "unchecked"}, []string{p.Checks.Of, p.Checks.State})
		require.Empty(t, p.Checks.Gates)

		require.NoError(t, d.execute(api.RejectProposal, api.RejectArgs{Select: &api.Select{Files: []string{"doc.go"}}}, nil))
		require.Equal(t, []string{"partial", "rejected"}, fileStates(d.get("")))
		d.Edit(d.uri("calc.go"), insert(9, "/* mine */"))
		require.Equal(t, []string{"conflict"}, states(d.apply(nil, "f1h2")))
		require.Equal(t, []string{"conflict", "rejected"}, fileStates(d.get("")))
	})
}

func fileStates(p api.Proposal) (all []string) {
	for _, file := range p.Files {
		all = append(all, file.State)
	}
	return all
}

func TestProposal_IsAmendedAndApplied(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich)
		mine := strings.Replace(bothCalc, "two numbers", "them", 1)
		var p api.Proposal
		require.NoError(t, d.execute(api.AmendProposal, api.AmendArgs{Path: "calc.go", Text: mine}, &p))
		require.Equal(t, []string{"f1h3", "f1h2"}, []string{p.Files[0].Hunks[0].ID, p.Files[0].Hunks[1].ID})
		require.True(t, p.Files[0].Amended)
		require.Equal(t, []string{"amended", "unchecked"}, []string{p.Checks.Of, p.Checks.State})
		require.Equal(t, mine, d.content(p.Files[0].Proposed))
		require.Equal(t, []string{"applied", "applied"}, states(d.apply(nil)))
		require.Equal(t, mine, d.Text(d.uri("calc.go")))
		require.ErrorContains(t, d.execute(api.AmendProposal, api.AmendArgs{Path: "none.go"}, nil), "its files are calc.go, doc.go")
	})
}

// The client shows no byte order mark, so the text that comes back has none.
func TestProposal_AmendKeepsTheByteOrderMark(t *testing.T) {
	bubble(t, func(t *testing.T) {
		change := docChange()
		change.Before, change.After = "\uFEFF"+change.Before, "\uFEFF"+change.After
		e := &fakeEngine{script: proposing(change)}
		d := start(t, map[string]string{"doc.go": change.Before}, e, rich)
		d.proposal()
		proposed := d.content(d.get("").Files[0].Proposed)
		require.False(t, strings.HasPrefix(proposed, "\uFEFF"))
		require.NoError(t, d.execute(api.AmendProposal, api.AmendArgs{Path: "doc.go", Text: proposed + "// end\n", Digest: digestOf(proposed)}, nil))
		require.Equal(t, []string{"applied"}, states(d.apply(nil)))
		require.Equal(t, change.After+"// end\n", onDisk(t, d, "doc.go"))
	})
}

// An editor that shows no carriage returns gets, and sends, the proposed text without them.
func TestProposal_AmendKeepsTheCarriageReturns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		change := docChange()
		change.Before, change.After = crlf(change.Before), crlf(change.After)
		d := start(t, map[string]string{"doc.go": change.Before}, &fakeEngine{script: proposing(change)}, rich)
		d.proposal()
		file := d.get("").Files[0]
		require.Equal(t, change.After, d.content(file.Proposed), "what is on disk is shown as it is")
		d.Open(d.uri("doc.go"), "go", docGo)
		require.Equal(t, docGo, d.content(file.Base))
		proposed := d.content(file.Proposed)
		require.Equal(t, docChange().After, proposed)
		require.NoError(t, d.execute(api.AmendProposal, api.AmendArgs{Path: "doc.go", Text: proposed + "// end\n"}, nil))
		require.Equal(t, []string{"applied"}, states(d.apply(nil)))
		require.Equal(t, proposed+"// end\n", d.Text(d.uri("doc.go")))
		require.Equal(t, change.After+"// end\r\n", d.engine.records()[0].Files[0].After)
	})
}

func TestProposal_LinesAreAccepted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich)
		var result api.ApplyResult
		lines := []api.Lines{{Path: string(d.uri("doc.go")), Start: 3, End: 4}}
		require.NoError(t, d.execute(api.ApplyProposal, api.ProposalArgs{Select: &api.Select{Lines: lines}}, &result))
		require.Equal(t, []string{"applied"}, states(result))
		require.Equal(t, docGo+"const Version = 1\n", onDisk(t, d, "doc.go"), "one of the two lines of the hunk")
		p := d.get("")
		require.Equal(t, []string{"pending", "partial"}, fileStates(p))
		require.Equal(t, docChange().After, d.content(p.Files[1].Proposed), "the other one is still proposed")
		require.Equal(t, calcGo, d.Text(d.uri("calc.go")), "no other file is taken")
	})
}

// digestOf is the digest of a document as a client has shown it.
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Lines are those of a text. If that has changed since it was shown, others would be taken.
func TestProposal_LinesOfATextThatHasChangedAreRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich)
		shown := d.content(d.get("").Files[0].Proposed)
		lines := []api.Lines{{Path: "calc.go", Start: 2, End: 3, Digest: digestOf(shown)}}
		selected := &api.Select{Lines: lines}
		d.Edit(d.uri("calc.go"), insert(0, "// typed\n"))
		before := d.get("")
		const problem = "the proposed text of calc.go has changed since it was shown; look at it again"
		require.ErrorContains(t, d.execute(api.ApplyProposal, api.ProposalArgs{Select: selected}, nil), problem)
		require.ErrorContains(t, d.execute(api.RejectProposal, api.RejectArgs{Select: selected}, nil), problem)
		require.Equal(t, before, d.get(""), "nothing is decided")
		require.Equal(t, "// typed\n"+calcGo, d.Text(d.uri("calc.go")))

		shown = d.content(before.Files[0].Proposed)
		lines[0].Start, lines[0].End, lines[0].Digest = 3, 4, digestOf(shown)
		require.NoError(t, d.execute(api.ApplyProposal, api.ProposalArgs{Select: selected}, nil))
		require.Equal(t, "// typed\n"+fixedCalc, d.Text(d.uri("calc.go")), "the lines of the text that was shown")
	})
}

// A version of a text that has changed since lacks what the user has typed in the meantime: to accept it would delete that.
func TestProposal_AVersionOfATextThatHasChangedIsRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich)
		shown := d.content(d.get("").Files[0].Proposed)
		mine := api.AmendArgs{Path: "calc.go", Text: strings.Replace(shown, "two numbers", "them", 1), Digest: digestOf(shown)}
		d.Edit(d.uri("calc.go"), insert(0, "// typed\n"))
		before := d.get("")
		require.ErrorContains(t, d.execute(api.AmendProposal, mine, nil), "the proposed text of calc.go has changed since it was shown; look at it again")
		require.Equal(t, before, d.get(""))

		shown = d.content(before.Files[0].Proposed)
		mine.Text, mine.Digest = strings.Replace(shown, "two numbers", "them", 1), digestOf(shown)
		require.NoError(t, d.execute(api.AmendProposal, mine, nil))
		require.Equal(t, mine.Text, d.content(before.Files[0].Proposed))
	})
}

// A diff editor shows what is proposed now: a document that the client has read is refreshed when it changes, and no other.
func TestProposal_DocumentsAreRefreshed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich, func(p *protocol.InitializeParams) {
			p.Capabilities.Workspace.TextDocumentContent = &protocol.TextDocumentContentClientCapabilities{}
		})
		files := d.get("").Files
		base, proposed := files[0].Base, files[0].Proposed
		d.content(base)
		d.content(proposed)
		d.content(files[1].Proposed)
		require.Empty(t, refreshed(t, d))
		require.NoError(t, d.execute(api.RejectProposal, api.RejectArgs{Select: &api.Select{Hunks: []string{"f1h2"}}}, nil))
		require.Equal(t, []string{proposed}, refreshed(t, d))
		d.content(proposed)
		d.Edit(d.uri("calc.go"), insert(0, "// typed\n"))
		require.ElementsMatch(t, []string{base, proposed}, refreshed(t, d))
	})
}

// refreshed are the documents that the client was asked to read again since.
func refreshed(t *testing.T, d *harness) (all []string) {
	t.Helper()
	pause(300)
	synctest.Wait()
	for _, m := range d.Messages() {
		if m.Method == protocol.MethodWorkspaceTextDocumentContentRefresh {
			p := decodeParams[protocol.TextDocumentContentRefreshParams](t, d.Expect(m.Method, nil))
			all = append(all, string(p.URI))
		}
	}
	return all
}
