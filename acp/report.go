package acp

import (
	"fmt"
	"path"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/llm"
	"forge/internal/inert"
)

// report shows the events of a run to the client: the nodes as a plan, gates and tools as tool calls, what the user should know as
// text. It is used by one goroutine.
type report struct {
	turn      *turn
	log       *event.Log
	formatter *event.Formatter
	gates     map[string]*sdk.SessionUpdateToolCall // started and not finished, by node, attempt and name
	failure   llm.Kind                              // of the last call of a model; empty if it did not fail
	used      int                                   // tokens of the last request
	size      int                                   // tokens that such a request may have
}

func newReport(t *turn, log *event.Log) *report {
	return &report{turn: t, log: log, formatter: event.NewFormatter(), gates: map[string]*sdk.SessionUpdateToolCall{}}
}

// see shows an event.
func (r *report) see(e event.Event) {
	lines := r.formatter.Format(e)
	switch d := e.Data.(type) {
	case event.GraphBuilt, event.GraphGrown, event.NodeChanged:
		r.plan()
	case event.GateStarted:
		r.gates[gateKey(d.Node, d.Attempt, d.Gate)] = r.begin(d.Gate)
	case event.GateFinished:
		r.gate(d)
	case event.Reviewed:
		r.reviewed(d)
	case event.ToolUsed:
		r.tool(d)
	case event.ModelCalled:
		r.called(d)
		r.warn(lines)
	case event.Spent:
		r.spent(d)
	case event.WorkIncluded:
		r.turn.say(d.String())
	case event.FilesSkipped, event.AttemptJudged, event.Diagnosed, event.WorkReported, event.BatchWaiting, event.ModelWarmed:
		r.warn(lines)
	}
}

// warn shows those lines that are more than information.
func (r *report) warn(lines []event.Line) {
	var texts []string
	for _, l := range (event.Filter{Severity: event.Warning}).Of(lines) {
		texts = append(texts, strings.TrimSpace(l.Text))
	}
	if len(texts) > 0 {
		r.turn.say(strings.Join(texts, "\n"))
	}
}

// titles describe the nodes of a run.
var titles = map[string]string{
	"orchestrator": "Decide what the request needs",
	"spec":         "Write the specification",
	"baseline":     "Check the folder without the change",
	"planner":      "Split the task into parts",
	"explore":      "Find the code that matters",
	"executor":     "Write the change and check it",
	"review":       "Review",
	"answer":       "Answer",
}

// plan shows all nodes.
func (r *report) plan() {
	nodes := r.log.Standing().Nodes
	entries := make([]sdk.PlanEntry, len(nodes))
	for i, n := range nodes {
		entries[i] = sdk.PlanEntry{Content: titleOf(n), Priority: sdk.PlanEntryPriorityMedium, Status: statusOf(n.Status)}
	}
	r.turn.session.update(sdk.UpdatePlan(entries...))
}

func titleOf(n graph.Node) string {
	base := path.Base(n.ID)
	title, known := titles[base]
	if !known {
		title = n.ID
	} else if part := path.Dir(n.ID); part != "." {
		title = inert.Text(part) + ": " + title
	}
	if n.Attempt > 1 {
		title += fmt.Sprintf(" (attempt %d)", n.Attempt)
	}
	switch n.Status {
	case graph.Failed, graph.Blocked, graph.Skipped:
		title += ": " + strings.ToLower(n.Status.String())
		if n.Reason != "" {
			title += ", " + inert.OneLine(n.Reason, 160)
		}
	case graph.Pending, graph.Running, graph.Done:
	}
	return title
}

// statusOf maps a status to one of the protocol's three. A node that failed is not completed: it may start again.
func statusOf(s graph.Status) sdk.PlanEntryStatus {
	switch s {
	case graph.Running:
		return sdk.PlanEntryStatusInProgress
	case graph.Done, graph.Skipped:
		return sdk.PlanEntryStatusCompleted
	case graph.Pending, graph.Failed, graph.Blocked:
	}
	return sdk.PlanEntryStatusPending
}

func gateKey(node string, attempt int, name string) string {
	return fmt.Sprintf("%s %d %s", node, attempt, name)
}

// begin shows a tool call that works.
func (r *report) begin(title string) *sdk.SessionUpdateToolCall {
	call := r.turn.newCall(inert.OneLine(title, 200), sdk.ToolKindExecute)
	call.Status = sdk.ToolCallStatusInProgress
	r.turn.show(call)
	return call
}

