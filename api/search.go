package api

// SearchArgs ask what a request in plain words is about.
type SearchArgs struct {
	Text   string   `json:"text,omitempty" doc:"the request, in plain words; may be empty where files are open"`
	Open   []string `json:"open,omitempty" doc:"URIs of open files, the one in front first: what belongs to them comes first, they themselves are left out"`
	Limit  int      `json:"limit,omitempty" doc:"how many files to find; 20 without it, 200 at most"`
	Folder string   `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the first open file, or the only one"`
}

// SearchResult is what was found, best first.
type SearchResult struct {
	Folder   string         `json:"folder" doc:"URI of the folder"`
	Complete bool           `json:"complete" doc:"false while the folder is being read: then there may be better ones"`
	Hits     []SearchHit    `json:"hits"`
	Symbols  []SearchSymbol `json:"symbols"`
}

// SearchHit is a file a request may be about.
type SearchHit struct {
	URI     string         `json:"uri"`
	Path    string         `json:"path" doc:"relative to the folder"`
	Score   float64        `json:"score" doc:"comparable within one answer only"`
	Range   *Range         `json:"range,omitempty" doc:"the lines that fit best"`
	Why     string         `json:"why" doc:"the signals in words, for people"`
	Signals []SearchSignal `json:"signals" doc:"what spoke for it, the strongest first"`
	Lines   []SearchLine   `json:"lines" doc:"lines of the range that say most, in order of the file"`
	Best    *SearchLine    `json:"best,omitempty" doc:"the first of them that says as much as any"`
}

// SearchSignal is one reason for a hit.
type SearchSignal struct {
	Name  string  `json:"name"`
	Value float64 `json:"value" doc:"its part of the score"`
}

// SearchLine is a line of a file.
type SearchLine struct {
	Line uint32 `json:"line" doc:"from 0"`
	Text string `json:"text"`
}

// SearchSymbol is a definition a request may be about.
type SearchSymbol struct {
	URI    string  `json:"uri"`
	Path   string  `json:"path" doc:"relative to the folder"`
	Name   string  `json:"name"`
	Kind   string  `json:"kind" doc:"such as function, class or heading"`
	Detail string  `json:"detail,omitempty" doc:"its signature or type, on one line"`
	Range  Range   `json:"range" doc:"of its name"`
	Score  float64 `json:"score" doc:"comparable within one answer only"`
}

// PackArgs ask for what a model would see of a folder.
type PackArgs struct {
	Text   string   `json:"text,omitempty" doc:"the request, in plain words: what it is about comes first"`
	Open   []string `json:"open,omitempty" doc:"URIs of open files, the one in front first: what belongs to them comes first"`
	Budget int      `json:"budget,omitempty" doc:"tokens at most; 8000 without it"`
	Folder string   `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the first open file, or the only one"`
}

// MapResult is a map of a folder.
type MapResult struct {
	Folder   string   `json:"folder" doc:"URI of the folder"`
	Complete bool     `json:"complete" doc:"false while the folder is being read: then there may be more"`
	Text     string   `json:"text"`
	Tokens   int      `json:"tokens" doc:"estimated: characters divided by four"`
	Budget   int      `json:"budget" doc:"what they could have been"`
	Files    []string `json:"files" doc:"paths of those shown with symbols, in the order of the text"`
}

// ContextResult is what would be sent to a model.
type ContextResult struct {
	Folder   string           `json:"folder" doc:"URI of the folder"`
	Complete bool             `json:"complete" doc:"false while the folder is being read: then there may be more"`
	Tokens   int              `json:"tokens" doc:"of all sections, estimated: characters divided by four"`
	Budget   int              `json:"budget" doc:"what they could have been"`
	Sections []ContextSection `json:"sections" doc:"in the order in which they would be sent"`
	Left     []string         `json:"left" doc:"paths of files that matter, of which nothing fitted"`
	Prompt   *PromptResult    `json:"prompt,omitempty" doc:"with a node: its first request; then there are no sections beside it"`
}

// ContextSection is a file, or the map, as it would be sent.
type ContextSection struct {
	Name   string `json:"name" doc:"what it is to the request, for people: target, direct dependency, transitive dependency, map"`
	Path   string `json:"path,omitempty" doc:"of the file, relative to the folder; none for the map"`
	URI    string `json:"uri,omitempty" doc:"of the file"`
	How    string `json:"how" doc:"how much is shown of it" enum:"full,signatures,path,map"`
	Tokens int    `json:"tokens"`
	Text   string `json:"text"`
}

// ImportsArgs ask what a file imports, and who imports it.
type ImportsArgs struct {
	URI   string `json:"uri,omitempty" doc:"the file; without it the only one that is open"`
	Depth int    `json:"depth,omitempty" doc:"how many steps transitive and downstream go; 2 without it, 8 at most"`
}

// ImportsResult names files by their paths relative to the folder, sorted.
type ImportsResult struct {
	Folder     string   `json:"folder" doc:"URI of the folder"`
	Complete   bool     `json:"complete" doc:"false while the folder is being read: then there may be more"`
	Path       string   `json:"path" doc:"of the file, relative to the folder"`
	Direct     []string `json:"direct" doc:"what it imports"`
	Transitive []string `json:"transitive" doc:"what those import, and so on"`
	Downstream []string `json:"downstream" doc:"what imports it, directly or not"`
}
