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
	AmendProposal   = "forge.proposal.amend"
	CheckProposal   = "forge.proposal.check"
	Rename          = "forge.rename"
	Replace         = "forge.replace"
	Undo            = "forge.undo"
	Runs            = "forge.runs"
	ShowRun         = "forge.runs.show"
	Conversations   = "forge.conversations"
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
	Retry           = "forge.retry"
	Kill            = "forge.kill"
	Redo            = "forge.redo"
	Checkpoints     = "forge.checkpoints"
	Iterations      = "forge.iterations"
	AskQuestion     = "forge.ask"
	ReviewCode      = "forge.review"
	ReviewFinal     = "forge.review.final"
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
	ShowDecay       = "forge.memory.decay"
	ClearLearning   = "forge.memory.clearLearning"
	IndexMemory     = "forge.memory.index"
	PruneMemory     = "forge.memory.prune"
	Playbooks       = "forge.playbooks"
	Extract         = "forge.extract"
	TaskHistory     = "forge.history"
	ListTasks       = "forge.task.list"
	SearchTasks     = "forge.task.search"
	ShowTask        = "forge.task.show"
	ResumeTask      = "forge.task.resume"
	ForkTask        = "forge.task.fork"
	MoveTask        = "forge.task.move"
	DeleteTask      = "forge.task.delete"
	Worktrees       = "forge.worktrees"
	ListFiles       = "forge.files.list"
	SearchFiles     = "forge.files.search"
	FilesStatus     = "forge.files.status"
	ReadFile        = "forge.files.read"
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

// ConversationMethod is the notification that carries a ConversationChanged to the same clients.
const ConversationMethod = "forge/conversation"

// ProposalMethod is the notification that carries a ProposalChanged to the same clients.
const ProposalMethod = "forge/proposal"

// RestrictMethod is the notification with which a client says that the user's trust of what it shows has changed; it carries a Restriction.
const RestrictMethod = "forge/restrict"

// Spec declares one command. Args and Result are zero values of the structs on the wire.
type Spec struct {
	Name   string
	Title  string // shown in command palettes
	Doc    string
	Args   any
	Result any
}

// Table lists every command, in the order of the documentation.
func Table() []Spec {
	return slices.Concat(aboutRuns(), aboutRecords(), aboutTasks(), aboutTheWorkspace(), aboutWhatIsKept())
}

