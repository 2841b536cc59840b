package api

import (
	"time"

	"forge/memory"
	"forge/patch"
)

// RunsArgs filter runs.
type RunsArgs struct {
	All   bool `json:"all,omitempty" doc:"include stored runs of the folder, and runs of other processes"`
	Limit int  `json:"limit,omitempty" doc:"limit of stored runs, newest first; without it all"`
	InFolder
}

// LogArgs filter the log of a run.
type LogArgs struct {
	RunID    string `json:"runId,omitempty" doc:"the run; without it the newest of the folder"`
	Node     string `json:"node,omitempty" doc:"only lines of this node"`
	Phase    string `json:"phase,omitempty" enum:"run,node,model,gate,attempt,ask,proposal"`
	Severity string `json:"severity,omitempty" doc:"minimum severity" enum:"info,warning,error"`
	Limit    int    `json:"limit,omitempty" doc:"limit of lines, counted from the end; 50 without it"`
	InFolder
}

// LogResult is the log of a run as lines, oldest first.
type LogResult struct {
	RunID string    `json:"runId"`
	Lines []LogLine `json:"lines"`
}

// LogLine is one line of a log.
type LogLine struct {
	Seq      int    `json:"seq" doc:"number of the event"`
	TS       string `json:"ts" doc:"RFC 3339 with milliseconds, UTC"`
	Node     string `json:"node,omitempty"`
	Phase    string `json:"phase" enum:"run,node,model,gate,attempt,ask,proposal"`
	Severity string `json:"severity" enum:"info,warning,error"`
	Text     string `json:"text" doc:"may have several lines"`
}

// ResumeArgs name a run to resume.
type ResumeArgs struct {
	RunID  string  `json:"runId,omitempty" doc:"the run, of any session; without it the newest of the folder that was interrupted"`
	Offer  bool    `json:"offer,omitempty" doc:"only show the proposal of the run, verified or not; no step is repeated, so it takes no answer and no limits"`
	Answer string  `json:"answer,omitempty" doc:"answer to the question that blocks the run: information for a model; or yes or no, if the run has asked that before. Without it the user is asked"`
	Limits *Limits `json:"limits,omitempty" doc:"higher limits, if the run was blocked by its limits"`
	Wait   bool    `json:"wait,omitempty" doc:"keep the request open until the run has ended"`
	InFolder
}

// RetryArgs name a run whose request is repeated.
type RetryArgs struct {
	RunID       string `json:"runId,omitempty" doc:"the run, of any session; without it the last one of this session"`
	Wait        bool   `json:"wait,omitempty" doc:"keep the request open until the run has ended"`
	ClientRunID string `json:"clientRunId,omitempty" doc:"makes the command idempotent: the same id returns the same run"`
}

// KillArgs name a run to stop permanently.
type KillArgs struct {
	RunID string `json:"runId" doc:"the run, in any process"`
}

// FolderArgs name a workspace folder.
type FolderArgs struct {
	InFolder
}

// CheckpointsResult is the ledger of a folder, newest first.
type CheckpointsResult struct {
	Checkpoints []Checkpoint `json:"checkpoints"`
}

// Checkpoint is an accepted change that can be undone.
type Checkpoint struct {
	ID     string           `json:"checkpoint"`
	RunID  string           `json:"runId"`
	Undoes string           `json:"undoes,omitempty" doc:"runId of the checkpoint that it undoes"`
	Title  string           `json:"title"`
	TS     string           `json:"ts" doc:"RFC 3339 with milliseconds, UTC"`
	Files  []CheckpointFile `json:"files"`
}

// CheckpointFile is a file of a checkpoint.
type CheckpointFile struct {
	Path string `json:"path" doc:"relative to the folder"`
	From string `json:"from,omitempty" doc:"old path of a moved file"`
	Kind string `json:"kind" enum:"create,update,delete,move"`
}

// GCArgs configure a collection.
type GCArgs struct {
	DryRun bool `json:"dryRun,omitempty" doc:"only report what would be deleted"`
	InFolder
}

// GCResult reports what was deleted from the stored data of a folder, or with dryRun would be.
type GCResult struct {
	DryRun        bool     `json:"dryRun"`
	Runs          []string `json:"runs" doc:"ids of deleted runs"`
	EventFiles    int      `json:"eventFiles" doc:"deleted event files of runs that no longer exist"`
	MemoryRows    int      `json:"memoryRows" doc:"expired rows of memory"`
	MemoryReduced int      `json:"memoryReduced" doc:"rows of memory that were reduced to a synopsis"`
	Conversations int      `json:"conversations" doc:"conversations that were reduced to a synopsis"`
	SpecVersions  int      `json:"specVersions" doc:"versions of the specification older than the last ten"`
	Snapshots     int      `json:"snapshots"`
	LedgerEntries int      `json:"ledgerEntries"`
	Trees         int      `json:"trees" doc:"deleted idle scratch trees"`
	OverQuota     int64    `json:"overQuota,omitempty" doc:"bytes above the quota that cannot be deleted"`
	ShadowLeft    string   `json:"shadowLeft,omitempty" doc:"why snapshots, ledger and trees were not collected"`
	BytesBefore   int64    `json:"bytesBefore"`
	BytesAfter    int64    `json:"bytesAfter" doc:"with dryRun equal to the bytes before"`
}

