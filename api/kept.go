package api

import (
	"time"

	"forge/engine/event"
	"forge/engine/history"
	"forge/engine/state"
	"forge/memory"
	"forge/patch"
)

// RunsArgs choose runs.
type RunsArgs struct {
	All   bool `json:"all,omitempty" doc:"also what is kept of earlier runs of the folder, and of other processes"`
	Limit int  `json:"limit,omitempty" doc:"how many of the kept ones, the newest; without it all"`
	InFolder
}

// LogArgs select the lines of a run's log.
type LogArgs struct {
	RunID    string `json:"runId,omitempty" doc:"the run; without it the newest of the folder"`
	Node     string `json:"node,omitempty" doc:"only what this node did"`
	Phase    string `json:"phase,omitempty" enum:"run,node,model,gate,attempt,ask,proposal"`
	Severity string `json:"severity,omitempty" doc:"this, and what matters more" enum:"info,warning,error"`
	Limit    int    `json:"limit,omitempty" doc:"how many lines, the last ones; 50 without it"`
	InFolder
}

// LogResult is the log of a run in lines, oldest first.
type LogResult struct {
	RunID string    `json:"runId"`
	Lines []LogLine `json:"lines"`
}

// LogLine is one line of a log.
type LogLine struct {
	Seq      int    `json:"seq" doc:"of the event"`
	TS       string `json:"ts" doc:"RFC 3339 with milliseconds, UTC"`
	Node     string `json:"node,omitempty"`
	Phase    string `json:"phase" enum:"run,node,model,gate,attempt,ask,proposal"`
	Severity string `json:"severity" enum:"info,warning,error"`
	Text     string `json:"text" doc:"may have several lines"`
}

// ResumeArgs name a run to resume.
type ResumeArgs struct {
	RunID  string  `json:"runId,omitempty" doc:"the run, of any session; without it the newest of the folder that was cut off or paused"`
	Offer  bool    `json:"offer,omitempty" doc:"only offer the change that the run made, verified or not: nothing of the run is done again"`
	Answer string  `json:"answer,omitempty" doc:"the answer to the question that the run is blocked with; without it the user is asked"`
	Limits *Limits `json:"limits,omitempty" doc:"higher ones than the run has, where it was blocked by them"`
	Wait   bool    `json:"wait,omitempty" doc:"keep the request open until the run has ended"`
	InFolder
}

// KillArgs name a run to stop for good.
type KillArgs struct {
	RunID string `json:"runId" doc:"the run, in whatever process it is worked on"`
}

// FolderArgs name a workspace folder.
type FolderArgs struct {
	InFolder
}

// CheckpointsResult is the ledger of a folder, newest first.
type CheckpointsResult struct {
	Checkpoints []Checkpoint `json:"checkpoints"`
}

// Checkpoint is something that was accepted, and can be taken back.
type Checkpoint struct {
	ID     string           `json:"checkpoint"`
	RunID  string           `json:"runId"`
	Undoes string           `json:"undoes,omitempty" doc:"runId of what it takes back"`
	Title  string           `json:"title"`
	TS     string           `json:"ts" doc:"RFC 3339 with milliseconds, UTC"`
	Files  []CheckpointFile `json:"files"`
}

// CheckpointFile is a file of a checkpoint.
type CheckpointFile struct {
	Path string `json:"path" doc:"relative to the folder"`
	From string `json:"from,omitempty" doc:"of a move"`
	Kind string `json:"kind" enum:"create,update,delete,move"`
}

// GCArgs say what to collect.
type GCArgs struct {
	DryRun bool `json:"dryRun,omitempty" doc:"only report what would be removed"`
	InFolder
}

// GCResult reports what was removed from the stored data of a folder, or would be.
type GCResult struct {
	DryRun        bool     `json:"dryRun"`
	Runs          []string `json:"runs" doc:"ids of runs that ended long ago"`
	EventFiles    int      `json:"eventFiles" doc:"files of events that belonged to no run any more"`
	MemoryRows    int      `json:"memoryRows" doc:"rows of memory that had lived their time"`
	MemoryReduced int      `json:"memoryReduced" doc:"rows of memory of which a synopsis is left"`
	SpecVersions  int      `json:"specVersions" doc:"versions of the specification before the last ten"`
	Snapshots     int      `json:"snapshots"`
	LedgerEntries int      `json:"ledgerEntries"`
	Trees         int      `json:"trees" doc:"scratch trees that stood ready"`
	OverQuota     int64    `json:"overQuota,omitempty" doc:"bytes by which what must be kept is more than the quota"`
	ShadowLeft    string   `json:"shadowLeft,omitempty" doc:"why snapshots, ledger and trees were left as they are"`
	BytesBefore   int64    `json:"bytesBefore"`
	BytesAfter    int64    `json:"bytesAfter" doc:"of a dry run as before"`
}

