package conform_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/engine/llm/wire"
)

// Checks of answers that an adapter passes on unchanged.
var answerChecks = []check{
	{name: "plain answer", run: checkPlain},
	{name: "pieces as they come", ways: []way{streamed}, run: checkLive},
	{name: "whole is what is streamed", needs: []Ability{Streams, Whole}, run: checkBothWays},
	{name: "empty answer", run: func(t *trial) error { return t.text(llmtest.Reply{Stream: []llmtest.Piece{}}, "") }},
	{name: "any character", run: checkCharacters},
	{name: "any form of the stream", run: checkForms},
	{name: "thinking is no text", run: func(t *trial) error {
		return t.text(llmtest.Reply{Text: "the answer", Thinking: "what to say? this thought is longer than one piece"}, "the answer")
	}},
	{name: "usage", run: checkUsage},
	{name: "finish by length", run: checkLength},
	{name: "finish by filter", needs: []Ability{Filters}, run: checkFilter},
	{name: "finish by refusal", needs: []Ability{Refusals}, run: checkRefusal},
	{name: "unknown finish", needs: []Ability{FinishWords}, run: checkUnknownFinish},
}

// text asks once for a reply, which must be the wanted text.
func (t *trial) text(reply llmtest.Reply, want string) error {
	_, m, err := t.start(llmtest.Entry{Reply: &reply})
	if err != nil {
		return err
	}
	return t.answered(t.ask(m, hello()), want)
}

func checkPlain(t *trial) error {
	_, m, err := t.start(llmtest.Entry{Reply: &llmtest.Reply{Text: "Hello. This answer is longer than one piece."}})
	if err != nil {
		return err
	}
	s := t.ask(m, hello())
	if err := t.answered(s, "Hello. This answer is longer than one piece."); err != nil {
		return err
	}
	if t.way == streamed && len(s.pieces) < 3 {
		return fmt.Errorf("it came in %d pieces, and was sent in 3", len(s.pieces))
	}
	if m.Name() == "" || strings.Contains(m.Name(), key) {
		return fmt.Errorf("the name of the model is %q", m.Name())
	}
	return same("the model", llmtest.DefaultModel, s.Model)
}

// checkLive requests an answer whose second piece never arrives, and cancels after the first.
func checkLive(t *trial) error {
	s, err := t.serve(llmtest.Entry{Reply: &llmtest.Reply{Stream: []llmtest.Piece{{Delta: "first"}, {Delta: "second", DelayMs: never}}}})
	if err != nil {
		return err
	}
	m := t.model(s, func(o *wire.Options) { o.IdleTimeout = 10 * time.Second }) // for adapters that hold it back
	ctx, cancel := context.WithCancel(t.within())
	defer cancel()
	shown := ""
	_, err = m.Complete(ctx, hello(), func(piece string) {
		shown += piece
		cancel()
	})
	return errors.Join(same("what was passed on", "first", shown), callers(err, context.Canceled))
}

func checkBothWays(t *trial) error {
	reply := llmtest.Reply{Text: "The same, whichever way it comes: “É à” 😀.", Usage: llmtest.UsageLine{Input: 7, Output: 9}}
	_, m, err := t.start(llmtest.Entry{Reply: &reply, Times: 2})
	if err != nil {
		return err
	}
	one := t.ask(m, hello())
	if err := t.answered(one, reply.Text); err != nil {
		return err
	}
	t.way = map[way]way{streamed: whole, whole: streamed}[t.way]
	other := t.ask(m, hello())
	if err := t.answered(other, reply.Text); err != nil {
		return err
	}
	return errors.Join(same("the usage", one.Usage, other.Usage), same("the model", one.Model, other.Model))
}

// astral has characters that are easily broken: outside the basic plane, joined ones, escapes, a line separator.
const astral = "😀 a\u0301 👩\u200d👩\u200d👧 \"\\ \u2028 \U0010fffd é\r\n\t$& </script> \u0000."

func checkCharacters(t *trial) error {
	pieces := []llmtest.Piece{}
	for _, r := range astral {
		pieces = append(pieces, llmtest.Piece{Delta: string(r)})
	}
	return t.text(llmtest.Reply{Stream: pieces}, astral)
}

// checkForms sends one answer in each valid form of the stream.
func checkForms(t *trial) error {
	forms := map[string]llmtest.Wire{
		"split in the middle of characters": {SplitBytes: 1}, "CRLF": {CRLF: true}, "comments": {Comments: true},
		"several lines of data": {DataLines: true}, "events of nothing": {Empty: true}, "the end twice": {DoubleEnd: true},
		"nothing behind the finish reason": {NoEnd: true},
		"all of it":                        {SplitBytes: 3, CRLF: true, Comments: true, DataLines: true, Empty: true, DoubleEnd: true},
	}
	var problems []error
	for name, form := range forms {
		if err := t.text(llmtest.Reply{Text: astral, Wire: form}, astral); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(problems...)
}

func checkUsage(t *trial) error {
	_, m, err := t.start(llmtest.Entry{Reply: &llmtest.Reply{
		Text: "a", Usage: llmtest.UsageLine{Input: 70, Output: 9, CacheRead: 500, CacheWrite: 30},
	}})
	if err != nil {
		return err
	}
	want := llm.Usage{Input: 70, Output: 9, CacheRead: 500, CacheWrite: 30}
	if t.lacks(CacheReads) {
		want.Input, want.CacheRead = want.Input+want.CacheRead, 0
	}
	if t.lacks(CacheWrites) {
		want.Input, want.CacheWrite = want.Input+want.CacheWrite, 0
	}
	s := t.ask(m, hello())
	if err := t.answered(s, "a"); err != nil {
		return err
	}
	return same("the usage", want, s.Usage)
}

// ended requests an answer that ends badly: there must be an error with the partial answer.
func (t *trial) ended(e llmtest.Entry, kind llm.Kind, reason llm.FinishReason, text string) error {
	_, m, err := t.start(e)
	if err != nil {
		return err
	}
	s := t.ask(m, hello())
	if _, err := t.failed(s, kind); err != nil {
		return err
	}
	if err := same("the finish reason", reason, s.Finish); err != nil {
		return err
	}
	if s.Text != text && reason != llm.FinishRefusal { // providers put the text of a refusal in different places
		return fmt.Errorf("the text is %q, not %q", s.Text, text)
	}
	return nil
}

func checkLength(t *trial) error {
	fault := &llmtest.Fault{Kind: llmtest.FaultLength}
	return t.ended(llmtest.Entry{Reply: &llmtest.Reply{Text: "half of it"}, Fault: fault}, llm.KindLength, llm.FinishLength, "half of it")
}

func checkFilter(t *trial) error {
	fault := &llmtest.Fault{Kind: llmtest.FaultFilter}
	return t.ended(llmtest.Entry{Reply: &llmtest.Reply{Text: "half of it"}, Fault: fault}, llm.KindRefused, llm.FinishFilter, "half of it")
}

func checkRefusal(t *trial) error {
	return t.ended(llmtest.Entry{Reply: &llmtest.Reply{Refusal: "I would rather not."}}, llm.KindRefused, llm.FinishRefusal, "")
}

func checkUnknownFinish(t *trial) error {
	_, m, err := t.start(llmtest.Entry{Reply: &llmtest.Reply{Text: "a", Finish: "sunset"}})
	if err != nil {
		return err
	}
	_, err = t.failed(t.ask(m, hello()), llm.KindInvalid)
	return err
}
