package api

// ExploreArgs ask one provider. Each takes some of the arguments.
type ExploreArgs struct {
	Provider string   `json:"provider" enum:"read_file,search_code,symbol_list,import_graph,run_tests,lint_check,git_log,git_diff,repo_map,discover_context,past_runs,playbooks"`
	Path     string   `json:"path,omitempty" doc:"a file or folder, relative to the folder"`
	Paths    []string `json:"paths,omitempty" doc:"files"`
	Start    int      `json:"start,omitempty" doc:"first line, from 1"`
	End      int      `json:"end,omitempty" doc:"last line"`
	Pattern  string   `json:"pattern,omitempty" doc:"a regular expression (RE2 syntax), or a text if literal is true"`
	Literal  bool     `json:"literal,omitempty"`
	Glob     string   `json:"glob,omitempty" doc:"only paths that match, such as **/*.go"`
	Query    string   `json:"query,omitempty" doc:"plain words"`
	Depth    int      `json:"depth,omitempty" doc:"how many imports away"`
	Limit    int      `json:"limit,omitempty" doc:"at most so many"`
	Base     string   `json:"base,omitempty" enum:"head,base" doc:"what to compare with"`
	Tags     []string `json:"tags,omitempty" doc:"of playbooks"`
	InFolder
}

// ExploreResult is the text that a model would receive.
type ExploreResult struct {
	Folder   string `json:"folder" doc:"URI of the folder"`
	Provider string `json:"provider"`
	Text     string `json:"text"`
	Failed   bool   `json:"failed" doc:"text says why there is no answer"`
	Cut      bool   `json:"cut" doc:"there was more"`
}
