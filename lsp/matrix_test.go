package lsp_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/internal/testkit"
	"forge/patch"
)

// What a client may announce. Each is announced, or not, in every cell of the matrix.
var announcements = []struct {
	name string
	set  func(p *protocol.InitializeParams, yes bool)
}{
	{"documentChanges", func(p *protocol.InitializeParams, yes bool) {
		p.Capabilities.Workspace.WorkspaceEdit.DocumentChanges = &yes
	}},
	{"resourceOperations", func(p *protocol.InitializeParams, yes bool) {
		if !yes {
			withoutResourceOperations(p)
		}
	}},
	{"annotations", func(p *protocol.InitializeParams, yes bool) {
		if yes {
			annotating(p)
		}
	}},
	{"showDocument", func(p *protocol.InitializeParams, yes bool) {
		p.Capabilities.Window.ShowDocument = &protocol.ShowDocumentClientCapabilities{Support: yes}
	}},
	{"progress", func(p *protocol.InitializeParams, yes bool) { p.Capabilities.Window.WorkDoneProgress = &yes }},
	{"applyEdit", func(p *protocol.InitializeParams, yes bool) { p.Capabilities.Workspace.ApplyEdit = &yes }},
	{"utf-8", func(p *protocol.InitializeParams, yes bool) {
		if yes {
			p.Capabilities.General.PositionEncodings = []protocol.PositionEncodingKind{protocol.PositionEncodingKindUTF8}
		}
	}},
}

// The files of the proposal: two hunks in an open file, lines behind a last line whose length depends on the encoding, and a new file.
var matrixFiles = []patch.FileChange{
	calcChange(),
	{Kind: patch.Update, Path: "doc.go", Before: "package calc\n\n// é𝒳\n", After: "package calc\n\n// é𝒳\n// ends\n"},
	{Kind: patch.Create, Path: "new.go", After: "package calc\n\n// é𝒳\n"},
}

// behaviour is what an editor does when it is asked to apply an edit.
type behaviour struct {
	name string
	do   func(d *harness, params []byte) (any, error)
	// fate is what the proposal must come to in the open files: accepted, pending, or empty for either.
	fate string
	// then happens after the command was answered.
	then func(d *harness)
}

var applied = &protocol.ApplyWorkspaceEditResult{Applied: true}

func behaviours(own func(d *harness) func([]byte) (any, error)) []behaviour {
	var kept []byte
	typed := false
	return []behaviour{
		{name: "honest", fate: "accepted", do: func(d *harness, params []byte) (any, error) { return own(d)(params) }},
		{name: "lies", fate: "pending", do: func(*harness, []byte) (any, error) { return applied, nil }},
		{name: "subset", do: func(d *harness, params []byte) (any, error) {
			_, err := own(d)(firstFileOf(d.t, params))
			return applied, err
		}},
		{name: "rejects", fate: "pending", do: func(*harness, []byte) (any, error) {
			reason := "not in the mood"
			return &protocol.ApplyWorkspaceEditResult{FailureReason: &reason}, nil
		}},
		{name: "times out", fate: "pending", do: func(*harness, []byte) (any, error) {
			pause(60_000)
			return nil, jsonrpc2.NewError(jsonrpc2.InternalError, "timed out")
		}},
		{name: "confirms only after the reply", fate: "accepted", do: func(_ *harness, params []byte) (any, error) {
			kept = params
			return applied, nil
		}, then: func(d *harness) {
			if kept != nil {
				_, _ = own(d)(kept)
			}
		}},
		{name: "edits during apply", do: func(d *harness, params []byte) (any, error) {
			if !typed {
				typed = true
				d.Edit(d.uri("calc.go"), insert(0, "// typed\n"))
			}
			return own(d)(params)
		}},
		{name: "disconnects", do: func(d *harness, _ []byte) (any, error) {
			d.CloseInput()
			return nil, nil
		}},
	}
}