// gate shows the result of a gate. One that had nothing to check is completed.
func (r *report) gate(d event.GateFinished) {
	key := gateKey(d.Node, d.Attempt, d.Report.Gate)
	call := r.gates[key]
	if call == nil {
		call = r.begin(d.Report.Gate)
	}
	delete(r.gates, key)
	r.turn.conclude(call, d.Report)
}

// reviewed shows what the reviewer said.
func (r *report) reviewed(d event.Reviewed) {
	call := r.begin("Review of the change")
	r.turn.conclude(call, d.Report)
}

// conclude shows the report that a tool call ends with, and the places that it is about.
func (t *turn) conclude(call *sdk.SessionUpdateToolCall, report gate.Report) {
	status := sdk.ToolCallStatusCompleted
	if report.Verdict == gate.Fail || report.Verdict == gate.Error {
		status = sdk.ToolCallStatusFailed
	}
	var locations []sdk.ToolCallLocation
	for _, f := range report.Findings {
		if f.Path != "" {
			locations = append(locations, location(t.session.full(f.Path), f.Line))
		}
	}
	t.session.update(sdk.UpdateToolCall(call.ToolCallId, sdk.WithUpdateStatus(status),
		sdk.WithUpdateContent([]sdk.ToolCallContent{text(reportText(report))}), sdk.WithUpdateLocations(locations)))
}

// location is a place in a file; line 0 is the whole file.
func location(path string, line int) sdk.ToolCallLocation {
	at := sdk.ToolCallLocation{Path: path}
	if line > 0 {
		at.Line = &line
	}
	return at
}

// maxFindings is how many findings of a report are shown.
const maxFindings = 20

// reportText is a report in words: its summary and its findings.
func reportText(report gate.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", report.Verdict, inert.Text(report.Summary))
	for i, f := range report.Findings {
		if i == maxFindings {
			fmt.Fprintf(&b, "\n\n… and %d more", len(report.Findings)-i)
			break
		}
		fmt.Fprintf(&b, "\n\n- %s", inert.Text(f.String()))
	}
	if report.Notice != "" {
		b.WriteString("\n\n" + inert.Text(report.Notice))
	}
	return b.String()
}

// toolKinds are the kinds of the tools of models; others are unknown to the protocol.
var toolKinds = map[string]sdk.ToolKind{
	"read_file": sdk.ToolKindRead, "list_dir": sdk.ToolKindRead, "symbol_list": sdk.ToolKindRead, "repo_map": sdk.ToolKindRead,
	"search_code": sdk.ToolKindSearch, "grep": sdk.ToolKindSearch, "glob": sdk.ToolKindSearch, "discover_context": sdk.ToolKindSearch,
	"run_tests": sdk.ToolKindExecute, "lint_check": sdk.ToolKindExecute, "web.fetch": sdk.ToolKindFetch, "web.browse": sdk.ToolKindFetch,
}

// tool shows a tool call of a model, which has ended. Writing tools write a scratch copy of the folder, so they are no edits.
func (r *report) tool(d event.ToolUsed) {
	kind, known := toolKinds[d.Tool]
	if !known {
		kind = sdk.ToolKindOther
	}
	call := r.turn.newCall(inert.OneLine(d.Tool+" "+d.Args, 200), kind)
	call.Status = sdk.ToolCallStatusCompleted
	if d.Failed || d.Refused != "" {
		call.Status = sdk.ToolCallStatusFailed
	}
	if d.Reason != "" {
		call.Content = []sdk.ToolCallContent{text(inert.Text(d.Reason))}
	}
	r.turn.show(call)
}

// called takes note of a call of a model.
func (r *report) called(d event.ModelCalled) {
	r.failure = d.Kind
	if d.Manifest.Budget > 0 && d.Failure == "" {
		r.used, r.size = d.Input+d.CacheRead+d.CacheWrite, d.Manifest.Budget
	}
}

// spent shows what the session has used: the size of the last request and what such a request may have, and the cost of all.
func (r *report) spent(d event.Spent) {
	if r.size == 0 {
		return
	}
	u := &sdk.SessionUsageUpdate{Used: r.used, Size: r.size, Meta: map[string]any{"forge": map[string]any{
		"runId": r.turn.run.ID, "tokens": d.Tokens, "limitTokens": d.LimitTokens, "limitMicroUSD": d.LimitMicroUSD,
	}}}
	if !d.Cost.Unpriced {
		u.Cost = &sdk.Cost{Amount: float64(r.turn.session.spentBeside(r.turn.run.ID)+d.Cost.MicroUSD) / 1e6, Currency: "USD"}
	}
	r.turn.session.update(sdk.SessionUpdate{UsageUpdate: u})
}
