package episodes

import "forge/engine/llm/llmtest"

// badReviews are models that write the right code and cannot review.
func badReviews() []behaviour {
	return []behaviour{
		{name: "an unreadable review", entries: func(p project) []llmtest.Entry {
			return []llmtest.Entry{begin(), p.tested(), to(implementation, write(file{p.source, "create", p.right})), to(review, text("Ship it! LGTM."))}
		}, says: `review`},
		{name: "a review that never ends", entries: func(p project) []llmtest.Entry {
			return []llmtest.Entry{begin(), p.tested(), to(implementation, write(file{p.source, "create", p.right})),
				to(review, llmtest.Reply{JSON: map[string]any{"pass": false, "reason": "I do not like it.", "issues": []any{}}})}
		}, says: `do not like it`},
		{name: "a review that passes its own errors", entries: func(p project) []llmtest.Entry {
			return []llmtest.Entry{begin(), p.tested(), to(implementation, write(file{p.source, "create", p.right})),
				to(review, llmtest.Reply{JSON: map[string]any{"pass": true, "reason": "Fine.", "issues": []any{map[string]any{
					"path": p.source, "line": 1, "startLine": 1, "endLine": 1, "severity": "error", "category": "bug", "message": "It loses money."}}}})}
		}, says: `loses money`},
	}
}
