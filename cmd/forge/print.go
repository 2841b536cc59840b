package main

import (
	"fmt"
	"io"

	"forge/engine/event"
	"forge/engine/story"
)

// printer shows a run's events to a person while they happen.
type printer struct {
	out    io.Writer
	teller *story.Teller
}

func newPrinter(out io.Writer) *printer { return &printer{out: out, teller: story.New()} }

// show shows an event. Questions and proposals are not among the lines: they stand on the screen by themselves.
func (p *printer) show(e event.Event) {
	for _, line := range p.teller.Tell(e) {
		if line.Phase != story.Ask && line.Phase != story.Proposal {
			fmt.Fprintf(p.out, "[forge] %s\n", line.Text)
		}
	}
}
