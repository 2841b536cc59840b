package api

// RunShowArgs name a stored run, and what to return of it.
type RunShowArgs struct {
	RunID  string `json:"runId,omitempty" doc:"a run of any session; without it the newest of the folder"`
	Call   int    `json:"call,omitempty" doc:"number of a call of a model: also returns its prompt and its answer"`
	Report bool   `json:"report,omitempty" doc:"also returns the report of the run, as Markdown"`
	InFolder
}

// RunShown describes a run and its calls of models.
type RunShown struct {
	Run           RunInfo     `json:"run"`
	Calls         []ModelCall `json:"calls" doc:"in the order in which the run began them"`
	Exchange      *Exchange   `json:"exchange,omitempty" doc:"with call: the prompt and the answer of that call"`
	Report        string      `json:"report,omitempty" doc:"with report: Markdown"`
	CommitMessage string      `json:"commitMessage,omitempty" doc:"proposed for the change of the run; Forge commits nothing"`
}

// ModelCall is one call of a model in a run.
type ModelCall struct {
	Number           int    `json:"number" doc:"from 1"`
	Node             string `json:"node"`
	Attempt          int    `json:"attempt" doc:"of the node, from 1"`
	Purpose          string `json:"purpose" doc:"what was asked for, such as tests, implementation or review"`
	Round            int    `json:"round" doc:"0 is the call itself; 1 and 2 are repairs of an answer that could not be used"`
	Model            string `json:"model,omitempty" doc:"missing without an answer"`
	State            string `json:"state" enum:"answered,failed,open" doc:"open: the call was begun and has no answer"`
	Started          string `json:"started" doc:"RFC 3339, UTC"`
	ElapsedMS        int64  `json:"elapsedMs"`
	InputTokens      int    `json:"inputTokens" doc:"billed by the provider: neither read from nor written to its cache"`
	OutputTokens     int    `json:"outputTokens"`
	CacheReadTokens  int    `json:"cacheReadTokens,omitempty"`
	CacheWriteTokens int    `json:"cacheWriteTokens,omitempty"`
	Cost             Cost   `json:"cost"`
	Cached           bool   `json:"cached,omitempty" doc:"the answer came from Forge's cache, without cost"`
	Replaced         bool   `json:"replaced,omitempty" doc:"a retry of the run has replaced the call"`
	Failure          string `json:"failure,omitempty" doc:"why there is no answer"`
}

// Exchange is the prompt and the answer of a call, without secrets.
type Exchange struct {
	Number  int           `json:"number"`
	Prompt  *PromptResult `json:"prompt,omitempty" doc:"missing if it cannot be composed again"`
	Missing string        `json:"missing,omitempty" doc:"why there is no prompt"`
	Answer  string        `json:"answer,omitempty" doc:"as the model wrote it; missing without an answer"`
}