// firstFileOf is an edit without its later files.
func firstFileOf(t *testing.T, params []byte) []byte {
	t.Helper()
	var p protocol.ApplyWorkspaceEditParams
	require.NoError(t, protocol.Unmarshal(params, &p))
	if len(p.Edit.DocumentChanges) > 1 {
		p.Edit.DocumentChanges = p.Edit.DocumentChanges[:1]
	}
	for u := range p.Edit.Changes {
		if !strings.HasSuffix(string(u), "calc.go") {
			delete(p.Edit.Changes, u)
		}
	}
	part, err := protocol.Marshal(&p)
	require.NoError(t, err)
	return part
}

// cell is one client: what it announces, and what it does.
type cell struct {
	announced [7]bool
	behaves   string
}

func (c cell) has(name string) bool {
	for i, a := range announcements {
		if a.name == name {
			return c.announced[i]
		}
	}
	panic(name)
}

func (c cell) name() string {
	var parts []string
	for i, a := range announcements {
		if c.announced[i] {
			parts = append(parts, a.name)
		}
	}
	return strings.Join(append(parts, c.behaves), " ")
}

func cells() (all []cell) {
	for bits := range 1 << len(announcements) {
		for _, b := range behaviours(nil) {
			c := cell{behaves: b.name}
			for i := range announcements {
				c.announced[i] = bits&(1<<i) != 0
			}
			all = append(all, c)
		}
	}
	return all
}

// Whatever a client announces and does, the texts are right or the user reads what they are: what is called accepted is in the text and in the
// record, what is not has a message, and nothing that was typed is lost. The log has how many cells ended in which way.
func TestMatrix_RightTextOrAnHonestMessage(t *testing.T) {
	all := cells()
	require.Len(t, all, 1024)
	chosen := testkit.Sample(43, all)   // no divisor of the number of behaviours: each is among them
	for _, b := range behaviours(nil) { // and of a client that knows no versions
		least := slices.IndexFunc(all, func(c cell) bool { return c.name() == "applyEdit "+b.name })
		if !slices.Contains(chosen, all[least]) {
			chosen = append(chosen, all[least])
		}
	}
	ended := map[ending]int{}
	for _, c := range chosen {
		t.Run(c.name(), func(t *testing.T) {
			how := wrong
			defer func() { ended[how]++ }()
			bubble(t, func(t *testing.T) { how = c.check(t) })
		})
	}
	t.Logf("%d cells of %d: %d right, %d honest, %d wrong", len(chosen), len(all), ended[right], ended[honest], ended[wrong])
	require.NotZero(t, ended[right])
	require.NotZero(t, ended[honest])
}

// ending is how a cell ends.
type ending int

const (
	wrong  ending = iota
	right         // all that the client was sent is in the texts and in the record
	honest        // some of it is not, and the user reads what
)

func (c cell) check(t *testing.T) ending {
	d := start(t, map[string]string{"calc.go": calcGo, "doc.go": matrixFiles[1].Before}, &fakeEngine{script: proposing(matrixFiles...)}, func(p *protocol.InitializeParams) {
		for i, a := range announcements {
			a.set(p, c.announced[i])
		}
	})
	applies := d.applyEdit()
	var b behaviour
	for _, one := range behaviours(func(*harness) func([]byte) (any, error) { return applies }) {
		if one.name == c.behaves {
			b = one
		}
	}
	d.Handle(protocol.MethodWorkspaceApplyEdit, func(params []byte) (any, error) { return b.do(d, params) })
	d.Handle(protocol.MethodWindowShowMessageRequest, choosingIfOffered("Show"))
	d.Handle(protocol.MethodWindowShowDocument, func([]byte) (any, error) { return &protocol.ShowDocumentResult{Success: true}, nil })
	d.Open(d.uri("calc.go"), "go", calcGo)
	d.Open(d.uri("doc.go"), "go", matrixFiles[1].Before)
	d.proposal()
	synctest.Wait()
	c.offered(t, d)
	request := d.Post(protocol.MethodWorkspaceExecuteCommand, executeParams(t, api.ApplyProposal, api.ProposalArgs{}))
	if c.behaves == "disconnects" && c.has("applyEdit") {
		require.Equal(t, 1, d.ExitCode(), "the server ends with its client")
		require.Equal(t, calcGo, onDisk(t, d, "calc.go"))
		require.Equal(t, 0, d.engine.closed, "the note of the edit is left to the next server")
		return honest
	}
	var result api.ApplyResult
	err := d.Await(request, &result)
	if !c.has("applyEdit") {
		require.ErrorContains(t, err, "does not let a server apply edits")
		require.Equal(t, calcGo, d.Text(d.uri("calc.go")))
		return honest
	}
	require.NoError(t, err)
	if b.then != nil {
		b.then(d)
	}
	pause(15_000)
	synctest.Wait()
	return c.judge(t, d, b, result)
}

