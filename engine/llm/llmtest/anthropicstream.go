package llmtest

// anthropicEvent is one event of a stream (https://docs.anthropic.com/en/docs/build-with-claude/streaming).
type anthropicEvent struct {
	Type    string          `json:"type"`
	Message *message        `json:"message,omitempty"`
	Index   *int            `json:"index,omitempty"`
	Block   *block          `json:"content_block,omitempty"`
	Delta   any             `json:"delta,omitempty"`
	Usage   *anthropicUsage `json:"usage,omitempty"`
}

// stopDelta is how a streamed answer ends.
type stopDelta struct {
	StopReason   string  `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
}

// anthropicSpeech collects the events of one answer.
type anthropicSpeech struct {
	wire   Wire
	frames []frame
	blocks int
}

func (s *anthropicSpeech) say(e anthropicEvent) *frame {
	s.frames = append(s.frames, s.wire.event(e.Type, encode(e)))
	return &s.frames[len(s.frames)-1]
}

// open begins a block and returns its index.
func (s *anthropicSpeech) open(b block) int {
	index := s.blocks
	s.blocks++
	s.say(anthropicEvent{Type: "content_block_start", Index: &index, Block: &b})
	return index
}

func (s *anthropicSpeech) add(index int, b block) *frame {
	return s.say(anthropicEvent{Type: "content_block_delta", Index: &index, Delta: b})
}

func (s *anthropicSpeech) close(index int) {
	s.say(anthropicEvent{Type: "content_block_stop", Index: &index})
}

func (f anthropic) stream(a answer) []frame {
	a = f.inTool(a)
	s := &anthropicSpeech{wire: a.wire}
	start, counted := f.message(a), f.message(a).Usage
	start.Usage.Output = 1
	s.say(anthropicEvent{Type: "message_start", Message: &start}).delay = a.delay
	s.say(anthropicEvent{Type: "ping"})
	s.think(a.thinking)
	s.text(a)
	s.use(a)
	s.say(anthropicEvent{Type: "message_delta", Delta: stopDelta{StopReason: f.stopReason(a)}, Usage: &counted}).finish = a.finish
	s.say(anthropicEvent{Type: "message_stop"})
	return s.frames
}

func (s *anthropicSpeech) think(thought string) {
	if thought == "" {
		return
	}
	empty, signature := "", "c2lnbmVk"
	index := s.open(block{Type: "thinking", Thinking: &empty, Signature: &empty})
	for _, part := range cut(thought) {
		s.add(index, block{Type: "thinking_delta", Thinking: &part})
	}
	s.add(index, block{Type: "signature_delta", Signature: &signature})
	s.close(index)
}

func (s *anthropicSpeech) text(a answer) {
	pieces := a.pieces
	if a.refusal != "" {
		pieces = append(pieces[:len(pieces):len(pieces)], Piece{Delta: a.refusal})
	}
	if len(pieces) == 0 {
		return
	}
	empty := ""
	index := s.open(block{Type: "text", Text: &empty})
	for _, piece := range pieces {
		s.add(index, block{Type: "text_delta", Text: &piece.Delta}).delay = milliseconds(piece.DelayMs)
	}
	s.close(index)
}

func (s *anthropicSpeech) use(a answer) {
	var arguments []string
	for _, c := range a.calls {
		arguments = append(arguments, c.arguments)
	}
	first := s.blocks
	begin := func(c call) { s.open(block{Type: "tool_use", ID: c.id, Name: c.name, Input: []byte("{}")}) }
	add := func(index int, piece string) { s.add(index, block{Type: "input_json_delta", Partial: &piece}) }
	if a.wire.Interleave {
		for _, c := range a.calls {
			begin(c)
		}
		turns(arguments, true, func(i int, piece string) { add(first+i, piece) })
		for i := range a.calls {
			s.close(first + i)
		}
		return
	}
	for i, c := range a.calls {
		begin(c)
		for _, piece := range cut(c.arguments) {
			add(first+i, piece)
		}
		s.close(first + i)
	}
}

func (anthropic) malformed(w Wire) frame {
	return w.event("content_block_delta", []byte(`{"type":"content_block_delta","index":0,"delta":{`))
}

func (anthropic) empty(w Wire) []frame {
	ping := w.event("ping", []byte(`{"type":"ping"}`))
	return []frame{ping, ping}
}

func (anthropic) broken(w Wire) frame {
	return w.event("error", []byte(`{"type":"error","error":{"type":"api_error","message":"scripted fault: a server error"}}`))
}
