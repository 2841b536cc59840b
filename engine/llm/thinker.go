package llm

// Thinker is a Model that may think before an answer although the request asks for no thoughts (Request.Thinking). Its
// thoughts count as a part of the answer, so MaxTokens must have room for them.
type Thinker interface {
	Model
	// Thinks reports whether it does so, as far as its name reveals.
	Thinks() bool
}
