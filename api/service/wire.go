package service

import (
	"strconv"
	"strings"
	"time"

	"forge/api"
	"forge/engine"
	"forge/engine/activity"
	"forge/engine/agent"
	"forge/engine/batch"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/history"
	"forge/engine/llm"
	"forge/engine/permission"
	"forge/engine/prompt"
	"forge/engine/spend"
	"forge/engine/state"
	"forge/engine/step"
	"forge/memory"
)

// This file converts values of the engine to results of commands, and arguments to filters of the engine.

// agentsOf converts agents to the wire.
func agentsOf(found engine.Agents) api.AgentsResult {
	return api.AgentsResult{
		Agents: api.List(found.All, agentOf), Untrusted: found.Untrusted,
		Problems: api.List(found.Problems, func(p agent.Problem) api.AgentProblem {
			return api.AgentProblem{Source: p.Source, Line: p.Place.Line, Column: p.Place.Column, Reason: p.Reason}
		}),
	}
}

// agentOf converts an agent to the wire.
func agentOf(a agent.Agent) api.Agent {
	return api.Agent{
		Name: a.Name, Description: a.Description, Isolation: string(a.Isolation), Tools: api.List(a.Tools, api.Same), Source: a.Source,
		Roles: api.List(a.Roles, func(r agent.Role) api.AgentRole { return api.AgentRole{Role: r.Name, Tier: string(r.Tier)} }),
	}
}

// errandsOf converts errands to the wire.
func errandsOf(errands []memory.Errand) api.ErrandsResult {
	return api.ErrandsResult{Errands: api.List(errands, func(e memory.Errand) api.Errand {
		wire := api.Errand{
			ID: e.ID, RunID: e.Source.Run, Node: e.Source.Node, TaskID: string(e.TaskID), Agent: e.Agent, Task: e.Task, Context: e.Context, Rounds: e.Rounds,
			Reply: e.ReplyTokens, Status: string(e.Status), Result: e.Summary, Tokens: e.Tokens, Began: api.Stamp(e.Began), Ended: api.Stamp(e.Ended),
		}
		if e.Status == memory.ErrandFailed {
			wire.Result = e.Failure
		}
		return wire
	})}
}

// batchFilter converts the arguments to a filter.
func batchFilter(a api.BatchListArgs) batch.Filter { return batch.Filter{Run: a.RunID, Open: a.Open} }

// batchesOf converts batches, and the error of polling them, to the wire.
func batchesOf(jobs []batch.Job, trouble error) api.BatchesResult {
	result := api.BatchesResult{Batches: api.List(jobs, batchOf)}
	if trouble != nil {
		result.Trouble = trouble.Error()
	}
	return result
}

func batchOf(j batch.Job) api.Batch {
	return api.Batch{
		ID: j.ID, Label: j.Label, Provider: j.Provider, Model: j.Model, State: string(j.State), Cancelled: j.Cancelled,
		Items: j.Items, Answered: j.Answered, Missing: j.Missing, Runs: api.List(j.Runs, api.Same[string]),
		Created: api.Stamp(j.Created), Submitted: api.Stamp(j.Submitted), Expires: api.Stamp(j.Expires), Ended: api.Stamp(j.Ended), Trouble: j.Trouble,
	}
}

// conversationsOf converts conversations to the wire.
func conversationsOf(all []state.Conversation) []api.Conversation {
	return api.List(all, func(c state.Conversation) api.Conversation {
		return api.Conversation{ID: c.ID, Title: c.Title(), Turns: c.Count(), Last: api.Stamp(c.Last())}
	})
}

// conversationTurnsOf converts the turns of a conversation to the wire.
func conversationTurnsOf(turns []state.Turn) []api.ConversationTurn {
	return api.List(turns, func(t state.Turn) api.ConversationTurn {
		return api.ConversationTurn{RunID: t.Run, TS: api.Stamp(t.At), Asked: t.Asked, Answered: t.Answered, Synopsis: t.Synopsis}
	})
}