// Project describes the stored data of a folder.
type Project struct {
	ID          string `json:"id"`
	Folder      string `json:"folder,omitempty" doc:"URI; empty if the folder is unknown"`
	Gone        bool   `json:"gone,omitempty" doc:"the folder no longer exists"`
	Trusted     bool   `json:"trusted"`
	State       string `json:"state" doc:"path of the directory with its runs, memory and journal"`
	Runs        int    `json:"runs" doc:"number of stored runs"`
	Seen        string `json:"seen,omitempty" doc:"time of the last change of its data: RFC 3339, UTC"`
	RunBytes    int64  `json:"runBytes" doc:"bytes on disk of runs, journals and events"`
	MemoryBytes int64  `json:"memoryBytes"`
	ShadowBytes int64  `json:"shadowBytes" doc:"bytes on disk of snapshots, scratch trees and the ledger"`
}

// ProjectsResult lists the stored data of all folders, last changed first.
type ProjectsResult struct {
	Projects []Project `json:"projects"`
}

// SessionsResult lists processes, oldest first.
type SessionsResult struct {
	Sessions []Session `json:"sessions"`
}

// Session is a live process of this machine that has a folder open or executes a run.
type Session struct {
	PID     int          `json:"pid"`
	Here    bool         `json:"here,omitempty" doc:"it is the process that answers"`
	Since   string       `json:"since" doc:"RFC 3339, UTC"`
	Folders []string     `json:"folders" doc:"URIs"`
	Runs    []SessionRun `json:"runs" doc:"runs that it executes"`
}

// SessionRun is a run that a process executes.
type SessionRun struct {
	RunID   string `json:"runId"`
	Recipe  string `json:"recipe,omitempty" doc:"the kind of work"`
	Mode    string `json:"mode,omitempty"`
	Profile string `json:"profile,omitempty" doc:"format in which the model writes the change; missing if no model writes one"`
}

// Stamp formats a time for the wire; the zero time is empty.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeLayout)
}

// List converts values. The result is never nil, so that JSON has an empty list.
func List[T, W any](values []T, wire func(T) W) []W {
	all := make([]W, 0, len(values))
	for _, v := range values {
		all = append(all, wire(v))
	}
	return all
}

// Same converts a value to itself.
func Same[T any](v T) T { return v }

// KindNames are the wire names of the kinds of changes.
var KindNames = map[patch.Kind]string{
	patch.Create: "create", patch.Update: "update", patch.Delete: "delete", patch.Move: "move",
}

// IterationsArgs filter attempts.
type IterationsArgs struct {
	RunID string `json:"runId,omitempty" doc:"the run, of any session; without it all of the folder"`
	Node  string `json:"node,omitempty" doc:"only this node, such as executor, or pay/executor in a plan"`
	Reset bool   `json:"reset,omitempty" doc:"delete them; needs runId"`
	InFolder
}

// IterationsResult lists attempts: the most recent run first, and within it by node.
type IterationsResult struct {
	Iterations []Iteration `json:"iterations" doc:"empty for a reset"`
	Forgotten  int         `json:"forgotten,omitempty" doc:"number of attempts that a reset deleted"`
}

// Iteration is the result of one attempt of a node.
type Iteration struct {
	RunID    string   `json:"runId"`
	Node     string   `json:"node"`
	Attempt  int      `json:"attempt" doc:"from 1"`
	Accepted bool     `json:"accepted" doc:"all gates and the review passed"`
	Passed   int      `json:"passed" doc:"checks"`
	Total    int      `json:"total" doc:"checks"`
	Score    float64  `json:"score" doc:"from 0 to 1: the share of checks that passed"`
	Failures []string `json:"failures" doc:"ids of failures: gate, place, test, rule, message"`
	Class    string   `json:"class,omitempty" doc:"why the previous attempt failed, if known" enum:"stuck,missing_context,blocked"`
	Reason   string   `json:"reason,omitempty" doc:"why it was not accepted"`
	TS       string   `json:"ts" doc:"RFC 3339, UTC"`
}

// IterationsOf converts attempts to the wire.
func IterationsOf(attempts []memory.Attempt) IterationsResult {
	return IterationsResult{Iterations: List(attempts, func(a memory.Attempt) Iteration {
		return Iteration{
			RunID: a.Run, Node: a.Node, Attempt: a.Attempt, Accepted: a.Accepted(), Passed: a.Passed, Total: a.Total, Score: a.Score(),
			Failures: List(a.Failures, Same), Class: a.Class, Reason: a.Reason, TS: Stamp(a.At),
		}
	})}
}