func aboutRuns() []Spec {
	return []Spec{
		{Run, "Run…", "Starts a run and returns at once; the run continues in the background. " +
			"The same clientRunId returns the same run.", RunArgs{}, RunResult{}},
		{AskQuestion, "Ask…", "Answers a question about a folder, in Markdown. The run changes no file. Its answer is the event " +
			"answer, or a document if the client does not receive events.", AskArgs{}, RunResult{}},
		{ReviewCode, "Review", "Reviews a selection, a document, or all uncommitted changes. The run changes " +
			"no file. Its issues are diagnostics with quick fixes.", ReviewArgs{}, RunResult{}},
		{ReviewFinal, "Review Release…", "Reviews all changes since a commit through three lenses: correctness and contracts, failure modes and data, " +
			"clarity and tests. What two lenses report, and an error of one in the category silent-failure, contract-mismatch, schema-drift or " +
			"silent-production-failure, must be fixed and blocks the release; all else is advisory. " +
			"The run changes no file. Its issues are diagnostics with quick fixes.", FinalReviewArgs{}, RunResult{}},
		{Cancel, "Cancel", "Cancels a run, or the tests that run in the background for its proposal. It stops within a second, and nothing is " +
			"applied after it. Idempotent.",
			RunRef{}, StateResult{}},
		{Answer, "Answer", "Answers a question of a run. The first answer counts.", AnswerArgs{}, AnswerResult{}},
		{ListProposals, "List Proposals", "Lists the proposals of this session, newest first; with all, also the open ones of earlier sessions and " +
			"of other windows on the folder.", ProposalsArgs{}, ProposalList{}},
		{ShowProposal, "Get Proposal", "Returns a proposal, hunk by hunk.", ProposalRef{}, Proposal{}},
		{PreviewProposal, "Show Proposal", "Shows a proposal as the client supports it: as an annotated edit to confirm, " +
			"or as hints with quick fixes.", PreviewArgs{}, ApplyResult{}},
		{ApplyProposal, "Accept Proposal", "Applies the selected hunks, and verifies afterwards what the client has written.",
			ProposalArgs{}, ApplyResult{}},
		{RejectProposal, "Reject Proposal", "Rejects the selected hunks, with a note if the user gives a reason.", RejectArgs{}, ApplyResult{}},
		{AmendProposal, "Amend Proposal", "Replaces the proposed text of a file by the user's own version. Hunks that it leaves as they are keep their ids. " +
			"When the user pauses, the gates run on it as by forge.proposal.check.",
			AmendArgs{}, Proposal{}},
		{CheckProposal, "Check Proposal", "Runs the gates on what the user takes of a proposal, in a scratch copy. Writes nothing to the folder. " +
			"Findings are shown in the documents.", CheckArgs{}, Proposal{}},
		{Rename, "Rename Symbol in Folder…", "Proposes to rename a symbol in the whole folder, unsaved buffers included: with the language's own server in a " +
			"trusted folder, else with parsers. Uses no model. textDocument/rename stays with the language's own server.",
			RenameArgs{}, SweepResult{}},
		{Replace, "Replace in Folder…", "Proposes to replace a text in all files of the folder that git does not ignore, unsaved buffers " +
			"included. Uses no model.", ReplaceArgs{}, SweepResult{}},
		{Undo, "Undo Last Run", "Proposes to undo the changes of a run. Later edits are kept.",
			UndoArgs{}, Proposal{}},
		{Redo, "Redo Last Undo", "Proposes to undo an undo. Later edits are kept.", UndoArgs{}, Proposal{}},
		{Checkpoints, "List Checkpoints", "Lists the accepted changes of a folder and what each undoes, newest first.",
			FolderArgs{}, CheckpointsResult{}},
		{Runs, "List Runs", "Lists the runs of this session, and with all the stored runs of the folder. With a folder, lists only its runs.", RunsArgs{}, RunsResult{}},
		{Resume, "Resume Run", "Resumes a run that was interrupted or failed; a run that succeeded shows its " +
			"proposal again. Finished steps are not repeated: no request to a model and no question to the user is sent twice.", ResumeArgs{}, RunResult{}},
		{Retry, "Retry Run", "Starts another run with the request of an earlier one, on the folder as it is now: task, recipe, mode, plan, scope, conversation and the limits " +
			"that it named.", RetryArgs{}, RunResult{}},
		{Kill, "Kill Run", "Stops a run permanently, in any process. Idempotent.", KillArgs{}, StateResult{}},
		{Events, "Events of a Run", "Returns the events of a run in order, also of earlier sessions.", EventsArgs{}, EventsResult{}},
		{Log, "Log of a Run", "Returns the log of a run as lines of text, also of earlier sessions.", LogArgs{}, LogResult{}},
		{Iterations, "List Attempts", "Returns the results of the attempts of a run by node, or of all runs of a folder; with reset, deletes those of a " +
			"run. Runs store each as soon as its gates have finished.", IterationsArgs{}, IterationsResult{}},
		{Status, "Status", "Reports the version, the model, and the live runs with their costs.", NoArgs{}, StatusResult{}},
		{ClassifyTask, "Classify Task", "Classifies a task, with a confidence and the needs of that kind of work. Uses no model.",
			ClassifyArgs{}, Class{}},
		{Doctor, "Doctor", "Checks the requirements of Forge and the capabilities of the client.", NoArgs{}, DoctorResult{}},
		{Models, "List Models", "Lists the available models, and which model does which work and why. Asks providers for their models, " +
			"which is free.", ModelsArgs{}, ModelsResult{}},
	}
}

// aboutRecords are the commands that report what runs have done.
func aboutRecords() []Spec {
	return []Spec{
		{ShowRun, "Show Run", "Returns a stored run with its calls of models: node, purpose, model, tokens, latency and cost of each. With a call, returns its prompt and " +
			"answer; with report, what the run was asked, did, checked, learned and cost, as Markdown. The document forge://run/<id> shows the report.", RunShowArgs{}, RunShown{}},
		{Conversations, "List Conversations", "Lists what was asked and answered about a folder in runs that continue each other, of editors and terminals. forge.run and forge.ask " +
			"continue one.", ConversationsArgs{}, ConversationsResult{}},
		{Worktrees, "List Scratch Trees", "Lists the scratch copies of a folder, in which runs work; with prune, removes those that no process uses.",
			WorktreesArgs{}, WorktreesResult{}},
	}
}

