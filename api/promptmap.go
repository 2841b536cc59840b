package api

import (
	"forge/engine"
	"forge/engine/execution"
	"forge/engine/llm"
	"forge/engine/prompt"
)

// PromptOf returns a preview as it goes over the wire.
func PromptOf(p execution.Preview) PromptResult {
	return PromptResult{
		Node: p.Node, Model: p.Model, Hash: p.Manifest.Hash, Tokens: p.Manifest.Tokens, Budget: p.Manifest.Budget,
		MaxTokens: p.Request.MaxTokens, Redacted: p.Redacted,
		Sections: promptSections(p.Manifest),
		Messages: list(p.Request.Messages, func(m llm.Message) PromptMessage {
			return PromptMessage{Role: string(m.Role), Stable: m.Stable, Text: m.Text}
		}),
	}
}

func promptSections(m llm.Manifest) []PromptSection {
	return list(m.Parts, func(p llm.Part) PromptSection { return PromptSection(p) })
}

// SkillsOf returns skills as they go over the wire: those for a kind of work, or all where it is empty.
func SkillsOf(found engine.Skills, kind string) SkillsResult {
	all := found.All
	if kind != "" {
		all = prompt.MatchSkills(all, kind)
	}
	return SkillsResult{
		Skills: list(all, func(s prompt.Skill) Skill {
			return Skill{Name: s.Name, Description: s.Description, Category: s.Category, Source: s.Source}
		}),
		Problems:  list(found.Problems, func(p prompt.SkillProblem) SkillProblem { return SkillProblem(p) }),
		Untrusted: found.Untrusted,
	}
}
