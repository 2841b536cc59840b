package api

// ShowDocumentArgs name a document of Forge's.
type ShowDocumentArgs struct {
	URI string `json:"uri" doc:"forge://spec/latest, forge://spec/2, forge://spec/1..2, forge://prompt/<hash> or forge://prompt/<run>/<node>/<attempt>"`
}

// ShowDocumentResult reports where a document is shown.
type ShowDocumentResult struct {
	URI string `json:"uri" doc:"of the document, or of the file that stands for it"`
}