// ConversationChangedOf converts a new turn of a conversation in a folder, given by its URI.
func ConversationChangedOf(folder string, said history.Said) api.ConversationChanged {
	return api.ConversationChanged{Folder: folder, ID: said.Conversation, Turn: conversationTurnsOf([]state.Turn{said.Turn})[0]}
}

// costsOf converts a report to the wire and adds the total.
func costsOf(rows []spend.Row) api.CostResult {
	total := spend.Row{Name: "total"}
	for _, r := range rows {
		total.Attempts += r.Attempts
		total.Tokens += r.Tokens
		total.Held += r.Held
		total.Usage = total.Usage.Add(r.Usage)
		total.Cost = total.Cost.Add(r.Cost)
	}
	return api.CostResult{Rows: api.List(rows, costRowOf), Total: costRowOf(total)}
}

func costRowOf(r spend.Row) api.CostRow {
	return api.CostRow{
		Name: r.Name, Attempts: r.Attempts, Tokens: r.Tokens, HeldTokens: r.Held,
		InputTokens: r.Usage.Input, OutputTokens: r.Usage.Output,
		CacheReadTokens: r.Usage.CacheRead, CacheWriteTokens: r.Usage.CacheWrite, Cost: api.CostOf(r.Cost),
	}
}

// costQuery converts the arguments to a query at time now. An *ArgumentError names a wrong argument.
func costQuery(a api.CostArgs, now time.Time) (spend.Query, error) {
	q := spend.Query{Run: a.RunID, By: spend.By(a.By)}
	if a.Since == "" {
		return q, nil
	}
	ago, err := parseAgo(a.Since)
	if err != nil || ago <= 0 {
		return q, &api.ArgumentError{Field: "since", Problem: strconv.Quote(a.Since) + " is not a duration; want one such as 90m, 24h or 7d"}
	}
	q.Since = now.Add(-ago)
	return q, nil
}

