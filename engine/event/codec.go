package event

import (
	"encoding/json"
	"fmt"
	"time"
)

// line is an event as it is kept, one JSON object to a line.
type line struct {
	Run  string          `json:"run"`
	Seq  int             `json:"seq"`
	Time time.Time       `json:"time"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// Unknown is an event of a type that this version does not know: a newer one wrote it.
type Unknown struct {
	Name string
	Raw  json.RawMessage
}

// Type is the name that was written.
func (u Unknown) Type() string { return u.Name }

// MarshalJSON gives what was read.
func (u Unknown) MarshalJSON() ([]byte, error) { return u.Raw, nil }

// Marshal gives an event as one line of JSON, without its end.
func Marshal(e Event) ([]byte, error) {
	data, err := json.Marshal(e.Data)
	if err != nil {
		return nil, fmt.Errorf("write event %d (%s) of run %s: %w", e.Seq, e.Data.Type(), e.RunID, err)
	}
	return json.Marshal(line{e.RunID, e.Seq, e.Time.UTC(), e.Data.Type(), data})
}

// Unmarshal reads a line. An event of a type nobody knows is an Unknown; what is no event is an error.
func Unmarshal(text []byte) (Event, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return Event{}, fmt.Errorf("read an event: %w", err)
	}
	if l.Type == "" || l.Run == "" || l.Seq < 1 {
		return Event{}, fmt.Errorf("read an event: it has no type, no run, or no number")
	}
	data, err := decode(l.Type, l.Data)
	if err != nil {
		return Event{}, fmt.Errorf("read event %d (%s) of run %s: %w", l.Seq, l.Type, l.Run, err)
	}
	return Event{RunID: l.Run, Seq: l.Seq, Time: l.Time, Data: data}, nil
}

func decode(name string, data json.RawMessage) (Data, error) {
	read, known := readers[name]
	if !known {
		return Unknown{Name: name, Raw: data}, nil
	}
	return read(data)
}

// readers has every type of event.
var readers = func() map[string]func(json.RawMessage) (Data, error) {
	all := map[string]func(json.RawMessage) (Data, error){}
	add[RunStarted](all)
	add[RunResumed](all)
	add[FilesSkipped](all)
	add[SecretsRedacted](all)
	add[GraphBuilt](all)
	add[GraphGrown](all)
	add[Planned](all)
	add[NodeChanged](all)
	add[ModelCalled](all)
	add[ToolUsed](all)
	add[BatchWaiting](all)
	add[ModelWarming](all)
	add[ModelWarmed](all)
	add[Spent](all)
	add[GateStarted](all)
	add[GateFinished](all)
	add[Reviewed](all)
	add[AnswerReady](all)
	add[SpecKept](all)
	add[WorkReported](all)
	add[AttemptJudged](all)
	add[TaskClassified](all)
	add[Diagnosed](all)
	add[Learned](all)
	add[Asked](all)
	add[Answered](all)
	add[ProposalReady](all)
	add[RunEnded](all)
	return all
}()

func add[T Data](all map[string]func(json.RawMessage) (Data, error)) {
	var zero T
	all[zero.Type()] = func(data json.RawMessage) (Data, error) {
		var d T
		err := json.Unmarshal(data, &d)
		return d, err
	}
}
