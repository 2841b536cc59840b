package conform_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/engine/llm/wire"
)

// Checks of failures of a provider or a network.
var faultChecks = []check{
	{name: "failed statuses", run: checkStatuses},
	{name: "moments to call again", run: checkRetryAfter},
	{name: "context length exceeded", run: func(t *trial) error {
		return t.fault(llmtest.Fault{Kind: llmtest.FaultOverflow}, llm.KindOverflow)
	}},
	{name: "quota", needs: []Ability{Quotas}, run: func(t *trial) error {
		return t.fault(llmtest.Fault{Kind: llmtest.FaultQuota}, llm.KindAuth)
	}},
	{name: "no such model", run: checkNoModel},
	{name: "connection reset", run: func(t *trial) error { return t.fault(llmtest.Fault{Kind: llmtest.FaultReset}, llm.KindTransient) }},
	{name: "reset of a connection that was used before", run: checkResetWarm},
	{name: "web page with 200", run: checkWebPage},
	{name: "half an event", run: func(t *trial) error {
		return t.fault(llmtest.Fault{Kind: llmtest.FaultMalformed}, llm.KindTruncated, llm.KindInvalid) // a relay cannot tell half from none
	}},
	{name: "events of nothing", run: func(t *trial) error {
		return t.fault(llmtest.Fault{Kind: llmtest.FaultEmptyChoices}, llm.KindTruncated)
	}},
	{name: "error in the middle", run: checkMidError},
	{name: "silence before the answer", run: checkHangAtOnce},
	{name: "silence in the answer", run: checkHangInside},
	{name: "nothing listens", run: checkNothingListens},
	{name: "key in no error", needs: []Ability{Keys}, run: checkKeyEchoed},
}

const (
	short = 30 * time.Millisecond // a time-out that is meant to expire
	never = 3_600_000             // ms
)

// fails asks once and returns the failure, which must be of one of the kinds.
func (t *trial) fails(f llmtest.Fault, kinds ...llm.Kind) (*llm.Error, error) {
	_, m, err := t.start(llmtest.Entry{Fault: &f})
	if err != nil {
		return nil, err
	}
	return t.failed(t.ask(m, hello()), kinds...)
}

func (t *trial) fault(f llmtest.Fault, kinds ...llm.Kind) error {
	_, err := t.fails(f, kinds...)
	return err
}

func checkStatuses(t *trial) error {
	kinds := map[int]llm.Kind{
		http.StatusBadRequest: llm.KindInvalid, http.StatusUnauthorized: llm.KindAuth, http.StatusPaymentRequired: llm.KindAuth,
		http.StatusForbidden: llm.KindAuth, http.StatusNotFound: llm.KindInvalid, http.StatusRequestTimeout: llm.KindTransient,
		http.StatusRequestEntityTooLarge: llm.KindOverflow, http.StatusTooManyRequests: llm.KindRateLimited,
		http.StatusInternalServerError: llm.KindTransient, http.StatusBadGateway: llm.KindTransient,
		http.StatusServiceUnavailable: llm.KindTransient, 529: llm.KindTransient,
	}
	var problems []error
	for status, kind := range kinds {
		failure, err := t.fails(llmtest.Fault{Status: status}, kind)
		if err == nil {
			err = errors.Join(same("the status", status, failure.Status), same("the wait", 0, failure.RetryAfter))
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%d: %w", status, err))
		}
	}
	return errors.Join(problems...)
}

func checkRetryAfter(t *trial) error {
	waits := map[llmtest.Fault]time.Duration{
		{Status: 429, RetryAfter: "7"}:      7 * time.Second,
		{Status: 429, RetryAfterMs: 1500}:   1500 * time.Millisecond,
		{Status: 429, RetryAfterDateS: 9}:   9 * time.Second,
		{Status: 429, RetryAfter: "3600"}:   time.Hour,
		{Status: 429, RetryAfter: "soon"}:   0,
		{Status: 503, RetryAfter: "3"}:      3 * time.Second,
		{Status: 529, RetryAfterDateS: 120}: 2 * time.Minute,
		{Status: 500, RetryAfterMs: 250}:    250 * time.Millisecond,
	}
	var problems []error
	for fault, want := range waits {
		failure, err := t.fails(fault, llm.KindRateLimited, llm.KindTransient)
		if err == nil {
			err = same("the wait", want, failure.RetryAfter)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%+v: %w", fault, err))
		}
	}
	return errors.Join(problems...)
}

