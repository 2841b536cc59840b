package api

// The commands about agents.
const (
	ListAgents  = "forge.agents.list"
	ShowAgent   = "forge.agents.show"
	ListErrands = "forge.agents.runs"
)

// AgentsResult lists agents: the built-in ones, those of the folder, then those of the user.
type AgentsResult struct {
	Agents    []Agent        `json:"agents"`
	Problems  []AgentProblem `json:"problems" doc:"agent files that cannot be used"`
	Untrusted bool           `json:"untrusted,omitempty" doc:"the folder is not trusted, so its own agents are not read"`
}

// Agent is who does a kind of work in a run.
type Agent struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Roles       []AgentRole `json:"roles" doc:"under which a run calls models for it"`
	Isolation   string      `json:"isolation" doc:"read-only: its tools only read; scratch: it has a scratch tree, in which its tools may run programs" enum:"read-only,scratch"`
	Tools       []string    `json:"tools" doc:"none: it sees what the run shows it"`
	Source      string      `json:"source,omitempty" doc:"its file; missing if it is built in"`
}

// AgentRole is a role of a run.
type AgentRole struct {
	Role string `json:"role" doc:"as models.roles in the settings names it"`
	Tier string `json:"tier" doc:"class of its model" enum:"reasoning,generation,summarisation,classification"`
}

// AgentProblem is an agent file that cannot be used.
type AgentProblem struct {
	Source string `json:"source"`
	Line   int    `json:"line,omitempty" doc:"from 1; missing if the whole file is meant"`
	Column int    `json:"column,omitempty" doc:"from 1, in bytes"`
	Reason string `json:"reason"`
}

// AgentArgs name an agent.
type AgentArgs struct {
	Name string `json:"name"`
	InFolder
}

// AgentResult is an agent with its instructions.
type AgentResult struct {
	Agent
	Instructions string `json:"instructions" doc:"instructions for its model, without the list of tools; of an agent that the user or the folder adds, the text of its file"`
}

// ErrandsArgs select errands.
type ErrandsArgs struct {
	RunID string `json:"runId,omitempty" doc:"the run, of any session; without it all of the folder"`
	InFolder
}

// ErrandsResult lists errands: those of a run oldest first, those of a folder newest first.
type ErrandsResult struct {
	Errands []Errand `json:"errands"`
}

// Errand is what a run had an agent find out.
type Errand struct {
	ID      string `json:"id" doc:"sub_ and twelve hexadecimal digits"`
	RunID   string `json:"runId"`
	Node    string `json:"node"`
	TaskID  string `json:"taskId,omitempty" doc:"the task that the run works on"`
	Agent   string `json:"agent"`
	Task    string `json:"task" doc:"what the agent was asked"`
	Context string `json:"context" doc:"what it was shown at the beginning, one section per line"`
	Rounds  int    `json:"rounds" doc:"limit of its answers"`
	Reply   int    `json:"replyTokens" doc:"limit of each answer"`
	Status  string `json:"status" doc:"an errand of a process that was killed is running until the run is resumed" enum:"running,done,failed"`
	Result  string `json:"result,omitempty" doc:"what was found out, or why nothing was"`
	Tokens  int    `json:"tokens" doc:"of all its requests and answers"`
	Began   string `json:"began" doc:"RFC 3339, UTC"`
	Ended   string `json:"ended,omitempty" doc:"RFC 3339, UTC"`
}