// choosingIfOffered picks an answer where it is offered, and dismisses other questions.
func choosingIfOffered(title string) func([]byte) (any, error) {
	return func(params []byte) (any, error) {
		if !strings.Contains(string(params), `"`+title+`"`) {
			return nil, nil
		}
		return &protocol.MessageActionItem{Title: title}, nil
	}
}

// offered checks how the proposal was put before the user.
func (c cell) offered(t *testing.T, d *harness) {
	t.Helper()
	count := func(method string) (n int) {
		for _, m := range d.Messages() {
			if m.Method == method {
				n++
			}
		}
		return n
	}
	kinds := progressKinds(t, d)
	if c.has("progress") {
		require.Equal(t, []string{"begin", "end"}, []string{kinds[0], kinds[len(kinds)-1]})
	} else {
		require.Empty(t, kinds)
	}
	hints := c.has("applyEdit") && (!c.has("annotations") || !c.has("documentChanges"))
	require.Equal(t, hints && c.has("showDocument"), count(protocol.MethodWindowShowDocument) == 1)
	require.Equal(t, hints && !c.has("showDocument"), len(said(d, "accept or reject each hunk")) == 1)
}

// judge checks what a client is left with.
func (c cell) judge(t *testing.T, d *harness, b behaviour, result api.ApplyResult) ending {
	t.Helper()
	how := right
	p := d.get("")
	recorded := map[string]bool{}
	for _, cs := range d.engine.records() {
		for _, f := range cs.Files {
			recorded[f.Path] = true
		}
	}
	for i, file := range p.Files {
		now := c.text(t, d, file.Path)
		told := fmt.Sprintf("%s is %s, the client reads %v, and the text is %q", file.Path, file.State, result.Files[i], now)
		switch file.State {
		case "accepted":
			require.True(t, recorded[file.Path], told)
			require.Equal(t, matrixFiles[i].After, strings.TrimPrefix(now, "// typed\n"), told)
		case "pending", "partial":
			how = honest
			require.NotEqual(t, "applied", result.Files[i].State, told)
			require.NotEmpty(t, result.Files[i].Message, told)
		case "conflict":
			how = honest
			require.Contains(t, result.Files[i].Message, "you changed the same lines", told)
		default:
			t.Fatal(told)
		}
		if file.Kind != "create" && b.fate != "" {
			require.Equal(t, b.fate, file.State, told)
		}
	}
	operations := c.has("resourceOperations")
	switch c.behaves {
	case "honest", "confirms only after the reply":
		require.Equal(t, operations, p.Files[2].State == "accepted", p.Files[2].State)
	case "subset":
		require.Equal(t, "accepted", p.Files[0].State)
		require.Equal(t, "pending", p.Files[1].State)
	case "edits during apply":
		require.True(t, strings.HasPrefix(d.Text(d.uri("calc.go")), "// typed\n"), "typed text is kept")
		if operations || c.has("documentChanges") {
			require.Equal(t, "accepted", p.Files[0].State, "the versions have saved the edit from a wrong place")
		}
	}
	if len(d.engine.records()) == 0 {
		require.Empty(t, result.Checkpoint)
	}
	return how
}

// text is what the editor holds of a file; a missing file has none.
func (c cell) text(t *testing.T, d *harness, path string) string {
	t.Helper()
	if _, err := os.Stat(d.uri(path).FsPath()); err != nil && d.Version(d.uri(path)) == 0 {
		return ""
	}
	return d.Text(d.uri(path))
}
