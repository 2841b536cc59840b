package api

import "slices"

// Names of the commands.
const (
	Run             = "forge.run"
	Cancel          = "forge.cancel"
	Answer          = "forge.answer"
	ListProposals   = "forge.proposal.list"
	ShowProposal    = "forge.proposal.get"
	PreviewProposal = "forge.proposal.preview"
	ApplyProposal   = "forge.proposal.apply"
	RejectProposal  = "forge.proposal.reject"
	Rename          = "forge.rename"
	Replace         = "forge.replace"
	Undo            = "forge.undo"
	Runs            = "forge.runs"
	Events          = "forge.events"
	Status          = "forge.status"
	Doctor          = "forge.doctor"
	ClassifyTask    = "forge.classify"
	Models          = "forge.models"
	DetectGates     = "forge.gates.detect"
	Validate        = "forge.validate"
	Search          = "forge.search"
	RepoMap         = "forge.repoMap"
	Context         = "forge.context"
	Imports         = "forge.imports"
	Explore         = "forge.explore"
	ListSkills      = "forge.skills"
	Log             = "forge.log"
	Resume          = "forge.resume"
	Kill            = "forge.kill"
	Redo            = "forge.redo"
	Checkpoints     = "forge.checkpoints"
	Iterations      = "forge.iterations"
	AskQuestion     = "forge.ask"
	ReviewCode      = "forge.review"
	GenerateSpec    = "forge.spec.generate"
	ShowSpec        = "forge.spec.get"
	DiffSpec        = "forge.spec.diff"
	RollbackSpec    = "forge.spec.rollback"
	ShowDocument    = "forge.document.show"
	ReadMemory      = "forge.memory.get"
	SetMemory       = "forge.memory.set"
	ListMemory      = "forge.memory.list"
	SearchMemory    = "forge.memory.search"
	WhyMemory       = "forge.memory.why"
	ForgetMemory    = "forge.memory.forget"
	ExportMemory    = "forge.memory.export"
	ImportMemory    = "forge.memory.import"
	ListTasks       = "forge.task.list"
	SearchTasks     = "forge.task.search"
	ShowTask        = "forge.task.show"
	ResumeTask      = "forge.task.resume"
	ForkTask        = "forge.task.fork"
	MoveTask        = "forge.task.move"
	DeleteTask      = "forge.task.delete"
	GC              = "forge.gc"
	ShowProject     = "forge.project"
	ListProjects    = "forge.projects"
	ListSessions    = "forge.sessions"
	ShowCost        = "forge.cost"
	ListBatches     = "forge.batch.list"
	PollBatches     = "forge.batch.poll"
	ClearCache      = "forge.cache.clear"
)

// EventMethod is the notification that carries an Event to clients that announce
// capabilities.experimental.forge.
const EventMethod = "forge/event"

// DeltaMethod is the notification that carries a Delta to the same clients, at most ten times a second.
const DeltaMethod = "forge/delta"

// Spec declares one command. Args and Result are zero values of the structs on the wire.
type Spec struct {
	Name   string
	Title  string // as a palette shows it
	Doc    string
	Args   any
	Result any
}

// Table lists every command, in the order people read them.
func Table() []Spec {
	return slices.Concat(aboutRuns(), aboutTasks(), aboutTheWorkspace(), aboutWhatIsKept())
}

