package agent

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/permission"
	"forge/engine/tool"
)

// The tools of each built-in agent exist and fit its isolation; only the worker's also write and leave the machine.
func TestBuiltin_ToolsFitTheIsolation(t *testing.T) {
	t.Parallel()
	for _, a := range Builtin() {
		require.Len(t, a.Set(), len(a.Tools), a.Name)
		require.NotEmpty(t, a.Roles, a.Name)
		for _, one := range a.Set() {
			if a.Acts != permission.Build {
				require.True(t, a.Isolation.holds(one), "%s: %s", a.Name, one.Name)
			}
		}
	}
}

const good = "---\nname: auditor\ndescription: >\n  Looks for\n  unchecked errors\ntools: read_file, search_code\ntier: reasoning\n---\n\nRead all.\n"

func TestRead_ReadsAnAgent(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"": good, "with a BOM and CRLF": "\ufeff" + strings.ReplaceAll(good, "\n", "\r\n")} {
		agents, problems := Read([]File{{Source: ".forge/agents/a.md", Content: []byte(content)}})
		require.Empty(t, problems, name)
		require.Equal(t, []Agent{{
			Name: "auditor", Description: "Looks for unchecked errors", Roles: []Role{{Errands, llm.Reasoning}}, Isolation: ReadOnly, Tools: []string{"read_file", "search_code"},
			Acts: permission.Other, Instructions: "Read all.", Source: ".forge/agents/a.md",
		}}, agents)
	}
	agents, problems := Read([]File{{Source: "x/plain.md", Content: []byte("---\ndescription: d\nisolation: scratch\ntools:\n---\nLook.")}})
	require.Empty(t, problems)
	require.Equal(t, []string{"plain", string(permission.Debug)}, []string{agents[0].Name, string(agents[0].Acts)})
	require.Equal(t, tool.All().Looking().Names(), agents[0].Tools)
}

// Each file that cannot be used is a problem with its place, and the others are read.
func TestRead_RefusesWithThePlace(t *testing.T) {
	t.Parallel()
	head := "---\nname: a\ndescription: d\n"
	for content, want := range map[string]string{
		head + "colour: red\n---\nx":                            `4:1: unknown field "colour"; there are: name, description, tools, tier, isolation`,
		head + "tools: [read_file, fly]\n---\nx":                `4:20: unknown tool "fly"`,
		head + "tools: read_file,  fly\n---\nx":                 `4:20: unknown tool "fly"`,
		head + "tools:\n  - read_file\n  - run_tests\n---\nx":   `6:5: run_tests runs programs, and an agent with the isolation read-only only reads: set isolation: scratch`,
		head + "isolation: scratch\ntools: [web.fetch]\n---\nx": `5:9: web.fetch leaves the machine, and an agent that you add only finds things out`,
		head + "isolation: scratch\ntools: [edit_file]\n---\nx": `5:9: edit_file changes files`,
		head + "tools: [ask_user]\n---\nx":                      `4:9: ask_user asks the user`,
		head + "tools: [grep, grep]\n---\nx":                    `4:15: the tool grep is there twice`,
		head + "tools: [grep, [glob]]\n---\nx":                  `4:15: tools has a value that is not a text`,
		head + "tools: [7]\n---\nx":                             `4:9: tools is not a text; put it in quotes`,
		head + "tools: {a: b}\n---\nx":                          `4:8: tools is not a text; put it in quotes`,
		head + "tier: fast\n---\nx":                             `4:7: unknown tier "fast"; there are: reasoning, generation, summarisation, classification`,
		head + "tier: [reasoning]\n---\nx":                      `4:1: tier is a list: give one text`,
		head + "isolation: none\n---\nx":                        `4:12: unknown isolation "none"; there are: read-only, scratch`,
		head + "name: b\n---\nx":                                `4:1: the field "name" is there twice`,
		head + "tier: &x reasoning\n---\nx":                     `4:7: tier has an anchor, an alias or a tag: those are not read`,
		head + "---\n \n":                                       `4:1: it has no instructions`,
		"---\nname: a\n---\nx":                                  `1:1: it has no description`,
		"---\nname: Ä b\ndescription: d\n---\nx":                `2:7: its name is "Ä b"`,
		"---\nname: worker\ndescription: d\n---\nx":             `2:7: worker is the name of a built-in agent`,
		"---\nname: [\n---\nx":                                  `the front matter is not YAML`,
		"---\n- a\n---\nx":                                      `2:1: the front matter is not a list of fields and values`,
		"no front":                                              `1:1: it does not begin with a front matter`,
		head + "---\nx\xff":                                     `5:2: it is not UTF-8 text`,
		head + "---\n" + strings.Repeat("x", 1<<20):             `1:1: it has more than 65536 bytes`,
		"": `1:1: it does not begin with a front matter`,
	} {
		agents, problems := Read([]File{{Source: "d/a.md", Content: []byte(content)}, {Source: "d/b.md", Content: []byte(good)}})
		require.Len(t, problems, 1, content)
		require.Contains(t, problems[0].String(), "d/a.md:", content)
		require.Contains(t, problems[0].String(), want)
		require.Len(t, agents, 1, content)
	}
}

func TestRead_FirstOfAName(t *testing.T) {
	t.Parallel()
	agents, problems := Read([]File{{Source: "a/x.md", Content: []byte(good)}, {Source: "b/y.md", Content: []byte(good)}})
	require.Len(t, agents, 1)
	require.Equal(t, "a/x.md", agents[0].Source)
	require.Equal(t, "b/y.md:2:7: the name auditor is used already, by a/x.md", problems[0].String())
}

// Only files of the folder itself are read, each up to the limit.
func TestFiles_ReadsOneFolder(t *testing.T) {
	t.Parallel()
	files := Files(Root{Name: "r", FS: fstest.MapFS{
		"a.md": {Data: []byte(good)}, "b.txt": {Data: []byte("no")}, "c.md/x.md": {Data: []byte(good)}, "large.md": {Data: make([]byte, 1<<20)},
	}}, Root{Name: "none", FS: fstest.MapFS{}})
	var sources []string
	for _, f := range files {
		sources = append(sources, f.Source)
		require.LessOrEqual(t, len(f.Content), MaxFile+1)
	}
	require.Equal(t, []string{"r/a.md", "r/c.md", "r/large.md"}, sources)
	require.ErrorIs(t, files[1].Err, errNoFile)
}
