package api

// ConversationsArgs list the conversations of a folder.
type ConversationsArgs struct {
	ID string `json:"id,omitempty" doc:"also returns the turns of this conversation; latest is the newest"`
	InFolder
}

// ConversationsResult lists conversations, the one with the newest turn first.
type ConversationsResult struct {
	Conversations []Conversation     `json:"conversations"`
	Turns         []ConversationTurn `json:"turns,omitempty" doc:"with id, the oldest first"`
}

// Conversation is what was asked and answered in runs that continue each other, in editors and terminals.
type Conversation struct {
	ID    string `json:"id" doc:"that of its first run, or of the session of a client"`
	Title string `json:"title" doc:"the beginning of what was asked first"`
	Turns int    `json:"turns" doc:"number of turns"`
	Last  string `json:"last" doc:"time of the last turn: RFC 3339, UTC"`
}

// ConversationTurn is one request and its result. Long texts are shortened; the run has the whole texts.
type ConversationTurn struct {
	RunID    string `json:"runId,omitempty" doc:"missing for a synopsis"`
	TS       string `json:"ts" doc:"RFC 3339, UTC"`
	Asked    string `json:"asked"`
	Answered string `json:"answered,omitempty"`
	Synopsis int    `json:"synopsis,omitempty" doc:"number of turns that this one replaces, if an old conversation was reduced"`
}

// ConversationChanged is the notification forge/conversation: another editor or a terminal has added a turn to a conversation of an open
// folder. forge.conversations returns all turns.
type ConversationChanged struct {
	Folder string           `json:"folder" doc:"URI of the folder"`
	ID     string           `json:"id" doc:"the conversation"`
	Turn   ConversationTurn `json:"turn"`
}