func aboutRuns() []Spec {
	return []Spec{
		{Run, "Run…", "Starts a run and acknowledges it at once; the run goes on in the background. " +
			"The same clientRunId returns the same run.", RunArgs{}, RunResult{}},
		{AskQuestion, "Ask…", "Answers a question about a folder, in Markdown. It is a run that changes nothing: its answer is the event " +
			"answer, and a document where the client takes no events.", AskArgs{}, RunResult{}},
		{ReviewCode, "Review", "Has a selection, a document, or everything that is not committed yet reviewed. It is a run that changes " +
			"nothing: its issues are diagnostics with quick fixes.", ReviewArgs{}, RunResult{}},
		{Cancel, "Cancel", "Cancels a run, or the tests that are run in the background for its proposal. It is quiet within a second and nothing is " +
			"applied after it. Idempotent.",
			RunRef{}, StateResult{}},
		{Answer, "Answer", "Answers a question a run has asked. The first answer counts.", AnswerArgs{}, AnswerResult{}},
		{ListProposals, "List Proposals", "Lists the proposals of this session, newest first.", NoArgs{}, ProposalList{}},
		{ShowProposal, "Get Proposal", "Returns a proposal, hunk by hunk.", ProposalArgs{}, Proposal{}},
		{PreviewProposal, "Show Proposal", "Shows a proposal in the way the client can: as an annotated edit to confirm, " +
			"or as hints with quick fixes.", ProposalArgs{}, ApplyResult{}},
		{ApplyProposal, "Accept Proposal", "Applies what is selected, and verifies afterwards what the client really did.",
			ProposalArgs{}, ApplyResult{}},
		{RejectProposal, "Reject Proposal", "Rejects what is selected.", ProposalArgs{}, ApplyResult{}},
		{Rename, "Rename Symbol in Folder…", "Makes a proposal that renames a symbol in the whole folder, unsaved texts included: by the language's own server in a " +
			"folder that is trusted, else by what parsers know. No model is asked. textDocument/rename stays with the language's own server.",
			RenameArgs{}, SweepResult{}},
		{Replace, "Replace in Folder…", "Makes a proposal that replaces a text in all files of the folder that git does not ignore, unsaved texts " +
			"included. No model is asked.", ReplaceArgs{}, SweepResult{}},
		{Undo, "Undo Last Run", "Makes a proposal that takes back what a run changed. What was typed since is kept.",
			UndoArgs{}, Proposal{}},
		{Redo, "Redo Last Undo", "Makes a proposal that takes back an undo. What was typed since is kept.", UndoArgs{}, Proposal{}},
		{Checkpoints, "List Checkpoints", "Lists what was accepted in a folder, and what takes back what, newest first.",
			FolderArgs{}, CheckpointsResult{}},
		{Runs, "List Runs", "Lists the runs of this session, and with all those that are kept of the folder.", RunsArgs{}, RunsResult{}},
		{Resume, "Resume Run", "Resumes a run that was cut off, paused, or failed; one that succeeded offers its " +
			"proposal again. Finished steps are not repeated: no model is asked twice, nor is the user.", ResumeArgs{}, RunResult{}},
		{Kill, "Kill Run", "Stops a run for good, in whatever process it is worked on. Idempotent.", KillArgs{}, StateResult{}},
		{Events, "Events of a Run", "Returns the events of a run again, in order, also of earlier sessions.", EventsArgs{}, EventsResult{}},
		{Log, "Log of a Run", "Reports a run in lines of text, also one of an earlier session.", LogArgs{}, LogResult{}},
		{Iterations, "List Attempts", "Reports how the attempts of a run came out, node by node, or of all runs of a folder; with reset, forgets those of a " +
			"run. Runs themselves keep them, each as soon as its gates have spoken.", IterationsArgs{}, IterationsResult{}},
		{Status, "Status", "Reports the version, the model, and the runs that are alive with what they have spent.", NoArgs{}, StatusResult{}},
		{ClassifyTask, "Classify Task", "Reports what kind of work a task is taken for, how sure that is, and what such work needs. No model is asked.",
			ClassifyArgs{}, Class{}},
		{Doctor, "Doctor", "Checks what Forge needs and what this client can do.", NoArgs{}, DoctorResult{}},
		{Models, "List Models", "Lists which models there are, which of them does which work, and why. Providers are asked what they " +
			"have; that costs nothing.", ModelsArgs{}, ModelsResult{}},
	}
}

func aboutTasks() []Spec {
	return []Spec{
		{ListTasks, "List Tasks", "Lists the tasks of a folder, the last changed first: drafts, and what runs have and had.",
			TaskListArgs{}, TasksResult{}},
		{SearchTasks, "Search Tasks", "Finds the tasks that have a text in their title or in what is to be done.", TaskSearchArgs{}, TasksResult{}},
		{ShowTask, "Show Task", "Returns all of a task: what is to be done, which run has it, and how it got where it is.", TaskArgs{}, TaskInfo{}},
		{ResumeTask, "Resume Task", "Resumes the run of a task that was cut off or paused, and else makes a draft of a task that has " +
			"ended or is blocked. forge.run with taskId begins a draft.", TaskResumeArgs{}, TaskResumed{}},
		{ForkTask, "Fork Task", "Makes a draft out of a task, which stays as it is.", TaskArgs{}, TaskInfo{}},
		{MoveTask, "Move Task", "Moves a task to a state that a user may give it. Cancelling stops its run, in whatever process it is. " +
			"A move that there is not is refused as state_invalid, with what is possible.", TaskMoveArgs{}, TaskInfo{}},
		{DeleteTask, "Delete Task", "Forgets a task, for good. Its run, and what was forked from it, stay.", TaskArgs{}, TaskDeleted{}},
	}
}

