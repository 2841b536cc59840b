package pipeline

import (
	"forge/engine/mode"
	"forge/engine/tool"
)

const editRules = `
Answer with one JSON object:
- "explanation": two sentences for a reviewer.
- "edits": changes to existing files, each with "path", "search" (lines of the file exactly as they stand there,
  enough of them to stand there only once) and "replace" (what stands there instead).
- "patch": changes to existing files as a V4A patch ("*** Begin Patch", "*** Update File: path", "@@", lines
  that begin with a space, "-" or "+", "*** End Patch"); empty when there are none. Prefer it, or "edits", over
  rewriting a file.
- "files": whole files, each with "path" (relative), "action" ("create", "write" to replace a file that you
  were shown, or "delete") and "content".
  A path stands in one of "edits", "patch" and "files", never in two.
- "blocked": normally empty; what is missing, if you cannot do the work with what you were given.
- "concerns": normally empty; what you are not sure of and a reviewer should look at twice, a sentence each.`

// onceRules are the rules of an answer that is given once. They describe tools, whose schemas are made when they are first needed.
func onceRules() string {
	return editRules + `
- "actions": normally empty; changes of the whole folder, made before the edits of this answer, each with "tool" and "args".
  "rename" {"symbol", "to"} renames a symbol of code wherever it is used ("path" and "line" where the name alone is not clear), and
  with "everywhere": true the word in strings, comments and documents too.
  "replace_all" {"find", "replace"} replaces a text in all files ("paths", "word", "regexp" and "variants" as needed).
- "requests": normally empty; what you must see before you can answer, each with "tool" and "args". Give no
  edits then: you are asked again with what was found.
- "done": true only if nothing at all has to be changed.
A file that is marked "(parts)" is shown in parts. Each begins with a line in brackets that says which lines follow; that
line is not in the file. The tools for "requests":
` + tool.All().Looking().Describe()
}

const turnRules = editRules + `
- "actions": tools to use now, in order, after the edits of this answer are made; each with "tool" and "args".
- "done": true when the work is complete and nothing is left to look at. Until then you are asked again, with what
  came of your actions; you have few turns, so do in one what can be done in one.
The tools:
`

// testsInstructions ask for tests.
func testsInstructions() string {
	return `You write tests for a change that is not implemented yet, first. They must fail now, because the behaviour is
missing, and pass once it is there. Test behaviour, not implementation. Only write test files; do not touch
anything else. A test that is there already stays as it is, unless the task says otherwise: then name its file in
the explanation, and say why. Format the code as the language's formatter does.` + onceRules()
}

const testsThereInstructions = `
Some tests fail already. If they show exactly what the task is about, write none: set "done", and name them in the
explanation.`

const (
	implementStart = "You implement a change to a code base. "
	implementRules = ` You cannot change test files: where a test for this change is wrong whatever the code is, say so in "blocked", and
name its file. Change as little as the task needs. Format the code as the language's formatter does.`
)

const implementInstructions = implementStart + testsFail + implementRules

// The tests that are there, and the sentences about them where they were not seen to fail, or where there are none.
const (
	testsFail    = "Tests for it are there and fail; make them pass, and keep every other\ntest green."
	testsUnseen  = "Tests for it are there, and cannot be run here; make them pass, and keep\nevery other test green."
	testsLeftOut = "It has no tests of its own; keep every test green."
)

const refactorInstructions = `You restructure code without changing what it does. Every test stays as it is and stays green. Change as
little as the task needs. Format the code as the language's formatter does.`

const changeInstructions = `You implement a change to a code base. Keep every test green; you may add tests, and you take nothing out of those
that are there. Change as little as the task needs. Format the code as the language's formatter does.`

const coverInstructions = `You write tests for behaviour that a code base has already. They must pass with the code as it is, and fail when
that behaviour is broken. Test behaviour, not implementation. Only write test files; do not touch anything else. Format
the code as the language's formatter does.`

const documentInstructions = `You write documentation for a code base: comments where the language wants them, or documents. Behaviour stays as
it is: change no code. Say what is not obvious from the code, and nothing that is not true of it.`

// instructions are those of the implementation: who the model is, and what it answers.
func (p *prompter) instructions(way mode.Way) string {
	work := changeInstructions
	switch {
	case p.job.joins:
		work = joinInstructions
	case p.job.recipe() == Refactor:
		work = refactorInstructions
	case p.job.recipe() == mode.Test:
		work = coverInstructions
	case p.job.recipe() == mode.Document:
		work = documentInstructions
	case way.RedTests:
		work = p.implementing()
	}
	if way.Profile == mode.ToolUse {
		return work + turnRules + tool.Tools().With(p.run.Grants).Describe()
	}
	return work + onceRules()
}

// implementing are the instructions of an implementation, true to what was seen of its tests.
func (p *prompter) implementing() string {
	switch {
	case p.tested.unseen:
		return implementStart + testsUnseen + implementRules
	case p.tested.tests != nil && len(p.tested.tests.Files) == 0 && !p.promises.failing():
		return implementStart + testsLeftOut + implementRules
	}
	return implementInstructions
}