// Project is what Forge keeps of a folder, and where.
type Project struct {
	ID          string `json:"id"`
	Folder      string `json:"folder,omitempty" doc:"URI; empty when nothing says which folder it was"`
	Gone        bool   `json:"gone,omitempty" doc:"the folder is not there any more"`
	Trusted     bool   `json:"trusted"`
	State       string `json:"state" doc:"path of the folder of Forge's own with its runs, memory and journal"`
	Runs        int    `json:"runs" doc:"how many are kept"`
	Seen        string `json:"seen,omitempty" doc:"when something of it was last changed: RFC 3339, UTC"`
	RunBytes    int64  `json:"runBytes" doc:"on disk: runs, their journals and events"`
	MemoryBytes int64  `json:"memoryBytes"`
	ShadowBytes int64  `json:"shadowBytes" doc:"snapshots, scratch trees and the ledger"`
}

// ProjectsResult lists what Forge keeps of all folders, the last changed first.
type ProjectsResult struct {
	Projects []Project `json:"projects"`
}

// SessionsResult lists processes, those first that have been there longest.
type SessionsResult struct {
	Sessions []Session `json:"sessions"`
}

// Session is a living process of this machine that has a folder open or works on a run.
type Session struct {
	PID     int          `json:"pid"`
	Here    bool         `json:"here,omitempty" doc:"it is the one that answers"`
	Since   string       `json:"since" doc:"RFC 3339, UTC"`
	Folders []string     `json:"folders" doc:"URIs"`
	Runs    []SessionRun `json:"runs" doc:"those it works on"`
}

// SessionRun is a run that a process works on.
type SessionRun struct {
	RunID   string `json:"runId"`
	Recipe  string `json:"recipe,omitempty" doc:"the kind of work"`
	Mode    string `json:"mode,omitempty"`
	Profile string `json:"profile,omitempty" doc:"how the change is asked for; missing where no model is asked for one"`
}

// stamp is a time on the wire; of none it is empty.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeLayout)
}

// list is never nil, so that JSON shows an empty list.
func list[T, W any](values []T, wire func(T) W) []W {
	all := make([]W, 0, len(values))
	for _, v := range values {
		all = append(all, wire(v))
	}
	return all
}

func same[T any](v T) T { return v }

// RunOf returns a kept run as it goes over the wire.
func RunOf(r history.Run) RunInfo {
	wire := RunInfo{
		RunID: r.ID, Task: r.Title, State: string(r.State), Reason: r.Reason, Folder: FileURI(r.Root),
		Recipe: r.Way.Recipe, Mode: r.Way.Mode, Profile: r.Way.Profile,
		Started: stamp(r.Started), Ended: stamp(r.Ended), Tokens: r.Tokens, CachedTokens: r.Cached, Files: r.Files, Unverified: r.Unverified, Batch: r.Batch,
	}
	if r.Tokens > 0 {
		cost := CostOf(r.Cost)
		wire.Cost = &cost
	}
	return wire
}

// RunsOf returns kept runs as they go over the wire.
func RunsOf(runs []history.Run) []RunInfo { return list(runs, RunOf) }

// LogLines returns lines about a run as they go over the wire.
func LogLines(lines []event.Line) []LogLine {
	return list(lines, func(l event.Line) LogLine {
		return LogLine{
			Seq: l.Seq, TS: stamp(l.Time), Node: l.Node, Phase: string(l.Phase), Severity: string(l.Severity), Text: l.Text,
		}
	})
}

// CheckpointsOf returns a ledger as it goes over the wire.
func CheckpointsOf(checkpoints []history.Checkpoint) CheckpointsResult {
	return CheckpointsResult{Checkpoints: list(checkpoints, func(c history.Checkpoint) Checkpoint {
		return Checkpoint{
			ID: c.ID, RunID: c.RunID, Undoes: c.Undoes, Title: c.Title, TS: stamp(c.Time),
			Files: list(c.Files, func(f history.CheckpointFile) CheckpointFile {
				return CheckpointFile{Path: f.Path, From: f.From, Kind: KindNames[f.Kind]}
			}),
		}
	})}
}