func aboutTasks() []Spec {
	return []Spec{
		{ListTasks, "List Tasks", "Lists the tasks of a folder, last changed first: drafts, and tasks of runs.",
			TaskListArgs{}, TasksResult{}},
		{SearchTasks, "Search Tasks", "Finds tasks by a text in their title or prompt.", TaskSearchArgs{}, TasksResult{}},
		{TaskHistory, "Tasks of a Period", "Lists the tasks that were created or worked on in a period, such as last week, last changed first.",
			HistoryArgs{}, HistoryResult{}},
		{ShowTask, "Show Task", "Returns a task with its prompt, run and state changes.", TaskArgs{}, TaskInfo{}},
		{ResumeTask, "Resume Task", "Resumes the run of a task that was interrupted; otherwise makes a draft of a task that has " +
			"ended or is blocked. forge.run with taskId starts a draft.", TaskResumeArgs{}, TaskResumed{}},
		{ForkTask, "Fork Task", "Copies a task as a draft.", TaskArgs{}, TaskInfo{}},
		{MoveTask, "Move Task", "Moves a task to a state that a user may set. Cancelling stops its run, in any process. " +
			"An invalid transition fails with state_invalid and lists the valid ones.", TaskMoveArgs{}, TaskInfo{}},
		{DeleteTask, "Delete Task", "Deletes a task permanently. Its run and its forks are kept.", TaskArgs{}, TaskDeleted{}},
	}
}

func aboutTheWorkspace() []Spec {
	return []Spec{
		{ListFiles, "List Files", "Lists the files and folders of a folder, unsaved new ones included, without ignored ones.", FilesArgs{}, FilesResult{}},
		{SearchFiles, "Find Files", "Finds files by parts of their paths.", FileSearchArgs{}, FileSearchResult{}},
		{FilesStatus, "Changed Files", "Lists the files that differ from the commit that is checked out, unsaved texts included.", FolderArgs{}, FileStatusResult{}},
		{ReadFile, "Read File", "Returns a file as the user has it, unsaved text included, and its diff against the commit that is checked out.", FileReadArgs{}, FileRead{}},
		{DetectGates, "Detect Gates", "Lists the projects of the folder, and the compilers, linters and tests that would check them.",
			FolderArgs{}, GatesResult{}},
		{Validate, "Validate Folder", "Runs the compilers, linters and tests on the folder, unsaved buffers included, in a " +
			"scratch copy, and checks that its files parse and that their imports of each other resolve. Findings are " +
			"shown in the documents. Uses no model.", ValidateArgs{}, ValidateResult{}},
		{Search, "Search Workspace", "Finds the files and symbols for a request in plain words, unsaved buffers " +
			"included, with the reasons. Uses no model.", SearchArgs{}, SearchResult{}},
		{RepoMap, "Repository Map", "Returns a map of the folder, files with their symbols, within a budget of tokens.",
			PackArgs{}, MapResult{}},
		{Context, "Show Context", "Returns the context that a model would receive for a request: whole files, signatures, a map, " +
			"with the tokens of each. With a node, returns its whole first prompt in a run, byte for byte. Uses no model.",
			ContextArgs{}, ContextResult{}},
		{ListSkills, "List Skills", "Lists the skills that runs in a folder can use, its own and the user's.", SkillsArgs{}, SkillsResult{}},
		{ListAgents, "List Agents", "Lists the agents of runs: the built-in ones, and those that the folder and the user add.", FolderArgs{}, AgentsResult{}},
		{ShowAgent, "Show Agent", "Returns an agent with its tools and its instructions.", AgentArgs{}, AgentResult{}},
		{Imports, "Imports of a File", "Lists what a file imports and what imports it.", ImportsArgs{}, ImportsResult{}},
		{Explore, "Explore", "Queries one provider of the folder, unsaved buffers included, and returns what a model would receive. " +
			"Uses no model; tests and linters run in a scratch copy of a trusted folder.", ExploreArgs{}, ExploreResult{}},
	}
}

