package agent

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"forge/engine/llm"
	"forge/engine/permission"
	"forge/engine/prompt"
	"forge/engine/tool"
	"forge/internal/inert"
	"forge/internal/lazyregexp"
)

// Folder is where a workspace folder has its own agents.
const Folder = ".forge/agents"

// MaxFile is the largest size of an agent file, in bytes.
const MaxFile = 64 << 10

// The limits of an agent file, and of a folder of them.
const (
	maxDescription = 300 // bytes
	maxTools       = 20
	maxQuoted      = 40  // bytes of a wrong value in an error
	maxFiles       = 100 // agents of a folder
)

var names = lazyregexp.New(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// Problem is an agent file that cannot be used.
type Problem struct {
	Source string
	Place  prompt.Place // zero if the whole file is meant
	Reason string
}

// String returns the problem for users: ".forge/agents/audit.md:3:8: …".
func (p Problem) String() string {
	if p.Place == (prompt.Place{}) {
		return p.Source + ": " + p.Reason
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.Source, p.Place.Line, p.Place.Column, p.Reason)
}

// File is a file that may describe an agent.
type File struct {
	Source  string // its path, for users
	Content []byte
	Err     error // why it cannot be read
}

// Read returns the agents of files, by the order of the files. Of two with one name the first is used, and the other is a problem.
func Read(files []File) (agents []Agent, problems []Problem) {
	by := map[string]string{} // name -> source
	for _, file := range files {
		a, named, err := parse(file)
		if first, taken := by[a.Name]; err == nil && taken {
			err = named.Wrong("the name %s is used already, by %s", a.Name, first)
		}
		if err != nil {
			problems = append(problems, problemOf(file.Source, err))
			continue
		}
		by[a.Name] = file.Source
		agents = append(agents, a)
	}
	return agents, problems
}

func problemOf(source string, err error) Problem {
	var placed *prompt.PlaceError
	if errors.As(err, &placed) {
		return Problem{source, placed.Place, placed.Reason}
	}
	return Problem{Source: source, Reason: err.Error()}
}

// parse reads the agent of a file, and returns where its name is.
func parse(file File) (a Agent, named prompt.Place, err error) {
	if file.Err != nil {
		return a, named, file.Err
	}
	front, err := prompt.ReadFront(file.Content, MaxFile)
	if err != nil {
		return a, named, err
	}
	a = Agent{
		Name: strings.TrimSuffix(path.Base(file.Source), ".md"), Isolation: ReadOnly, Roles: []Role{{Name: Errands}}, Acts: permission.Other,
		Instructions: front.Body, Source: file.Source,
	}
	named = prompt.Place{Line: 1, Column: 1}
	var tools []prompt.Word
	for _, f := range front.Fields {
		if f.Name.Text == "name" && f.Value.Text != "" {
			named = f.Value.Place
		}
		if tools, err = a.set(f, tools); err != nil {
			return a, named, err
		}
	}
	switch {
	case !names.MatchString(a.Name):
		err = named.Wrong("its name is %q: a name has up to 40 lower-case letters, digits, dashes and underscores", inert.Clip(a.Name, maxQuoted))
	case slices.ContainsFunc(Builtin(), func(b Agent) bool { return b.Name == a.Name }):
		err = named.Wrong("%s is the name of a built-in agent: choose another one", a.Name)
	case a.Description == "":
		err = prompt.Place{Line: 1, Column: 1}.Wrong("it has no description: one line that says what to delegate to it")
	case a.Instructions == "":
		err = front.Begin.Wrong("it has no instructions: write below the front matter how the agent works")
	default:
		err = a.equip(tools)
	}
	return a, named, err
}

// set sets one field, and collects the names of tools: they are checked when the isolation is known.
func (a *Agent) set(f prompt.Field, tools []prompt.Word) ([]prompt.Word, error) {
	switch f.Name.Text {
	case "name", "description", "tier", "isolation":
		if f.Many {
			return tools, f.Name.Wrong("%s is a list: give one text", f.Name.Text)
		}
	}
	switch f.Name.Text {
	case "name":
		if f.Value.Text != "" {
			a.Name = f.Value.Text
		}
	case "description":
		a.Description = strings.Join(strings.Fields(f.Value.Text), " ")
		if len(a.Description) > maxDescription {
			return tools, f.Value.Wrong("the description has %d bytes: at most %d are shown", len(a.Description), maxDescription)
		}
	case "tier":
		return tools, a.setTier(f.Value)
	case "isolation":
		if f.Value.Text != "" && !slices.Contains(Isolations(), Isolation(f.Value.Text)) {
			return tools, f.Value.Wrong("unknown isolation %q; there are: %s, %s", inert.Clip(f.Value.Text, maxQuoted), ReadOnly, Scratch)
		}
		if Isolation(f.Value.Text) == Scratch {
			a.Isolation, a.Acts = Scratch, permission.Debug
		}
	case "tools":
		if f.Many {
			return f.List, nil
		}
		return wordsOf(f.Value), nil
	default:
		return tools, f.Name.Wrong("unknown field %q; there are: name, description, tools, tier, isolation", inert.Clip(f.Name.Text, maxQuoted))
	}
	return tools, nil
}

func (a *Agent) setTier(w prompt.Word) error {
	tiers := []llm.Tier{llm.Reasoning, llm.Generation, llm.Summarisation, llm.Classification}
	if w.Text != "" && !slices.Contains(tiers, llm.Tier(w.Text)) {
		return w.Wrong("unknown tier %q; there are: %s, %s, %s, %s", inert.Clip(w.Text, maxQuoted), tiers[0], tiers[1], tiers[2], tiers[3])
	}
	a.Roles[0].Tier = llm.Tier(w.Text)
	return nil
}

// wordsOf splits a text at commas, and keeps the places.
func wordsOf(w prompt.Word) (words []prompt.Word) {
	column := w.Column
	for part := range strings.SplitSeq(w.Text, ",") {
		text := strings.TrimSpace(part)
		if text != "" {
			words = append(words, prompt.Word{Place: prompt.Place{Line: w.Line, Column: column + strings.Index(part, text)}, Text: text})
		}
		column += len(part) + 1
	}
	return words
}

// equip gives the agent its tools, if there are such tools and its isolation holds them. Without any it has those that only read.
func (a *Agent) equip(words []prompt.Word) error {
	if len(words) > maxTools {
		return words[maxTools].Wrong("an agent has at most %d tools", maxTools)
	}
	for _, w := range words {
		t, known := tool.All().Named(w.Text)
		switch {
		case !known:
			return w.Wrong("unknown tool %q; forge agents show worker and forge agents show explorer list all", inert.Clip(w.Text, maxQuoted))
		case slices.Contains(a.Tools, t.Name):
			return w.Wrong("the tool %s is there twice", t.Name)
		case !a.Isolation.holds(t):
			return w.Wrong("%s", a.tooMuch(t))
		}
		a.Tools = append(a.Tools, t.Name)
	}
	if len(words) == 0 {
		a.Tools = tool.All().Looking().Names()
	}
	return nil
}

// tooMuch returns why a user's agent may not have a tool.
func (a *Agent) tooMuch(t tool.Tool) string {
	if t.Effect == permission.Exec {
		return fmt.Sprintf("%s runs programs, and an agent with the isolation %s only reads: set isolation: %s", t.Name, ReadOnly, Scratch)
	}
	why := map[permission.Effect]string{permission.Write: "changes files", permission.Network: "leaves the machine"}[t.Effect]
	if t.AnsweredByUser {
		why = "asks the user"
	}
	return fmt.Sprintf("%s %s, and an agent that you add only finds things out", t.Name, why)
}

// Root is a folder of agent files: its files that end in .md, and none below.
type Root struct {
	FS    fs.FS
	Name  string // for users: "~/.forge/agents"
	Links bool   // links to files are followed; else they are problems
}

// Files reads the agent files of folders, in the order of the folders and of their names. A missing folder has none.
func Files(roots ...Root) (files []File) {
	for _, root := range roots {
		entries, err := fs.ReadDir(root.FS, ".")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			files = append(files, File{Source: root.Name, Err: err})
		}
		for _, e := range entries {
			switch {
			case !strings.HasSuffix(e.Name(), ".md"):
			case len(files) == maxFiles:
				return append(files, File{Source: root.Name, Err: fmt.Errorf("there are too many agents: %d are read", maxFiles)})
			default:
				content, err := root.read(e)
				files = append(files, File{root.Name + "/" + e.Name(), content, err})
			}
		}
	}
	return files
}

// errNoFile is the error for a folder, a pipe, a device or a link.
var errNoFile = errors.New("it is not a regular file")

// read reads a file, but for one that is not regular: a pipe would block.
func (r Root) read(e fs.DirEntry) ([]byte, error) {
	if !e.Type().IsRegular() && (!r.Links || e.Type()&fs.ModeSymlink == 0) {
		return nil, errNoFile
	}
	if info, err := fs.Stat(r.FS, e.Name()); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errNoFile)
	}
	opened, err := r.FS.Open(e.Name())
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }() // only read
	return io.ReadAll(io.LimitReader(opened, MaxFile+1))
}

// Within returns the folder of the agents of a workspace folder. Links lead out of the snapshots in which runs read it, and are not followed.
func Within(folder fs.FS) (Root, error) {
	own, err := fs.Sub(folder, Folder)
	return Root{FS: own, Name: Folder}, err
}