func aboutTheWorkspace() []Spec {
	return []Spec{
		{DetectGates, "Detect Gates", "Lists which projects are in the folder, and which compilers, linters and tests would check them.",
			FolderArgs{}, GatesResult{}},
		{Validate, "Validate Folder", "Runs the compilers, linters and tests on the folder as it is, unsaved texts included, in a " +
			"scratch copy, and checks that its files can be parsed and that what they import from each other is there. What is found is " +
			"shown in the documents. No model is asked.", ValidateArgs{}, ValidateResult{}},
		{Search, "Search Workspace", "Finds the files and symbols that a request in plain words is about, unsaved texts " +
			"included, and says why. No model is asked.", SearchArgs{}, SearchResult{}},
		{RepoMap, "Repository Map", "Returns a map of the folder, files with their symbols, within a budget of tokens.",
			PackArgs{}, MapResult{}},
		{Context, "Show Context", "Returns what would be sent to a model for a request: whole files, signatures, a map, " +
			"with the tokens of each. With a node, all that it would be sent first in a run, byte for byte. No model is asked.",
			ContextArgs{}, ContextResult{}},
		{ListSkills, "List Skills", "Lists the skills that runs in a folder know, its own and the user's.", SkillsArgs{}, SkillsResult{}},
		{Imports, "Imports of a File", "Lists what a file imports and what imports it.", ImportsArgs{}, ImportsResult{}},
		{Explore, "Explore", "Asks one provider of the folder, unsaved texts included, and returns what a model would be given. " +
			"No model is asked; tests and linters run in a scratch copy of a folder that is trusted.", ExploreArgs{}, ExploreResult{}},
	}
}

func aboutWhatIsKept() []Spec {
	return []Spec{
		{GenerateSpec, "Generate Specification…", "Writes the specification of the folder, or brings it up to date: a version is appended, " +
			"and none is overwritten. It is a run that changes no file.", GenerateSpecArgs{}, RunResult{}},
		{ShowSpec, "Show Specification", "Returns a version of the folder's specification.", SpecArgs{}, SpecResult{}},
		{DiffSpec, "Compare Specifications", "Compares two versions of the specification.", SpecDiffArgs{}, SpecDiffResult{}},
		{RollbackSpec, "Roll Specification Back", "Appends a version that reads like an old one. Nothing is taken back.",
			SpecArgs{}, SpecResult{}},
		{ShowDocument, "Show Document", "Shows a document of Forge's, such as forge://spec/latest: as itself where the client takes the content of " +
			"documents from the server, else as a file that goes with the session.", ShowDocumentArgs{}, ShowDocumentResult{}},
		{ReadMemory, "Read Memory", "Returns what is remembered under a key.", MemoryKeyArgs{}, MemoryRow{}},
		{SetMemory, "Remember", "Keeps the user's own word under a key.", MemorySetArgs{}, MemoryRow{}},
		{ListMemory, "List Memory", "Lists what is remembered: entries, patterns, playbooks.", MemoryListArgs{}, MemoryResult{}},
		{SearchMemory, "Search Memory", "Finds what is remembered about a text, best first.", MemorySearchArgs{}, MemoryResult{}},
		{WhyMemory, "Why Remembered", "Reports where something comes from: run, node, and the verdicts of gates.",
			MemoryIDArgs{}, MemoryWhyResult{}},
		{ForgetMemory, "Forget", "Deletes something that is remembered, for good.", MemoryIDArgs{}, MemoryForgotten{}},
		{ExportMemory, "Export Memory", "Returns memory as JSON lines: the same memory is the same text.",
			MemoryExportArgs{}, MemoryExportResult{}},
		{ImportMemory, "Import Memory", "Takes JSON lines into memory. What is there stays, and bad lines are named.",
			MemoryImportArgs{}, MemoryImportResult{}},
		{GC, "Clean Up", "Removes what nothing needs any more of what is kept of a folder, and reports how many bytes that were.",
			GCArgs{}, GCResult{}},
		{ShowProject, "Show Project", "Reports what is kept of a folder, where, and whether it is trusted.", FolderArgs{}, Project{}},
		{ListProjects, "List Projects", "Reports what is kept of all folders.", NoArgs{}, ProjectsResult{}},
		{ListSessions, "List Sessions", "Lists the living processes that have a folder open or work on a run.",
			NoArgs{}, SessionsResult{}},
		{Audit, "Show Audit Log", "Lists the decisions about tools of models in a folder, oldest first, and whether a row was changed or removed.",
			AuditArgs{}, AuditResult{}},
		{ListPermissions, "List Permissions", "Lists what the user has allowed models to do in a folder for longer than one call.",
			FolderArgs{}, PermissionsResult{}},
		{ResetPermissions, "Reset Permissions", "Forgets what the user has allowed models to do in a folder: all of it, or about one tool.",
			PermissionsResetArgs{}, PermissionsReset{}},
		{ShowCost, "Show Cost", "Adds up what was spent on models, in all folders and sessions.", CostArgs{}, CostResult{}},
		{ListBatches, "List Batches", "Lists the requests that providers answer within a day, of all folders and sessions.",
			BatchListArgs{}, BatchesResult{}},
		{PollBatches, "Poll Batches", "Asks providers now how batches are, and keeps the answers that are there: a run that is resumed " +
			"finds them. Nothing is submitted.", BatchPollArgs{}, BatchesResult{}},
		{ClearCache, "Clear Cache", "Deletes the stored answers of models, so that they are requested again.", NoArgs{}, CacheCleared{}},
	}
}

// Names returns the names of all commands, in the order of the table.
func Names() []string {
	var names []string
	for _, spec := range Table() {
		names = append(names, spec.Name)
	}
	return names
}