func checkNoModel(t *trial) error {
	failure, err := t.fails(llmtest.Fault{Kind: llmtest.FaultNoModel}, llm.KindInvalid)
	if err == nil && !strings.Contains(failure.Err.Error(), llmtest.DefaultModel) {
		err = fmt.Errorf("the error does not say which model there is not: %w", failure)
	}
	return err
}

// checkResetWarm resets a connection that was already used for an answer. Go's transport retries such a request if it has an
// Idempotency-Key and a body that can be read twice: then attempts multiply, and the breaker is bypassed.
func checkResetWarm(t *trial) error {
	s, m, err := t.start(llmtest.Entry{Reply: &llmtest.Reply{Text: "a"}}, llmtest.Entry{Fault: &llmtest.Fault{Kind: llmtest.FaultReset}})
	if err != nil {
		return err
	}
	r := hello()
	r.Key = "first"
	if err := t.answered(t.ask(m, r), "a"); err != nil {
		return err
	}
	r.Key = "second"
	_, err = t.failed(t.ask(m, r), llm.KindTransient)
	return errors.Join(same("the number of requests", 2, len(s.script.Requests())), err)
}

func checkWebPage(t *trial) error {
	failure, err := t.fails(llmtest.Fault{Kind: llmtest.FaultHTML}, llm.KindInvalid)
	if err == nil && !strings.Contains(failure.Error(), "login page") {
		err = fmt.Errorf("the error does not say what it may be: %w", failure)
	}
	return err
}

func checkMidError(t *trial) error {
	s, m, err := t.start(llmtest.Entry{Fault: &llmtest.Fault{Kind: llmtest.FaultMidError, AfterBytes: 700}, Reply: &llmtest.Reply{Text: strings.Repeat("half ", 200)}})
	if err != nil {
		return err
	}
	_, err = t.failed(t.ask(m, hello()), llm.KindTransient)
	return errors.Join(err, same("the number of requests", 1, len(s.script.Requests())))
}

func checkHangAtOnce(t *trial) error {
	s, err := t.serveAny(llmtest.Entry{Fault: &llmtest.Fault{Kind: llmtest.FaultHang}})
	if err != nil {
		return err
	}
	answer := t.ask(t.model(s, func(o *wire.Options) { o.HeaderTimeout = short }), hello())
	kind := llm.KindTransient
	if t.way == whole || t.lacks(Streams) {
		kind = llm.KindTruncated // it was at work, perhaps
	}
	_, err = t.failed(answer, kind)
	return err
}

func checkHangInside(t *trial) error {
	s, err := t.serve(llmtest.Entry{Fault: &llmtest.Fault{Kind: llmtest.FaultHang, AfterBytes: 20}})
	if err != nil {
		return err
	}
	m := t.model(s, func(o *wire.Options) { o.IdleTimeout = short })
	answer := t.ask(m, hello())
	<-s.gone
	_, err = t.failed(answer, llm.KindTruncated)
	return err
}

func checkNothingListens(t *trial) error {
	s, err := t.serve()
	if err != nil {
		return err
	}
	s.close()
	_, err = t.failed(t.ask(t.model(s, nil), hello()), llm.KindTransient)
	return err
}

// checkKeyEchoed makes the server repeat the key in all its messages.
func checkKeyEchoed(t *trial) error {
	var problems []error
	for _, status := range []int{400, 401, 403, 404, 413, 429, 500} {
		fault := llmtest.Fault{Status: status, Message: "the request with the key " + key + " failed", Code: key}
		if err := t.fault(fault, llm.KindInvalid, llm.KindAuth, llm.KindOverflow, llm.KindRateLimited, llm.KindTransient); err != nil {
			problems = append(problems, fmt.Errorf("%d: %w", status, err))
		}
	}
	return errors.Join(problems...)
}
