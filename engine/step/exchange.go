package step

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"forge/engine/flow"
	"forge/engine/llm"
)

// Exchange is one call of a model in a run, with its answer, as the journal of the run has it. The journal has the hash of the
// request and not its text.
type Exchange struct {
	Number int // from 1, in the order in which the run began its calls
	Place
	Purpose   string // what was asked for, such as "implementation" or "review"
	Round     int    // 0 is the call itself; higher numbers are repairs of an unusable answer
	Started   time.Time
	Answer    *llm.Response // nil without an answer
	Failure   *flow.Failure // why there is no answer; nil if there is one, or if the call has not ended
	Forgotten bool          // a retry of the run has replaced it

	Seq int64 // of its step in the journal
}

// ExchangesOf lists the calls of models in a journal. An answer that this version cannot decode counts as missing.
func ExchangesOf(steps []flow.Step) []Exchange {
	var all []Exchange
	for _, s := range steps {
		if s.Do != ActivityModel.Name {
			continue
		}
		x := Exchange{
			Number: len(all) + 1, Place: Place{Node: s.Node, Attempt: s.Attempt},
			Started: s.Started, Failure: s.Failure, Forgotten: s.Forgotten, Seq: s.Seq,
		}
		x.Purpose, x.Round = purposeOf(s.Name)
		var answer llm.Response
		if s.Output != nil && json.Unmarshal(s.Output, &answer) == nil {
			x.Answer = &answer
		}
		all = append(all, x)
	}
	return all
}

// smaller ends the name of a step that repeats a request which was too large for the model, once for each repetition.
const smaller = "/smaller"

// purposeOf splits the name of a model step, such as "implementation/1", into what it asks for and the number of the repair.
func purposeOf(name string) (purpose string, round int) {
	purpose, _, small := strings.Cut(name, smaller)
	if i := strings.LastIndexByte(purpose, '/'); i > 0 {
		if n, err := strconv.Atoi(purpose[i+1:]); err == nil {
			purpose, round = purpose[:i], n
		}
	}
	if small {
		purpose += " (shortened)"
	}
	return purpose, round
}

// WithoutSecrets returns the exchange with its answer and its failure as plain returns them.
func (x Exchange) WithoutSecrets(plain func(string) string) Exchange {
	if x.Failure != nil {
		x.Failure = &flow.Failure{Kind: x.Failure.Kind, Message: plain(x.Failure.Message)}
	}
	if x.Answer != nil {
		answer := *x.Answer
		answer.Text = plain(answer.Text)
		x.Answer = &answer
	}
	return x
}

// Sum is what the calls of one node have used together.
type Sum struct {
	Node    string
	Calls   int
	Usage   llm.Usage
	Cost    llm.Cost
	Elapsed time.Duration
}

// SumByNode adds up exchanges by their nodes, in the order of their first calls.
func SumByNode(all []Exchange) (sums []Sum) {
	for _, x := range all {
		i := slices.IndexFunc(sums, func(s Sum) bool { return s.Node == x.Node })
		if i < 0 {
			i, sums = len(sums), append(sums, Sum{Node: x.Node})
		}
		s := &sums[i]
		s.Calls++
		if x.Answer != nil {
			s.Usage, s.Cost, s.Elapsed = s.Usage.Add(x.Answer.Usage), s.Cost.Add(x.Answer.Cost), s.Elapsed+x.Answer.Latency
		}
	}
	return sums
}
