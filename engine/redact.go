package engine

// Redact replaces the secrets in a text for users.
func (e *Engine) Redact(text string) string { return e.secrets.Plain(text) }
