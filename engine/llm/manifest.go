package llm

// Manifest lists the parts of a request's messages, for users and logs, without their text.
type Manifest struct {
	Hash   string // of the messages: the first 16 hexadecimal digits of a sha256
	Tokens int    // an estimate, four bytes each
	Budget int    // the limit in tokens
	Parts  []Part // in their order
}

// Part is one section of a request.
type Part struct {
	Kind   string // its place: "role", "map", "errors"
	Name   string // its heading
	Source string `json:",omitempty"` // origin of the text: a path, an id of memory; empty is Forge itself
	Tokens int
	Cut    bool `json:",omitempty"` // it was shortened to fit
	Data   bool `json:",omitempty"` // it is fenced
	Stable bool `json:",omitempty"` // it precedes the cache mark, and is repeated in later attempts
	// Injected is a phrase of the text that reads as if it instructed a model; empty is none.
	Injected string `json:",omitempty"`
}
