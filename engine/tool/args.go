package tool

// LookArgs are the fields of Args that read-only tools take: the schema of a model that can only read has no others.
type LookArgs struct {
	Path    string   `json:"path,omitempty" jsonschema:"a file or folder, relative to the top of the folder"`
	Start   int      `json:"start,omitempty" jsonschema:"first line, from 1"`
	End     int      `json:"end,omitempty" jsonschema:"last line"`
	Pattern string   `json:"pattern,omitempty" jsonschema:"what to look for"`
	Literal bool     `json:"literal,omitempty" jsonschema:"the pattern is plain text, not a regular expression"`
	Glob    string   `json:"glob,omitempty" jsonschema:"only paths that match, such as **/*.go"`
	Query   string   `json:"query,omitempty" jsonschema:"plain words"`
	Paths   []string `json:"paths,omitempty" jsonschema:"files"`
	Depth   int      `json:"depth,omitempty" jsonschema:"how many steps away"`
	Limit   int      `json:"limit,omitempty" jsonschema:"at most so many"`
	Base    string   `json:"base,omitempty" jsonschema:"what to compare with: base or head"`
	Tags    []string `json:"tags,omitempty" jsonschema:"tags of playbooks"`
}

// SweepArgs are the fields of Args that rename and replace_all take, which change the whole folder.
type SweepArgs struct {
	Symbol     string   `json:"symbol,omitempty" jsonschema:"a name in code"`
	To         string   `json:"to,omitempty" jsonschema:"the new name of a symbol"`
	Path       string   `json:"path,omitempty" jsonschema:"the file in which the symbol stands"`
	Line       int      `json:"line,omitempty" jsonschema:"the line in which the symbol stands"`
	Scope      string   `json:"scope,omitempty" jsonschema:"file or all"`
	Everywhere bool     `json:"everywhere,omitempty" jsonschema:"words in strings, comments and documents too"`
	Find       string   `json:"find,omitempty" jsonschema:"the text to replace wherever it stands"`
	Replace    string   `json:"replace,omitempty" jsonschema:"the text to stand there instead"`
	Paths      []string `json:"paths,omitempty" jsonschema:"files"`
	Word       bool     `json:"word,omitempty" jsonschema:"whole words only"`
	Regexp     bool     `json:"regexp,omitempty" jsonschema:"find is a regular expression"`
	Variants   bool     `json:"variants,omitempty" jsonschema:"other spellings of the name too"`
}

// Args are the same arguments as those of any tool.
func (a SweepArgs) Args() Args {
	return Args{
		Symbol: a.Symbol, To: a.To, Path: a.Path, Line: a.Line, Scope: a.Scope, Everywhere: a.Everywhere, Find: a.Find, Replace: a.Replace,
		Paths: a.Paths, Word: a.Word, Regexp: a.Regexp, Variants: a.Variants,
	}
}

// Args are the same arguments as those of any tool.
func (a LookArgs) Args() Args {
	return Args{
		Path: a.Path, Start: a.Start, End: a.End, Pattern: a.Pattern, Literal: a.Literal, Glob: a.Glob, Query: a.Query, Paths: a.Paths,
		Depth: a.Depth, Limit: a.Limit, Base: a.Base, Tags: a.Tags,
	}
}

// Args are the arguments of every tool: one shape that a model's schema can hold where it may ask for any of them. Each
// tool takes some of them, under the same names and of the same types, as its own Schema says.
type Args struct {
	Path       string   `json:"path,omitempty" jsonschema:"a file or folder, relative to the top of the folder"`
	Paths      []string `json:"paths,omitempty" jsonschema:"files"`
	To         string   `json:"to,omitempty" jsonschema:"the new path of a file, or the new name of a symbol"`
	Start      int      `json:"start,omitempty" jsonschema:"first line, from 1"`
	End        int      `json:"end,omitempty" jsonschema:"last line"`
	Pattern    string   `json:"pattern,omitempty" jsonschema:"what to look for"`
	Literal    bool     `json:"literal,omitempty" jsonschema:"the pattern is plain text, not a regular expression"`
	Glob       string   `json:"glob,omitempty" jsonschema:"only paths that match, such as **/*.go"`
	Query      string   `json:"query,omitempty" jsonschema:"plain words"`
	Depth      int      `json:"depth,omitempty" jsonschema:"how many steps away"`
	Limit      int      `json:"limit,omitempty" jsonschema:"at most so many"`
	Base       string   `json:"base,omitempty" jsonschema:"what to compare with: base or head"`
	Tags       []string `json:"tags,omitempty" jsonschema:"tags of playbooks"`
	Content    string   `json:"content,omitempty" jsonschema:"the whole text of a file"`
	Search     string   `json:"search,omitempty" jsonschema:"the text to replace, whole lines, exactly as they stand in the file"`
	Replace    string   `json:"replace,omitempty" jsonschema:"the text to stand there instead"`
	Patch      string   `json:"patch,omitempty" jsonschema:"a V4A patch"`
	Symbol     string   `json:"symbol,omitempty" jsonschema:"a name in code"`
	Line       int      `json:"line,omitempty" jsonschema:"the line in which the symbol stands"`
	Scope      string   `json:"scope,omitempty" jsonschema:"file or all"`
	Everywhere bool     `json:"everywhere,omitempty" jsonschema:"words in strings, comments and documents too"`
	Find       string   `json:"find,omitempty" jsonschema:"the text to replace wherever it stands"`
	Word       bool     `json:"word,omitempty" jsonschema:"whole words only"`
	Regexp     bool     `json:"regexp,omitempty" jsonschema:"find is a regular expression"`
	Variants   bool     `json:"variants,omitempty" jsonschema:"other spellings of the name too"`
	Argv       []string `json:"argv,omitempty" jsonschema:"a program and its arguments, one string each"`
	Question   string   `json:"question,omitempty" jsonschema:"what to ask the user"`
	Choices    []string `json:"choices,omitempty" jsonschema:"answers to choose from, the most careful first"`
	URL        string   `json:"url,omitempty" jsonschema:"an https address"`
	Input      string   `json:"input,omitempty" jsonschema:"the arguments of a tool of an MCP server: a JSON object, as a text"`
}