// parseAgo parses a duration, which may be given in days.
func parseAgo(text string) (time.Duration, error) {
	if days, found := strings.CutSuffix(text, "d"); found {
		n, err := strconv.ParseUint(days, 10, 15)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(text)
}

// runOf converts a stored run to the wire.
func runOf(r history.Run) api.RunInfo {
	wire := api.RunInfo{
		RunID: r.ID, Task: r.Title, State: string(r.State), Reason: r.Reason, Folder: api.FileURI(r.Root), ProposalID: r.Proposal,
		Recipe: r.Way.Recipe, Mode: r.Way.Mode, Profile: r.Way.Profile,
		Started: api.Stamp(r.Started), Ended: api.Stamp(r.Ended), Tokens: r.Tokens, CachedTokens: r.Cached, Files: r.Files, Decision: string(r.Decision), Unverified: r.Unverified, Batch: r.Batch,
	}
	if r.Tokens > 0 {
		cost := api.CostOf(r.Cost)
		wire.Cost = &cost
	}
	return wire
}

// runsOf converts stored runs to the wire.
func runsOf(runs []history.Run) []api.RunInfo { return api.List(runs, runOf) }

// logLines converts log lines of a run to the wire.
func logLines(lines []event.Line) []api.LogLine {
	return api.List(lines, func(l event.Line) api.LogLine {
		return api.LogLine{
			Seq: l.Seq, TS: api.Stamp(l.Time), Node: l.Node, Phase: string(l.Phase), Severity: string(l.Severity), Text: l.Text,
		}
	})
}

// checkpointsOf converts a ledger to the wire.
func checkpointsOf(checkpoints []history.Checkpoint) api.CheckpointsResult {
	return api.CheckpointsResult{Checkpoints: api.List(checkpoints, func(c history.Checkpoint) api.Checkpoint {
		return api.Checkpoint{
			ID: c.ID, RunID: c.RunID, Undoes: c.Undoes, Title: c.Title, TS: api.Stamp(c.Time),
			Files: api.List(c.Files, func(f history.CheckpointFile) api.CheckpointFile {
				return api.CheckpointFile{Path: f.Path, From: f.From, Kind: api.KindNames[f.Kind]}
			}),
		}
	})}
}

// gCOf converts the report of a collection to the wire.
func gCOf(r history.GCReport, dryRun bool) api.GCResult {
	m := r.Memory
	return api.GCResult{
		DryRun: dryRun, Runs: api.List(r.Runs, api.Same), EventFiles: r.Events,
		MemoryRows:    m.Expired + m.Mid + m.Iterations + m.Errands + m.Episodic,
		MemoryReduced: m.EpisodicReduced, Conversations: r.Conversations, SpecVersions: m.Specs,
		Snapshots: r.Shadow.Snapshots, LedgerEntries: r.Shadow.Entries, Trees: r.Shadow.Trees, OverQuota: r.Shadow.OverQuota,
		ShadowLeft: r.ShadowLeft, BytesBefore: r.Before, BytesAfter: r.After,
	}
}

// projectOf converts the usage of a folder to the wire.
func projectOf(p state.Usage) api.Project {
	wire := api.Project{
		ID: p.ID, Gone: p.Gone, Trusted: p.Trusted, State: p.State, Runs: p.Runs, Seen: api.Stamp(p.Seen),
		RunBytes: p.RunBytes, MemoryBytes: p.MemoryBytes, ShadowBytes: p.ShadowBytes,
	}
	if p.Root != "" {
		wire.Folder = api.FileURI(p.Root)
	}
	return wire
}

// projectsOf converts the usage of folders to the wire.
func projectsOf(projects []state.Usage) api.ProjectsResult {
	return api.ProjectsResult{Projects: api.List(projects, projectOf)}
}

// sessionsOf converts processes to the wire.
func sessionsOf(sessions []history.Session) api.SessionsResult {
	return api.SessionsResult{Sessions: api.List(sessions, func(s history.Session) api.Session {
		return api.Session{PID: s.PID, Here: s.Here, Since: api.Stamp(s.Since), Folders: api.List(s.Folders, api.FileURI), Runs: api.List(s.Runs, func(r history.SessionRun) api.SessionRun {
			return api.SessionRun{RunID: r.ID, Recipe: r.Way.Recipe, Mode: r.Way.Mode, Profile: r.Way.Profile}
		})}
	})}
}

// prunedOf converts the result of pruning to the wire.
func prunedOf(p history.Pruned, dryRun bool) api.PruneResult {
	c := p.Expired
	return api.PruneResult{DryRun: dryRun, Patterns: api.List(p.Patterns, memoryRowOf), Expired: c.Expired + c.Mid + c.Episodic + c.Iterations}
}

// extractOf converts extracted playbooks to the wire.
func extractOf(all []history.Extract, dryRun bool) api.ExtractResult {
	return api.ExtractResult{DryRun: dryRun, Playbooks: api.List(all, func(x history.Extract) api.ExtractedPlaybook {
		p := x.Playbook
		wire := api.ExtractedPlaybook{State: string(x.State), Title: p.Title, Content: p.Content, Tags: append([]string{}, p.Tags...), RunID: p.Source.Run}
		if p.ID != (memory.Playbook{}).ID {
			wire.ID = string(p.ID)
		}
		return wire
	})}
}

// historyOf converts the tasks of a period to the wire; a zero end is open.
func historyOf(from, to time.Time, tasks []history.TaskInfo) api.HistoryResult {
	r := api.HistoryResult{From: api.Stamp(from), Tasks: api.List(tasks, taskOf)}
	if !to.IsZero() {
		r.To = api.Stamp(to)
	}
	return r
}

// auditRowOf returns a row of the audit log as it goes over the wire.
func auditRowOf(r permission.Row) api.AuditRow {
	return api.AuditRow{
		Seq: r.Seq, Time: api.Stamp(r.Time), Run: r.Run, Agent: string(r.Agent), Tool: r.Tool, Call: r.Call, Digest: r.Digest, Verdict: r.Verdict,
		Layer: r.Layer, Code: r.Code, Reason: r.Reason, Scope: string(r.Scope), Prev: r.Prev, Hash: r.Hash,
	}
}

// permissionsOf returns answers and rules as they go over the wire.
func permissionsOf(all []permission.Grant, rules []permission.Rule) api.PermissionsResult {
	return api.PermissionsResult{
		Permissions: api.List(all, func(g permission.Grant) api.Permission {
			return api.Permission{
				Tool: g.Tool, Shown: g.Shown, Digest: g.Digest, Scope: string(g.Scope), Run: g.Run, Given: api.Stamp(g.Given), Expires: api.Stamp(g.Expires),
			}
		}),
		Rules: api.List(rules, func(r permission.Rule) api.PermissionRule {
			return api.PermissionRule{Tool: r.Tool, Match: r.Match, Answer: string(r.Answer), Source: r.Source}
		}),
	}
}

// skillsOf converts the skills for a kind of work to the wire; an empty kind means all.
func skillsOf(found engine.Skills, kind string) api.SkillsResult {
	all := found.All
	if kind != "" {
		all = prompt.MatchSkills(all, kind)
	}
	return api.SkillsResult{
		Skills: api.List(all, func(s prompt.Skill) api.Skill {
			return api.Skill{Name: s.Name, Description: s.Description, Category: s.Category, Source: s.Source}
		}),
		Problems:  api.List(found.Problems, func(p prompt.SkillProblem) api.SkillProblem { return api.SkillProblem(p) }),
		Untrusted: found.Untrusted,
	}
}

// memoryOf converts rows of memory to the wire.
func memoryOf(rows []history.Remembered) api.MemoryResult {
	return api.MemoryResult{Rows: api.List(rows, memoryRowOf)}
}

// memoryRowOf converts a row of memory to the wire.
func memoryRowOf(r history.Remembered) api.MemoryRow {
	row := api.MemoryRow{Scope: string(r.Scope), Score: r.Score}
	switch {
	case r.Entry != nil:
		e := r.Entry
		row.ID, row.Kind, row.Tier, row.Agent, row.Key = string(e.ID), string(history.Entries), string(e.Tier), e.Agent, e.Key
		row.Text, row.Updated, row.Source = activity.Wording(e.Value), api.Stamp(e.Updated), e.Source.String()
	case r.Pattern != nil:
		p := r.Pattern
		row.ID, row.Kind, row.Category, row.Text, row.Fix = string(p.ID), string(history.Patterns), string(p.Category), p.Text, p.Fix
		row.Confidence, row.Updated, row.Source = p.Confidence, api.Stamp(p.Since()), p.Source.String()
		row.Context, row.Counted, row.Tags, row.RunID = p.Context, p.Counted(), p.Tags, p.Source.Run
	case r.Playbook != nil:
		p := r.Playbook
		row.ID, row.Kind, row.Title, row.Text = string(p.ID), string(history.Playbooks), p.Title, p.Content
		row.Updated, row.Source, row.Tags, row.RunID = api.Stamp(p.Updated), p.Source.String(), p.Tags, p.Source.Run
	}
	return row
}

// whyOf converts the provenance of a row to the wire.
func whyOf(p memory.Provenance) api.MemoryWhyResult {
	why := api.MemoryWhyResult{
		ID: string(p.ID), Scope: string(p.Scope), What: p.What, Origin: string(p.Source.Origin), RunID: p.Source.Run,
		Node: p.Source.Node, Event: p.Source.Event, Detail: p.Source.Detail, Source: p.Source.String(), Created: api.Stamp(p.Created), Updated: api.Stamp(p.Updated),
		Evidence: api.List(p.Evidence, func(e memory.Evidence) api.MemoryEvidence {
			return api.MemoryEvidence{
				Verdict: e.Verdict, Gate: e.Report.Gate, RunID: e.Report.Run, Node: e.Report.Node, Event: e.Report.Event, Summary: e.Report.Summary, TS: api.Stamp(e.At),
			}
		}),
	}
	if p.Pattern != nil {
		row := memoryRowOf(history.Remembered{Scope: p.Scope, Pattern: p.Pattern})
		why.Pattern = &row
	}
	return why
}

// importedOf converts the result of an import to the wire.
func importedOf(i memory.Imported) api.MemoryImportResult {
	return api.MemoryImportResult{Added: i.Added, Known: i.Known, Bad: api.List(i.Bad, func(b memory.BadLine) api.MemoryBadLine { return api.MemoryBadLine(b) })}
}

// modelCallsOf converts the exchanges of a run to the wire.
func modelCallsOf(all []step.Exchange) []api.ModelCall { return api.List(all, modelCallOf) }

func modelCallOf(x step.Exchange) api.ModelCall {
	c := api.ModelCall{
		Number: x.Number, Node: x.Node, Attempt: x.Attempt, Purpose: x.Purpose, Round: x.Round, State: "open", Started: api.Stamp(x.Started),
		Replaced: x.Forgotten, Cost: api.CostOf(llm.Cost{}),
	}
	if x.Failure != nil {
		c.State, c.Failure = "failed", x.Failure.Message
	}
	if x.Answer == nil {
		return c
	}
	a := *x.Answer
	c.State, c.Model, c.ElapsedMS, c.Cached = "answered", a.Model, a.Latency.Milliseconds(), a.Cached
	c.Cost = api.CostOf(a.Cost)
	c.InputTokens, c.OutputTokens, c.CacheReadTokens, c.CacheWriteTokens = a.Usage.Input, a.Usage.Output, a.Usage.CacheRead, a.Usage.CacheWrite
	return c
}

// tasksOf converts tasks to the wire.
func tasksOf(tasks []history.TaskInfo) api.TasksResult {
	return api.TasksResult{Tasks: api.List(tasks, taskOf)}
}

// taskOf converts a task to the wire.
func taskOf(t history.TaskInfo) api.TaskInfo {
	wire := api.TaskInfo{
		ID: string(t.ID), Title: t.Title, Prompt: t.Prompt, State: string(t.State), RunID: t.Source.Run, RunState: string(t.Stands),
		Parent: string(t.Parent), Created: api.Stamp(t.Created), Updated: api.Stamp(t.Updated),
	}
	if len(t.Moves) > 0 {
		wire.Moves = api.List(t.Moves, func(m memory.TaskMove) api.TaskMove {
			return api.TaskMove{From: string(m.From), To: string(m.To), TS: api.Stamp(m.At), Source: m.Source.String()}
		})
	}
	return wire
}

// gatesOf converts the gates detected in a folder to the wire.
func gatesOf(root string, v checks.Validation) api.GatesResult {
	r := api.GatesResult{Folder: api.FileURI(root), Projects: []api.GateProject{}, Gates: api.List(v.Gates, api.Same), Waived: api.List(v.Waived, api.Same), Known: api.List(v.Known, api.Same)}
	for _, u := range v.Units {
		r.Projects = append(r.Projects, api.GateProject{Language: u.Language, Dir: u.Dir, Gates: api.List(u.Gates, api.Same)})
	}
	return r
}

// validateOf converts a validation to the wire.
func validateOf(root string, v checks.Validation) api.ValidateResult {
	r := api.ValidateResult{Folder: api.FileURI(root), Verdict: v.Verdict().String(), Found: gatesOf(root, v), Gates: []api.Gate{}, Skipped: api.List(v.Skipped, api.Same)}
	for _, report := range v.Reports {
		r.Gates = append(r.Gates, api.GateOf(report))
	}
	return r
}

// worktreesOf converts scratch trees to the wire.
func worktreesOf(all []engine.Worktree) []api.Worktree {
	return api.List(all, func(s engine.Worktree) api.Worktree {
		w := api.Worktree{Dir: s.Dir, State: "idle", RunID: s.Run, PID: s.PID, Since: api.Stamp(s.Since), Bytes: s.Bytes}
		if s.InUse {
			w.State = "used"
		}
		return w
	})
}