func aboutWhatIsKept() []Spec {
	return []Spec{
		{GenerateSpec, "Generate Specification…", "Writes or updates the specification of the folder: appends a version " +
			"and overwrites none. The run changes no file.", GenerateSpecArgs{}, RunResult{}},
		{ShowSpec, "Show Specification", "Returns a version of the folder's specification.", SpecArgs{}, SpecResult{}},
		{DiffSpec, "Compare Specifications", "Compares two versions of the specification.", SpecDiffArgs{}, SpecDiffResult{}},
		{RollbackSpec, "Roll Specification Back", "Appends a copy of an old version. No version is deleted.",
			SpecArgs{}, SpecResult{}},
		{ShowDocument, "Show Document", "Shows a document of Forge, such as forge://spec/latest: under this URI if the client requests the content of " +
			"documents from the server, else as a file that is deleted with the session.", ShowDocumentArgs{}, ShowDocumentResult{}},
		{ReadMemory, "Read Memory", "Returns the memory entry of a key.", MemoryKeyArgs{}, MemoryRow{}},
		{SetMemory, "Remember", "Stores the user's value under a key.", MemorySetArgs{}, MemoryRow{}},
		{ListMemory, "List Memory", "Lists memory: entries, patterns, playbooks.", MemoryListArgs{}, MemoryResult{}},
		{SearchMemory, "Search Memory", "Searches the entries and patterns of memory for a text, best first.", MemorySearchArgs{}, MemoryResult{}},
		{WhyMemory, "Why Remembered", "Reports where a row of memory comes from: run, node, and the verdicts of gates.",
			MemoryIDArgs{}, MemoryWhyResult{}},
		{ForgetMemory, "Forget", "Deletes a row of memory permanently.", MemoryIDArgs{}, MemoryForgotten{}},
		{ExportMemory, "Export Memory", "Returns memory as JSON lines, in a stable order.",
			MemoryExportArgs{}, MemoryExportResult{}},
		{ImportMemory, "Import Memory", "Imports JSON lines into memory. Existing rows are kept, and bad lines are reported.",
			MemoryImportArgs{}, MemoryImportResult{}},
		{ShowDecay, "Show Decay", "Lists patterns with their confidence as counted from verdicts, and what has faded of it. Changes nothing.",
			MemoryScopeArgs{}, MemoryResult{}},
		{ClearLearning, "Clear What Was Learned", "Deletes all patterns permanently. Entries, playbooks and tasks are kept.", ClearLearningArgs{}, MemoryCount{}},
		{IndexMemory, "Index Memory", "Rebuilds the word index of memory.", MemoryScopeArgs{}, MemoryCount{}},
		{PruneMemory, "Prune Memory", "Deletes patterns with a confidence below a limit, and expired rows.", PruneArgs{}, PruneResult{}},
		{Playbooks, "List Playbooks", "Lists playbooks: how similar work was done.", PlaybooksArgs{}, MemoryResult{}},
		{Extract, "Extract Playbooks", "Makes playbooks from runs whose changes were accepted. Uses no model.", ExtractArgs{}, ExtractResult{}},
		{GC, "Clean Up", "Deletes stored data of a folder that nothing needs any more, and reports the freed bytes.",
			GCArgs{}, GCResult{}},
		{ShowProject, "Show Project", "Reports the stored data of a folder, where it is, and whether the folder is trusted.", FolderArgs{}, Project{}},
		{ListProjects, "List Projects", "Reports the stored data of all folders.", NoArgs{}, ProjectsResult{}},
		{ListSessions, "List Sessions", "Lists the live processes that have a folder open or execute a run.",
			NoArgs{}, SessionsResult{}},
		{ListErrands, "List Errands", "Lists what runs had agents find out, with the result: of one run, or of all runs of a folder.", ErrandsArgs{}, ErrandsResult{}},
		{Audit, "Show Audit Log", "Lists the decisions about tool calls of models in a folder, oldest first, and reports whether a row was changed or removed.",
			AuditArgs{}, AuditResult{}},
		{ListPermissions, "List Permissions", "Lists what the user has allowed models to do in a folder for longer than one call.",
			FolderArgs{}, PermissionsResult{}},
		{ResetPermissions, "Reset Permissions", "Deletes what the user has allowed models to do in a folder: all of it, or for one tool.",
			PermissionsResetArgs{}, PermissionsReset{}},
		{ShowCost, "Show Cost", "Shows what models have cost, in all folders and sessions.", CostArgs{}, CostResult{}},
		{ListBatches, "List Batches", "Lists batches of requests that providers answer within a day, of all folders and sessions.",
			BatchListArgs{}, BatchesResult{}},
		{PollBatches, "Poll Batches", "Polls providers for the state of batches and stores finished answers; a resumed run " +
			"uses them. Submits nothing.", BatchPollArgs{}, BatchesResult{}},
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
