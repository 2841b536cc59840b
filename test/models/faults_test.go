package models

import (
	"time"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/engine/llm/llmtest/script"
)

// fate is what must become of a call that meets a fault.
type fate struct {
	kind  llm.Kind // empty is an answer
	asked int      // how often the provider is asked for it
}

// fault is a row of the table.
type fault struct {
	name  string
	fault *llmtest.Fault // nil is none: the reply alone is odd
	reply *llmtest.Reply // what the fault breaks off, or what is odd; nil is the plain one
	fate  fate           // of streams and whole answers
	wait  time.Duration  // what the provider asks for

	batch   fate         // of an item of a batch
	call    llmtest.Call // of a batch API that the fault is of; empty is the item
	refused bool         // no connection is made
	tools   bool         // the request has tools
	only    bool         // there is such a thing in batches only
	never   bool         // there is no such thing in batches
	notOf   string       // the format that has no such thing
	decodes decoded
}

// decoded is what reading an answer as an object comes to, where it matters.
type decoded string

const (
	read     decoded = "read"
	sentBack decoded = "sent back"
)

var (
	answered = fate{"", 1}
	again    = fate{"", 2}
)

func status(code int, header llmtest.Fault) *llmtest.Fault {
	header.Status = code
	return &header
}

func stops(kind llm.Kind) fate { return fate{kind, 1} }

// refusing is the fate of an item whose job is refused: it was not billed.
func refusing(kind llm.Kind) fate { return fate{kind, 0} }

func kindly(kind llmtest.FaultKind, after int) *llmtest.Fault {
	return &llmtest.Fault{Kind: kind, AfterBytes: after}
}

// faults are the rows: 7-testing.md's, as far as a provider and the network cause them.
func faults() []fault {
	all := []fault{{name: "none", fate: answered, batch: answered}}
	all = append(all, limits()...)
	all = append(all, statuses()...)
	all = append(all, connections()...)
	all = append(all, forms()...)
	all = append(all, endings()...)
	all = append(all, jobs()...)
	return append(all, spoiled()...)
}

func limits() []fault {
	limit := func(name string, f *llmtest.Fault, wait time.Duration) fault {
		return fault{name: name, fault: f, fate: again, wait: wait, batch: answered, call: llmtest.CallSubmit}
	}
	long := limit("429, Retry-After an hour", status(429, llmtest.Fault{RetryAfter: "3600"}), time.Hour)
	long.fate, long.batch = stops(llm.KindRateLimited), refusing(llm.KindRateLimited)
	return []fault{
		limit("429 without a header", status(429, llmtest.Fault{}), 0),
		limit("429, Retry-After in seconds", status(429, llmtest.Fault{RetryAfter: "7"}), 7*time.Second),
		limit("429, retry-after-ms", status(429, llmtest.Fault{RetryAfterMs: 1500}), 1500*time.Millisecond),
		limit("429, Retry-After as a date", status(429, llmtest.Fault{RetryAfterDateS: 9}), 9*time.Second),
		limit("503, Retry-After in seconds", status(503, llmtest.Fault{RetryAfter: "3"}), 3*time.Second),
		limit("529, Retry-After in seconds", status(529, llmtest.Fault{RetryAfter: "90"}), 90*time.Second),
		long,
	}
}

func statuses() []fault {
	var all []fault
	passes := func(name string, code int) {
		all = append(all, fault{name: name, fault: status(code, llmtest.Fault{}), fate: again, batch: answered, call: llmtest.CallSubmit})
	}
	ends := func(name string, f *llmtest.Fault, kind llm.Kind) {
		all = append(all, fault{name: name, fault: f, fate: stops(kind), batch: refusing(kind), call: llmtest.CallSubmit})
	}
	passes("500", 500)
	passes("502", 502)
	passes("503", 503)
	passes("529", 529)
	passes("408", 408)
	ends("400", status(400, llmtest.Fault{}), llm.KindInvalid)
	ends("401", status(401, llmtest.Fault{}), llm.KindAuth)
	ends("402", status(402, llmtest.Fault{}), llm.KindAuth)
	ends("403", status(403, llmtest.Fault{}), llm.KindAuth)
	ends("404", status(404, llmtest.Fault{}), llm.KindInvalid)
	ends("413", status(413, llmtest.Fault{}), llm.KindOverflow)
	ends("no such model", kindly(llmtest.FaultNoModel, 0), llm.KindInvalid)
	ends("context length exceeded", kindly(llmtest.FaultOverflow, 0), llm.KindOverflow)
	ends("no quota", kindly(llmtest.FaultQuota, 0), llm.KindAuth)
	all[len(all)-1].notOf = "ollama"
	return all
}

