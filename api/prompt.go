package api

// ContextArgs ask for what a model would see for a request: of a folder, as search finds it, or with a node all that it would
// be sent in a run.
type ContextArgs struct {
	Text   string   `json:"text,omitempty" doc:"the request, in plain words: what it is about comes first"`
	Open   []string `json:"open,omitempty" doc:"URIs of open files, the one in front first: what belongs to them comes first"`
	Budget int      `json:"budget,omitempty" doc:"tokens at most; 8000 without it. A node has the budget of its model"`
	Folder string   `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the first open file, or the only one"`
	Node   string   `json:"node,omitempty" doc:"a node of a run, such as orchestrator, spec or executor: the result has its whole prompt"`
	Recipe string   `json:"recipe,omitempty" doc:"of the run, with a node"`
}

// PromptResult is the first request of a node, byte for byte as a model would be sent it.
type PromptResult struct {
	URI       string          `json:"uri,omitempty" doc:"of the document that shows it in this session, as it is whenever it is opened"`
	Node      string          `json:"node"`
	Model     string          `json:"model,omitempty" doc:"none when none can be chosen"`
	Hash      string          `json:"hash" doc:"of the messages; the same snapshot and request have the same"`
	Tokens    int             `json:"tokens" doc:"estimated: bytes divided by four"`
	Budget    int             `json:"budget" doc:"what they could have been"`
	MaxTokens int             `json:"maxTokens" doc:"of the answer"`
	Redacted  bool            `json:"redacted,omitempty" doc:"something secret was replaced by marks after the hash was made"`
	Sections  []PromptSection `json:"sections" doc:"in the order in which they stand in the messages"`
	Messages  []PromptMessage `json:"messages"`
}

// PromptSection is what one section of a prompt costs.
type PromptSection struct {
	Kind     string `json:"kind" doc:"role, output, mode, rule, guides, map, lessons, request, targets, dependencies, interfaces, explored or errors"`
	Name     string `json:"name"`
	Source   string `json:"source,omitempty" doc:"where its text is from"`
	Tokens   int    `json:"tokens"`
	Cut      bool   `json:"cut,omitempty" doc:"it was shortened to fit"`
	Data     bool   `json:"data,omitempty" doc:"it stands in a fence"`
	Stable   bool   `json:"stable,omitempty" doc:"it stands before the mark for caches"`
	Injected string `json:"injected,omitempty" doc:"a phrase of it that reads as if it instructed a model"`
}

// PromptMessage is a message of a request.
type PromptMessage struct {
	Role   string `json:"role"`
	Stable bool   `json:"stable,omitempty" doc:"the mark for caches stands at its end"`
	Text   string `json:"text"`
}

// SkillsArgs ask for skills.
type SkillsArgs struct {
	InFolder
	Type string `json:"type,omitempty" doc:"a kind of work: the skill of that name, or those whose category begins so; without it all"`
}

// SkillsResult lists skills.
type SkillsResult struct {
	Skills    []Skill        `json:"skills" doc:"by name"`
	Problems  []SkillProblem `json:"problems" doc:"files that are no skills"`
	Untrusted bool           `json:"untrusted,omitempty" doc:"the folder is not trusted, so that its own skills are not read"`
}

// Skill is knowledge of how work is done, in a file.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Category    string `json:"category,omitempty"`
	Source      string `json:"source" doc:"its file"`
}

// SkillProblem is a file that is no skill.
type SkillProblem struct {
	Source string `json:"source"`
	Reason string `json:"reason"`
}
