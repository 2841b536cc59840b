package llmtest

// anthropicSpeech collects the events of one answer (https://docs.anthropic.com/en/docs/build-with-claude/streaming).
type anthropicSpeech struct {
	wire   Wire
	frames []frame
	blocks int
}

func (s *anthropicSpeech) say(typ string, event fields) *frame {
	event["type"] = typ
	s.frames = append(s.frames, s.wire.event(typ, encode(event)))
	return &s.frames[len(s.frames)-1]
}

// open begins a block and returns its index.
func (s *anthropicSpeech) open(block fields) int {
	index := s.blocks
	s.blocks++
	s.say("content_block_start", fields{"index": index, "content_block": block})
	return index
}

func (s *anthropicSpeech) add(index int, typ, field, text string) *frame {
	return s.say("content_block_delta", fields{"index": index, "delta": fields{"type": typ, field: text}})
}

func (s *anthropicSpeech) close(index int) { s.say("content_block_stop", fields{"index": index}) }

func (f anthropic) stream(a answer) []frame {
	a = f.inTool(a)
	s := &anthropicSpeech{wire: a.wire}
	begun := a
	begun.usage.Output = 1
	s.say("message_start", fields{"message": f.message(begun, []fields{}, nil)}).delay = a.delay
	s.say("ping", fields{})
	s.think(a.thinking)
	s.text(a)
	first := s.blocks
	a.deal(func(_ int, c call) { s.open(fields{"type": "tool_use", "id": c.id, "name": c.name, "input": fields{}}) },
		func(i int, piece string) { s.add(first+i, "input_json_delta", "partial_json", piece) },
		func(i int) { s.close(first + i) })
	stop := fields{"stop_reason": f.stopReason(a), "stop_sequence": nil}
	s.say("message_delta", fields{"delta": stop, "usage": f.usage(a.usage)}).finish = a.finish
	s.say("message_stop", fields{})
	return s.frames
}

func (s *anthropicSpeech) think(thought string) {
	if thought == "" {
		return
	}
	index := s.open(fields{"type": "thinking", "thinking": "", "signature": ""})
	for _, part := range cut(thought) {
		s.add(index, "thinking_delta", "thinking", part)
	}
	s.add(index, "signature_delta", "signature", signature)
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
	index := s.open(fields{"type": "text", "text": ""})
	for _, piece := range pieces {
		s.add(index, "text_delta", "text", piece.Delta).delay = milliseconds(piece.DelayMs)
	}
	s.close(index)
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