func connections() []fault {
	passes := func(name string, f *llmtest.Fault, call llmtest.Call) fault {
		return fault{name: name, fault: f, fate: again, batch: answered, call: call, never: call == ""}
	}
	refused := fault{name: "connection refused", refused: true, fate: answered, batch: answered}
	page := fault{name: "web page with 200", fault: kindly(llmtest.FaultHTML, 0), fate: stops(llm.KindInvalid), batch: refusing(llm.KindInvalid), call: llmtest.CallSubmit}
	return []fault{
		refused, page,
		passes("connection reset", kindly(llmtest.FaultReset, 0), llmtest.CallSubmit),
		passes("silence before the header", kindly(llmtest.FaultHang, 0), llmtest.CallSubmit),
		passes("silence in the answer", kindly(llmtest.FaultHang, 120), ""),
		passes("half an event, or half a document", kindly(llmtest.FaultMalformed, 0), ""),
		passes("events of nothing, and no end", kindly(llmtest.FaultEmptyChoices, 0), ""),
		passes("an error of the server in the middle, or with 200", kindly(llmtest.FaultMidError, 120), ""),
		passes("cut at once", kindly(llmtest.FaultCut, 0), llmtest.CallResults),
		passes("cut in the middle", kindly(llmtest.FaultCut, 180), llmtest.CallResults),
		passes("ended in the middle", kindly(llmtest.FaultEnd, 180), llmtest.CallResults),
	}
}

func forms() []fault {
	odd := func(name string, w llmtest.Wire) fault {
		return fault{name: name, reply: &llmtest.Reply{Text: answer, Wire: w}, fate: answered, batch: answered}
	}
	return []fault{
		odd("characters split in two", llmtest.Wire{SplitBytes: 1}),
		odd("CRLF", llmtest.Wire{CRLF: true}),
		odd("comments", llmtest.Wire{Comments: true}),
		odd("several lines of data", llmtest.Wire{DataLines: true}),
		odd("events of nothing in between", llmtest.Wire{Empty: true}),
		odd("the end twice", llmtest.Wire{DoubleEnd: true}),
		odd("no end after the finish reason", llmtest.Wire{NoEnd: true}),
		odd("one piece in a second", llmtest.Wire{PieceMs: 1000}),
		{name: "interleaved tool calls", tools: true, fate: answered, batch: answered, reply: &llmtest.Reply{
			Wire: llmtest.Wire{Interleave: true}, ToolCalls: []llmtest.ToolCall{
				{Name: "search", Arguments: map[string]any{"query": "longer than one piece"}}, {Name: "search", Arguments: map[string]any{"query": "this as well, as it is"}},
			},
		}},
	}
}

func endings() []fault {
	half := &llmtest.Reply{Text: answer[:20]}
	return []fault{
		{name: "finish by length", fault: kindly(llmtest.FaultLength, 0), reply: half, fate: stops(llm.KindLength), batch: stops(llm.KindLength)},
		{name: "content filter", fault: kindly(llmtest.FaultFilter, 0), reply: half, fate: stops(llm.KindRefused), batch: stops(llm.KindRefused), notOf: "ollama"},
		{name: "refusal", reply: &llmtest.Reply{Refusal: "I would rather not."}, fate: stops(llm.KindRefused), batch: stops(llm.KindRefused), notOf: "ollama"},
		{name: "unknown tool", tools: true, reply: &llmtest.Reply{ToolCalls: []llmtest.ToolCall{{Name: "format_disk"}}}, fate: stops(llm.KindInvalid), never: true},
		{name: "malformed arguments of a tool", tools: true, reply: &llmtest.Reply{ToolCalls: []llmtest.ToolCall{{Name: "search", Raw: "[1]"}}},
			fate: stops(llm.KindInvalid), batch: stops(llm.KindInvalid)},
	}
}

func jobs() []fault {
	of := func(name string, call llmtest.Call, f *llmtest.Fault, fate fate) fault {
		return fault{name: name, fault: f, call: call, batch: fate, only: true}
	}
	return []fault{
		of("the reply to a submission is lost", llmtest.CallSubmit, kindly(llmtest.FaultLost, 0), answered),
		of("an item expires", "", kindly(llmtest.FaultExpire, 0), fate{llm.KindMissing, 1}),
		of("an item fails with 500", "", status(500, llmtest.Fault{}), again),
		of("an item fails with 400", "", status(400, llmtest.Fault{}), stops(llm.KindInvalid)),
		of("a poll fails with 503", llmtest.CallPoll, status(503, llmtest.Fault{RetryAfter: "3"}), answered),
		of("a poll is limited", llmtest.CallPoll, status(429, llmtest.Fault{RetryAfter: "7"}), answered),
		of("a poll is reset", llmtest.CallPoll, kindly(llmtest.FaultReset, 0), answered),
		of("results fail with 502", llmtest.CallResults, status(502, llmtest.Fault{}), answered),
	}
}

func spoiled() []fault {
	var all []fault
	for _, spoil := range script.Corruptions() {
		decodes := sentBack
		if spoil.Harmless() {
			decodes = read
		}
		if spoil == script.CorruptNothing {
			continue // it is the empty answer, below
		}
		f := fault{
			name: "answer: " + string(spoil), reply: &llmtest.Reply{JSON: right, Corrupt: spoil, Usage: llmtest.UsageLine{Input: 9, Output: 9}}, fate: answered, batch: answered, decodes: decodes,
		}
		if spoil == script.CorruptHuge { // longer than the tokens that were asked for can be; a file of results has no such bound
			f.fate = stops(llm.KindInvalid)
		}
		all = append(all, f)
	}
	return append(all, fault{
		name: "answer: empty", reply: &llmtest.Reply{Stream: []llmtest.Piece{}}, fate: answered, batch: answered, decodes: sentBack,
	})
}
