package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// row is one line of the table: a figure of both servers and what it should be.
type row struct {
	name  string
	unit  string
	forge value
	gopls value
	goals []goal
}

// value is a figure, or why there is none.
type value struct {
	number float64
	none   string // not empty: there is no number
}

func number(n float64) value {
	if math.IsNaN(n) {
		return value{none: "not measured"}
	}
	return value{number: n}
}

// missing is a value of a server that cannot do what is measured.
var missing = value{none: "not there"}

// goal is what a row promises.
type goal struct {
	text string
	met  func(r row) bool
}

// atMost promises a figure of Forge alone, in the row's unit.
func atMost(limit float64) goal {
	return goal{fmt.Sprintf("≤ %g", limit), func(r row) bool { return r.forge.number <= limit }}
}

// atMostOf promises a share of what gopls takes.
func atMostOf(share float64) goal {
	return goal{fmt.Sprintf("≤ %g × gopls", share), func(r row) bool {
		return r.gopls.none == "" && r.forge.number <= share*r.gopls.number
	}}
}

// verdict is met, MISSED, or empty where nothing was promised. What is not there keeps no promise.
func (r row) verdict() string {
	if len(r.goals) == 0 {
		return ""
	}
	for _, g := range r.goals {
		if r.forge.none != "" || !g.met(r) {
			return "MISSED"
		}
	}
	return "met"
}

// ratio is Forge's figure over that of gopls.
func (r row) ratio() string {
	if r.forge.none != "" || r.gopls.none != "" || r.gopls.number == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", r.forge.number/r.gopls.number)
}

func (v value) String() string {
	switch {
	case v.none != "":
		return v.none
	case v.number >= 1000:
		return fmt.Sprintf("%.0f", v.number)
	case v.number >= 100:
		return fmt.Sprintf("%.1f", v.number)
	}
	return fmt.Sprintf("%.2f", v.number)
}

const columns = "%-36s %12s %12s %12s  %-24s %s\n"

func printHead(w io.Writer) {
	fmt.Fprintf(w, columns, "", "forge", "gopls", "forge/gopls", "goal", "")
}

func (r row) render(w io.Writer) {
	promised := make([]string, len(r.goals))
	for i, g := range r.goals {
		promised[i] = g.text
	}
	line := fmt.Sprintf(columns, r.name+", "+r.unit, r.forge, r.gopls, r.ratio(), strings.Join(promised, ", "), r.verdict())
	fmt.Fprintln(w, strings.TrimRight(line, " \n"))
}

// latency makes the rows of a duration: the median and the 95th percentile.
func latency(name string, p pair, p50, p95 []goal) []row {
	at := func(percent float64, goals []goal) row {
		return row{
			name: fmt.Sprintf("%s p%g", name, percent), unit: "ms", goals: goals,
			forge: number(p.forge.percentile(percent)), gopls: number(p.gopls.percentile(percent)),
		}
	}
	return []row{at(50, p50), at(95, p95)}
}
