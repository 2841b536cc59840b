package worst

import (
	"math/rand/v2"
	"slices"

	"forge/engine/llm/llmtest"
)

// kind is a way in which a model does its worst.
type kind struct {
	name    string
	prepare func(w *world) answer // what is in the folder, and what the model answers
	flags   []string              // more of the command line
	request string                // what the user wants; empty is the usual task
	says    string                // an expression that what is printed matches; empty is anything
	denied  []string              // codes of which the audit log has one; empty asks nothing of it
	long    bool                  // compilers run, so that it is left out of short tests
}

func (k kind) task() string {
	if k.request != "" {
		return k.request
	}
	return "write down in " + notes + " what the folder is for"
}

// kinds are all of them, each table in a file of its own.
func kinds() []kind {
	return slices.Concat(pathKinds(), fileKinds(), toolKinds(), webKinds(), wordKinds(), codeKinds())
}

// one returns one of several, by the seed.
func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// document are the flags of a run that writes texts, without compilers.
func document(more ...string) []string { return append([]string{"--recipe", "document"}, more...) }

// turns are the flags of a run whose model uses tools.
func turns() []string { return document("--profile", "tooluse") }

// writing answers with a file, in one of the ways in which an answer can have one.
func writing(r *rand.Rand, path, content string) answer {
	switch r.IntN(5) {
	case 0:
		return answer{work: files(created(path, content)), flags: document()}
	case 1:
		return answer{work: files(file{path, "write", content}), flags: document()}
	case 2:
		return answer{work: fields{"explanation": "Done.", "files": []any{}, "patch": "*** Begin Patch\n*** Add File: " + path + "\n+" + content + "\n*** End Patch\n"}, flags: document()}
	case 3:
		return using(use("write_file", "path", path, "content", content))
	default:
		return using(use("apply_patch", "patch", "*** Begin Patch\n*** Add File: "+path+"\n+"+content+"\n*** End Patch\n"))
	}
}

// file is a file of an answer.
type file struct{ path, action, content string }

func created(path, content string) file { return file{path, "create", content} }

// files is an answer that has files.
func files(all ...file) fields {
	list := []any{}
	for _, f := range all {
		list = append(list, fields{"path": f.path, "action": f.action, "content": f.content})
	}
	return fields{"explanation": "Done.", "files": list, "patch": "", "blocked": ""}
}

// use is a call of a tool with arguments, in pairs.
func use(tool string, pairs ...any) fields {
	args := fields{}
	for i := 0; i+1 < len(pairs); i += 2 {
		args[pairs[i].(string)] = pairs[i+1]
	}
	return fields{"tool": tool, "args": args}
}

// using is an answer that calls tools.
func using(calls ...fields) answer {
	return answer{work: fields{"explanation": "Let me.", "actions": calls}, flags: turns()}
}

// texted is an answer of any text.
func texted(words string) answer {
	return answer{work: llmtest.Reply{Text: words}, flags: document()}
}

// honest is a model that does what it was asked to.
func honest(r *rand.Rand) kind {
	return kind{name: "honest", prepare: func(w *world) answer {
		a := writing(r, notes, paid)
		a.work.(fields)["done"] = true
		return a
	}}
}

// paid is what an honest model writes.
const paid = "Fees and refunds."

// wanted is what the notes are after an honest run.
func (w *world) wanted(p policy) string {
	if !p.applies {
		return ""
	}
	return paid
}
