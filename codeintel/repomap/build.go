package repomap

import (
	"strings"
	"unicode/utf8"
)

// Map makes the map of a request.
func (m *Mapper) Map(request Request) Map {
	return m.mapWithout(request, make([]bool, len(m.documents)))
}

// mapWithout makes a map without the documents that are marked.
func (m *Mapper) mapWithout(request Request, seen []bool) Map {
	if request.Budget <= 0 {
		return Map{}
	}
	files := m.found(request, seen)
	all := len(files) < outlined
	if all {
		files = append(files, m.others(files, seen)...)
	}
	outlines := files[:min(len(files), outlined)]
	p := m.newPicture(outlines)
	room := request.Budget * charactersPerToken
	room, fits := p.take(m.wish(request).stepsOf(outlines, room), room)
	if !fits {
		return p.draw()
	}
	if !all { // who asks for so little that it never shows need not wait for them
		files = append(files, m.others(files, seen)...)
	}
	p.list(m, files[len(outlines):], room)
	return p.draw()
}

// picture is what a map shows.
type picture struct {
	files  []*catalog
	levels [][]level // of each file that is shown one for each entry, or an empty slice if it has none; else nil
	rest   []string  // bare paths behind them
}

func (m *Mapper) newPicture(files []int32) *picture {
	p := &picture{levels: make([][]level, len(files))}
	for _, number := range files {
		p.files = append(p.files, m.catalog(number))
	}
	return p
}

// take takes steps as long as there is room, and returns what is left of it and whether all of them fitted.
func (p *picture) take(steps []step, room int) (int, bool) {
	for _, s := range steps {
		if s.cost > room {
			return 0, false
		}
		room -= s.cost
		if s.level == opened {
			p.levels[s.file] = make([]level, len(p.files[s.file].entries))
		}
		if s.entry >= 0 {
			p.levels[s.file][s.entry] = s.level
		}
	}
	return room, true
}

// list adds bare paths as long as there is room.
func (p *picture) list(m *Mapper, files []int32, room int) {
	for _, number := range files {
		path := oneLine(m.documents[number].Path)
		room -= utf8.RuneCountInString(path) + len("\n")
		if room < 0 {
			return
		}
		p.rest = append(p.rest, path)
	}
}

func (p *picture) draw() Map {
	var drawn Map
	var out strings.Builder
	for i, file := range p.files {
		if p.levels[i] == nil {
			continue
		}
		out.WriteString(file.path + "\n")
		if len(file.entries) == 0 {
			drawn.Paths = append(drawn.Paths, file.path)
			continue
		}
		drawn.Files = append(drawn.Files, file.path)
		file.draw(&out, p.levels[i])
	}
	for _, path := range p.rest {
		out.WriteString(path + "\n")
	}
	drawn.Paths = append(drawn.Paths, p.rest...)
	drawn.Text = out.String()
	drawn.Tokens = Tokens(drawn.Text)
	return drawn
}

// draw writes the lines of a file's symbols: signatures, then the names that have none.
func (c *catalog) draw(out *strings.Builder, levels []level) {
	var names []string
	for i := range c.entries {
		switch levels[i] {
		case signed:
			for _, signature := range c.entries[i].signatures {
				out.WriteString("  " + signature + "\n")
			}
		case opened, named:
			names = append(names, c.entries[i].name)
		case hidden:
		}
	}
	if len(names) > 0 {
		out.WriteString("  " + strings.Join(names, ", ") + "\n")
	}
}