// KindNames are the kinds of changes as the wire knows them.
var KindNames = map[patch.Kind]string{
	patch.Create: "create", patch.Update: "update", patch.Delete: "delete", patch.Move: "move",
}

// GCOf returns what a collection did as it goes over the wire.
func GCOf(r history.GCReport, dryRun bool) GCResult {
	m := r.Memory
	return GCResult{
		DryRun: dryRun, Runs: list(r.Runs, same), EventFiles: r.Events,
		MemoryRows:    m.Expired + m.Mid + m.Iterations + m.Episodic,
		MemoryReduced: m.EpisodicReduced, SpecVersions: m.Specs,
		Snapshots: r.Shadow.Snapshots, LedgerEntries: r.Shadow.Entries, Trees: r.Shadow.Trees, OverQuota: r.Shadow.OverQuota,
		ShadowLeft: r.ShadowLeft, BytesBefore: r.Before, BytesAfter: r.After,
	}
}

// ProjectOf returns what is kept of a folder as it goes over the wire.
func ProjectOf(p state.Usage) Project {
	wire := Project{
		ID: p.ID, Gone: p.Gone, Trusted: p.Trusted, State: p.State, Runs: p.Runs, Seen: stamp(p.Seen),
		RunBytes: p.RunBytes, MemoryBytes: p.MemoryBytes, ShadowBytes: p.ShadowBytes,
	}
	if p.Root != "" {
		wire.Folder = FileURI(p.Root)
	}
	return wire
}

// ProjectsOf returns what is kept of folders as it goes over the wire.
func ProjectsOf(projects []state.Usage) ProjectsResult {
	return ProjectsResult{Projects: list(projects, ProjectOf)}
}

// SessionsOf returns processes as they go over the wire.
func SessionsOf(sessions []history.Session) SessionsResult {
	return SessionsResult{Sessions: list(sessions, func(s history.Session) Session {
		return Session{PID: s.PID, Here: s.Here, Since: stamp(s.Since), Folders: list(s.Folders, FileURI), Runs: list(s.Runs, func(r history.SessionRun) SessionRun {
			return SessionRun{RunID: r.ID, Recipe: r.Way.Recipe, Mode: r.Way.Mode, Profile: r.Way.Profile}
		})}
	})}
}

// IterationsArgs choose attempts of runs.
type IterationsArgs struct {
	RunID string `json:"runId,omitempty" doc:"the run, of any session; without it all of the folder"`
	Node  string `json:"node,omitempty" doc:"only of this node, such as executor, or pay/executor of a part of a plan"`
	Reset bool   `json:"reset,omitempty" doc:"forget them; runId is needed for that"`
	InFolder
}

// IterationsResult lists attempts: of the run that began last first, and within it node by node.
type IterationsResult struct {
	Iterations []Iteration `json:"iterations" doc:"of a reset none"`
	Forgotten  int         `json:"forgotten,omitempty" doc:"how many a reset has forgotten"`
}

// Iteration is how one attempt of a node came out.
type Iteration struct {
	RunID    string   `json:"runId"`
	Node     string   `json:"node"`
	Attempt  int      `json:"attempt" doc:"from 1"`
	Accepted bool     `json:"accepted" doc:"every gate opened for it, and the review too"`
	Passed   int      `json:"passed" doc:"checks"`
	Total    int      `json:"total" doc:"checks"`
	Score    float64  `json:"score" doc:"from 0 to 1: the share of checks that passed"`
	Failures []string `json:"failures" doc:"ids of what failed: gate, place, test, rule, message"`
	Class    string   `json:"class,omitempty" doc:"why the attempt before failed, where that is known" enum:"stuck,missing_context,blocked"`
	Reason   string   `json:"reason,omitempty" doc:"why it was not accepted"`
	TS       string   `json:"ts" doc:"RFC 3339, UTC"`
}

// IterationsOf returns attempts as they go over the wire.
func IterationsOf(attempts []memory.Attempt) IterationsResult {
	return IterationsResult{Iterations: list(attempts, func(a memory.Attempt) Iteration {
		return Iteration{
			RunID: a.Run, Node: a.Node, Attempt: a.Attempt, Accepted: a.Accepted(), Passed: a.Passed, Total: a.Total, Score: a.Score(),
			Failures: list(a.Failures, same), Class: a.Class, Reason: a.Reason, TS: stamp(a.At),
		}
	})}
}
