package module

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"

	"forge/engine/agent"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/engine/tool"
)

// explorer reads what an attempt needs. Its results are in the findings of the module.
type explorer struct {
	*work.Module
	prompter *dialogue.Prompter
}

const exploreInstructions = `You select what a developer must read before changing a code base. You do not write code. You are shown the
task and part of the folder; the developer is shown the same, plus what you request. Request what is
missing: definitions that will be called or changed, their callers, the tests next to them, conventions to follow. Do
not request what is already shown. Answer with one JSON object:
- "requests": at most eight, each with "provider", "args" (only those that the provider takes)
  and "why" (a few words). An empty list if nothing is missing: the work then begins.
The providers:
`

const exploreReply = 1024 // tokens

// exploration is the explorer's answer.
type exploration struct {
	Requests []wanted `json:"requests" jsonschema:"empty when nothing is missing"`
}

// wanted is one request to a provider.
type wanted struct {
	Provider string        `json:"provider"`
	Args     tool.LookArgs `json:"args"`
	Why      string        `json:"why" jsonschema:"a few words"`
}

func (e exploration) check() error {
	return dialogue.CheckRequests(len(e.Requests))
}

// rounds asks what is missing until nothing is, or no rounds are left.
func (e *explorer) rounds(ctx context.Context, n graph.Node, shown []prompt.Section) graph.Outcome {
	for round := 1; round <= e.Run.Rounds; round++ {
		if o := e.Budget.Count(); o.Signal != step.Success {
			return work.Outcome(o, graph.Normal)
		}
		asked, o := step.Do(ctx, e.Run.Env.Env, step.Step[exploration]{
			Place: e.Job.At(work.RoleExplorer, n), Name: "exploration", Key: fmt.Sprintf("round %d", round),
			MaxTokens: exploreReply, Check: exploration.check, Document: e.missing(shown, round),
		})
		switch {
		case o.Signal == step.Retryable: // unreadable: the executor works with the existing context
			return graph.Outcome{Status: graph.Done}
		case o.Signal != step.Success:
			return work.Outcome(o, graph.Normal)
		}
		more, err := e.look(ctx, n, fmt.Sprintf("round %d", round), asked.Requests)
		if err != nil {
			return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
		}
		if !more {
			return graph.Outcome{Status: graph.Done}
		}
	}
	return graph.Outcome{Status: graph.Done}
}

// missing returns the document of a round.
func (e *explorer) missing(shown []prompt.Section, round int) prompt.Document {
	sections := slices.Concat(shown, e.Findings.Sections(), e.Run.Specification())
	sections = append(sections, prompt.Section{Kind: prompt.Errors, Name: "Rounds", Text: fmt.Sprintf("This is round %d of at most %d.", round, e.Run.Rounds)})
	return e.prompter.Compose(work.RoleExplorer, exploreInstructions+tool.Providers().Describe(), sections...)
}

// look asks providers about the folder as the user has it, except for repeated requests. It reports whether anything new was found, and
// there is room for more. name is that of the steps.
func (e *explorer) look(ctx context.Context, n graph.Node, name string, requests []wanted) (more bool, err error) {
	l := dialogue.Looker{Module: e.Module, Agent: agent.Named(agent.Explorer), Tree: e.Start.Tree, Findings: e.Findings}
	asked := make([]dialogue.Request, len(requests))
	for i, w := range requests {
		args, err := json.Marshal(w.Args)
		if err != nil {
			return false, fmt.Errorf("encode the arguments of %s: %w", w.Provider, err)
		}
		asked[i] = dialogue.Request{Tool: w.Provider, Args: args}
	}
	more, o := l.Look(ctx, n, name, asked)
	if o.Signal != step.Success {
		return false, errors.New(o.Reason)
	}
	return more, nil
}

// readAround returns requests for the parts of a file that must be read: the lines around failures of the last attempt, or the
// beginning of the file.
func (e *explorer) readAround(file string) (requests []wanted) {
	lines := failedLines(e.History.Last().Reports, file)
	if len(lines) == 0 {
		return []wanted{{Provider: "read_file", Args: tool.LookArgs{Path: file}}}
	}
	for _, line := range lines {
		last := len(requests) - 1
		if last >= 0 && line-aroundLines <= requests[last].Args.End+1 {
			requests[last].Args.End = line + aroundLines
			continue
		}
		if len(requests) == maxWindows {
			break
		}
		requests = append(requests, wanted{Provider: "read_file", Args: tool.LookArgs{Path: file, Start: max(1, line-aroundLines), End: line + aroundLines}})
	}
	return requests
}

// failedLines returns the lines of a file that reports of a failure name, as a place or in a message, in order.
func failedLines(reports []gate.Report, file string) (lines []int) {
	named := regexp.MustCompile(`(?:^|[^\w.-])` + regexp.QuoteMeta(path.Base(file)) + `(?::|", line |\()(\d{1,7})`)
	for _, report := range reports {
		if report.Verdict == gate.Pass {
			continue
		}
		for _, f := range report.Findings {
			if f.Path == file && f.Line > 0 {
				lines = append(lines, f.Line)
			}
			for _, match := range named.FindAllStringSubmatch(f.Message, -1) {
				if line, err := strconv.Atoi(match[1]); err == nil && line > 0 {
					lines = append(lines, line)
				}
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// The limits of what is read of a file for the next attempt.
const (
	aroundLines = 40 // on both sides of a line that failed
	maxWindows  = 3  // of a file
)
