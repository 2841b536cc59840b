package llm

// Manifest says what the messages of a request were made of, for people and for the record: never their text.
type Manifest struct {
	Hash   string // of the messages: the first 16 hexadecimal digits of a sha256
	Tokens int    // as they were estimated, four bytes each
	Budget int    // tokens that the messages could have had
	Parts  []Part // in their order
}

// Part is one section of a request.
type Part struct {
	Kind   string // its place: "role", "map", "errors"
	Name   string // its heading
	Source string `json:",omitempty"` // where the text is from: a path, an id of memory; empty is Forge itself
	Tokens int
	Cut    bool `json:",omitempty"` // it was shortened to fit
	Data   bool `json:",omitempty"` // it stands in a fence
	Stable bool `json:",omitempty"` // it comes again in the attempts that follow, before the mark for caches
}
