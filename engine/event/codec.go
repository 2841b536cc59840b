package event

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"time"
)

// line is an event in its file, one JSON object per line.
type line struct {
	Run  string          `json:"run"`
	Seq  int             `json:"seq"`
	Time time.Time       `json:"time"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// Unknown is an event of a type that this version does not know: a newer version wrote it.
type Unknown struct {
	Name string
	Raw  json.RawMessage
}

// Type returns the name in the file.
func (u Unknown) Type() string { return u.Name }

// MarshalJSON returns the JSON that was read.
func (u Unknown) MarshalJSON() ([]byte, error) { return u.Raw, nil }

// Marshal returns an event as one line of JSON, without the newline.
func Marshal(e Event) ([]byte, error) {
	data, err := json.Marshal(e.Data)
	if err != nil {
		return nil, fmt.Errorf("write event %d (%s) of run %s: %w", e.Seq, e.Data.Type(), e.RunID, err)
	}
	return json.Marshal(line{e.RunID, e.Seq, e.Time.UTC(), e.Data.Type(), data})
}

// Unmarshal reads a line. An event of an unknown type is an Unknown; a line that is not an event is an error.
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

func decode(name string, text json.RawMessage) (Data, error) {
	of, known := readers()[name]
	if !known {
		return Unknown{Name: name, Raw: text}, nil
	}
	data := reflect.New(of)
	if err := json.Unmarshal(text, data.Interface()); err != nil {
		return nil, err
	}
	if d, older := data.Interface().(completed); older {
		d.complete()
	}
	return data.Elem().Interface().(Data), nil //nolint:errcheck,forcetypeassert // it is of a type in Types
}

// readers decode the data of an event, by its type.
var readers = sync.OnceValue(func() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, d := range Types() {
		all[d.Type()] = reflect.TypeOf(d)
	}
	return all
})

// completed is data with fields that files of older versions do not have.
type completed interface{ complete() }
