package command

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
	Undo            = "forge.undo"
	Runs            = "forge.runs"
	Events          = "forge.events"
	Status          = "forge.status"
	Doctor          = "forge.doctor"
	Search          = "forge.search"
	RepoMap         = "forge.repoMap"
	Context         = "forge.context"
	Imports         = "forge.imports"
)

// EventMethod is the notification that carries an Event to clients that announce
// capabilities.experimental.forge.
const EventMethod = "forge/event"

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
	return []Spec{
		{Run, "Run…", "Starts a run and acknowledges it at once; the run goes on in the background. " +
			"The same clientRunId returns the same run.", RunArgs{}, RunResult{}},
		{Cancel, "Cancel", "Cancels a run. It is quiet within a second and nothing is applied after it. Idempotent.",
			RunRef{}, StateResult{}},
		{Answer, "Answer", "Answers a question a run has asked. The first answer counts.", AnswerArgs{}, AnswerResult{}},
		{ListProposals, "List Proposals", "Lists the proposals of this session, newest first.", NoArgs{}, ProposalList{}},
		{ShowProposal, "Get Proposal", "Returns a proposal, hunk by hunk.", ProposalArgs{}, Proposal{}},
		{PreviewProposal, "Show Proposal", "Shows a proposal in the way the client can: as an annotated edit to confirm, " +
			"or as hints with quick fixes.", ProposalArgs{}, ApplyResult{}},
		{ApplyProposal, "Accept Proposal", "Applies what is selected, and verifies afterwards what the client really did.",
			ProposalArgs{}, ApplyResult{}},
		{RejectProposal, "Reject Proposal", "Rejects what is selected.", ProposalArgs{}, ApplyResult{}},
		{Undo, "Undo Last Run", "Makes a proposal that takes back what a run changed. What was typed since is kept.",
			UndoArgs{}, Proposal{}},
		{Runs, "List Runs", "Lists the runs of this session, newest first.", NoArgs{}, RunsResult{}},
		{Events, "Events of a Run", "Returns the events of a run again, in order.", EventsArgs{}, EventsResult{}},
		{Status, "Status", "Tells the version, the model and the runs that are alive.", NoArgs{}, StatusResult{}},
		{Doctor, "Doctor", "Checks what Forge needs and what this client can do.", NoArgs{}, DoctorResult{}},
		{Search, "Search Workspace", "Finds the files and symbols that a request in plain words is about, unsaved texts " +
			"included, and says why. No model is asked.", SearchArgs{}, SearchResult{}},
		{RepoMap, "Repository Map", "Returns a map of the folder, files with their symbols, within a budget of tokens.",
			PackArgs{}, MapResult{}},
		{Context, "Show Context", "Returns what would be sent to a model for a request: whole files, signatures, a map, " +
			"with the tokens of each.", PackArgs{}, ContextResult{}},
		{Imports, "Imports of a File", "Tells what a file imports and what imports it.", ImportsArgs{}, ImportsResult{}},
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

// eventPayloads lists the payload of every type of event, in the order of a run.
func eventPayloads() []struct {
	Type string
	Data any
} {
	return []struct {
		Type string
		Data any
	}{
		{"run.started", RunStarted{}},
		{"graph", Graph{}},
		{"node", Node{}},
		{"model", ModelCall{}},
		{"gate.started", GateStarted{}},
		{"gate.finished", GateFinished{}},
		{"run.resumed", RunResumed{}},
		{"skipped", FilesSkipped{}},
		{"ask", Ask{}},
		{"answered", Answered{}},
		{"proposal", ProposalReady{}},
		{"run.ended", RunEnded{}},
	}
}
