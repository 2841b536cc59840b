package dialogue

import (
	"forge/engine/mode"
	"forge/engine/tool"
)

const editRules = `
Answer with one JSON object:
- "explanation": two sentences for a reviewer.
- "edits": changes to existing files, each with "path", "search" (consecutive lines copied exactly from the file,
  enough of them to match only once) and "replace" (the lines that replace them).
- "patch": changes to existing files as a V4A patch ("*** Begin Patch", "*** Update File: path", "@@", lines
  that begin with a space, "-" or "+", "*** End Patch"); empty if there are none. Use "edits" or "patch" rather
  than rewriting a whole file.
- "files": whole files, each with "path" (relative), "action" ("create", "delete", or "write" to replace a file
  that you were shown) and "content".
  Use only one of "edits", "patch" and "files" for each path.
- "blocked": normally empty; if you cannot do the work with what you were given, say what is missing.
- "concerns": normally empty; what you are unsure of and a reviewer should check, one sentence each.`

// onceRules returns the rules of an answer that is given once. They describe tools, whose schemas are created on first use.
func onceRules() string {
	return editRules + `
- "actions": normally empty; changes across the whole folder, applied before the edits of this answer, each with "tool" and "args".
  "rename" {"symbol", "to"} renames a symbol everywhere in the code (add "path" and "line" if the name is ambiguous);
  with "everywhere": true it also renames the word in strings, comments and documents.
  "replace_all" {"find", "replace"} replaces text in all files (add "paths", "word", "regexp" or "variants" as needed).
- "requests": normally empty; what you must read before you can answer, each with "tool" and "args". Give no
  edits in that case: you are asked again, with the results.
- "done": true only if nothing needs to change.
A file marked "(parts)" is shown in excerpts. Each excerpt begins with a line in brackets that gives its line numbers; that
line is not part of the file. The tools for "requests":
` + tool.All().Looking().Describe()
}

const turnRules = editRules + `
- "actions": tools to run now, in order, after the edits of this answer are applied; each with "tool" and "args".
- "done": true when the work is complete and nothing is left to check. Until then you are asked again, with the
  results of your actions. You have few turns: do as much as you can in each.
The tools:
`

// TestsInstructions ask for tests.
func TestsInstructions() string {
	return `You write tests for a change before it is implemented. They must fail now, because the behaviour is
missing, and pass once the change is implemented. Test behaviour, not implementation details. Write test files only.
Do not change existing tests unless the task requires it; if it does, name their files in the explanation and
say why. If it moves what they import, change only their imports. Format the code as the language's standard formatter does.` + onceRules()
}

// TestsInCode follows the instructions for tests if files of code that are shown have tests or examples in them.
const TestsInCode = `
Some files of code have tests in them (such as #[cfg(test)] or import.meta.vitest) or examples in their documentation: these are
tests too, and are run. Those that state the old behaviour are changed in this step; while the change is implemented they are frozen.`

// FrozenInCode follows the instructions for an implementation whose tests exist, if files of code that are shown have tests or examples in them.
const FrozenInCode = `
You cannot change tests in files of code (such as #[cfg(test)] or import.meta.vitest) and examples in documentation either, but you may
add examples. If one is wrong for any implementation, change nothing, say so in "blocked" and name its file.`

// TestsThereInstructions follow TestsInstructions if tests fail already.
const TestsThereInstructions = `
Some tests fail already. If they fail for exactly the reason that the task describes, write no tests: set "done" and name
the failing tests in the explanation.`

// TestsMayBeThereInstructions follow TestsInstructions while the existing tests are still running.
const TestsMayBeThereInstructions = `
If existing tests fail already, and for exactly the reason that the task describes, write no tests: set "done" and name
the failing tests in the explanation.`

// TestsListedInstructions follow TestsInstructions if it is known what fails without the change.
const TestsListedInstructions = `
"` + failedBefore + `" lists what fails already. A test that can only fail as listed there proves nothing: write at least one that
can be loaded, and fails because the behaviour is missing.`

// failedBefore is the name of that list.
const failedBefore = "Fails before the change"

const (
	implementStart = "You implement a change to a code base. "
	implementRules = ` You cannot change test files: if a test for this change is wrong for any implementation, say so in "blocked" and
name its file. Change only what the task needs. Format the code as the language's standard formatter does.`
)

const implementInstructions = implementStart + testsFail + implementRules

// The sentences about tests: if they fail, if they were not seen to fail, and if there are none.
const (
	testsFail    = "Its tests exist and fail; make them pass, and keep every other test\ngreen."
	testsUnseen  = "Its tests exist but cannot be run here; make them pass, and keep every\nother test green."
	testsLeftOut = "It has no tests of its own; keep every test green."
)

// WorkerInstructions are those of an implementation whose tests fail, without the form of the answer. Instructions has those of all work.
func WorkerInstructions() string { return implementInstructions }

const refactorInstructions = `You restructure code without changing its behaviour. Do not change tests; every test stays green. Change only
what the task needs. Format the code as the language's standard formatter does.`

const changeInstructions = `You implement a change to a code base. Keep every test green. You may add tests, but remove nothing from existing
ones. Change only what the task needs. Format the code as the language's standard formatter does.`

const coverInstructions = `You write tests for existing behaviour of a code base. They must pass with the code as it is, and fail when that
behaviour is broken. Test behaviour, not implementation details. Write test files only. Format the code as the
language's standard formatter does.`

const documentInstructions = `You write documentation for a code base: doc comments where the language expects them, or documents. Do not change
code. Explain what is not obvious from the code, and state nothing that the code does not do.`

// Instructions returns those of the implementation: the model's role, and its answer.
func (p *Prompter) Instructions(way mode.Way) string {
	work := changeInstructions
	switch {
	case p.Job.Joins:
		work = joinInstructions
	case p.Job.Recipe() == mode.Refactor:
		work = refactorInstructions
	case p.Job.Recipe() == mode.Test:
		work = coverInstructions
	case p.Job.Recipe() == mode.Document:
		work = documentInstructions
	case way.RedTests:
		work = p.implementing()
	}
	if way.Profile == mode.ToolUse {
		return work + turnRules + p.Run.Grants.Rules()
	}
	return work + onceRules()
}

// implementing returns the instructions of an implementation, according to the state of its tests.
func (p *Prompter) implementing() string {
	switch {
	case p.Tests.Unseen:
		return implementStart + testsUnseen + implementRules
	case p.Tests.Waived, p.Tests.Written != nil && len(p.Tests.Written.Files) == 0 && !p.promises.Failing():
		return implementStart + testsLeftOut + implementRules
	}
	return implementInstructions
}

// cutRule follows the instructions for a part that may be cut into pieces.
const cutRule = `
Only if your part is too large for one change, begin "blocked" with "too large:" and say why: the part is then cut into pieces.`

const joinInstructions = `Several parts of one change were written separately and have been merged. The problems that the merge shows are listed
at the end: fix those and nothing else, and keep the purpose of each part. Do not change the parts' tests unless the
problem is in them. Format the code as the language's standard formatter does.`
