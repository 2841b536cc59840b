package prompt

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestSkill_Parse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, text string
		want       Skill
	}{
		"the format": {"tdd/SKILL.md", "---\nname: tdd\ndescription: Test-driven development workflow\ncategory: code\n---\n# TDD Skill\n\n1. Red\n",
			Skill{Name: "tdd", Description: "Test-driven development workflow", Category: "code", Body: "# TDD Skill\n\n1. Red"}},
		"line ends of Windows": {"a/SKILL.md", "\ufeff---\r\nname: a\r\n---\r\nx\r\n", Skill{Name: "a", Body: "x"}},
		"named by its folders": {"software/api/rest/SKILL.md", "---\ndescription: d\n---\nx", Skill{Name: "rest", Category: "software/api", Description: "d", Body: "x"}},
		"fields of others":     {"a/SKILL.md", "---\nname: a\nversion: 1.2\nmetadata: {tags: [x]}\n---\nx", Skill{Name: "a", Body: "x"}},
		"no body":              {"a/SKILL.md", "---\nname: a\ndescription: d\n---", Skill{Name: "a", Description: "d"}},
		"an empty field":       {"a/SKILL.md", "---\nname:\ncategory:\n---\nx", Skill{Name: "a", Body: "x"}},
		"a long description":   {"a/SKILL.md", "---\nname: a\ndescription: >\n  one\n  two\u202e\n---\nx", Skill{Name: "a", Description: "one two", Body: "x"}},
		"a line in the body":   {"a/SKILL.md", "---\nname: a\n---\nx\n---\nname: b\n---\n", Skill{Name: "a", Body: "x\n---\nname: b\n---"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.want.Source = "~/" + c.path
			got, err := ParseSkill(c.path, "~/"+c.path, []byte(c.text))
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(c.want, got))
		})
	}
}

// An invalid skill is refused with a message for its author.
func TestSkill_ParseRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, says string }{
		"no front matter":    {"# TDD\n", "does not begin with a front matter"},
		"no end":             {"---\nname: a\n", "has no end"},
		"no YAML":            {"---\nname: [a\n---\nx", "is not YAML"},
		"a list":             {"---\n- a\n---\nx", "not a list of fields"},
		"a name of two":      {"---\nname: a b\n---\nx", `its name is "a b"`},
		"a path for a name":  {"---\nname: ../../etc\n---\nx", "its name is"},
		"a name of lines":    {"---\nname: \"a\\n## Task\"\n---\nx", "its name is"},
		"a number":           {"---\nname: 1\n---\nx", "name is not a text"},
		"a list for a name":  {"---\nname: [a]\n---\nx", "name is not a text"},
		"a field twice":      {"---\nname: a\nname: b\n---\nx", "name"},
		"an anchor":          {"---\nname: &x a\n---\nx", "an anchor, an alias or a tag"},
		"a bomb":             {"---\na: &a [x,x]\nb: &b [*a,*a]\nname: a\n---\nx", "an anchor, an alias or a tag"},
		"a tag":              {"---\nname: !!binary aGk=\n---\nx", "an anchor, an alias or a tag"},
		"bytes":              {"---\nname: a\n---\n\xff\xfe", "not UTF-8 text"},
		"a zero":             {"---\nname: a\n---\nx\x00", "not UTF-8 text"},
		"a large front":      {"---\nx: " + strings.Repeat("a", maxFront) + "\n---\nx", "at most 8192 are read"},
		"a large file":       {"---\nname: a\n---\n" + strings.Repeat("a", MaxSkillFile), "at most 65536"},
		"nothing":            {"---\nname: a\n---\n", "it is empty"},
		"a hostile category": {"---\nname: a\ncategory: \"x\\ny\"\n---\nx", "its category is"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseSkill("a/SKILL.md", "a/SKILL.md", []byte(c.text))
			require.ErrorContains(t, err, c.says)
			require.Less(t, len(err.Error()), 400)
			require.NotContains(t, err.Error(), "yaml.")
		})
	}
}

func TestSkill_FindTakesTheFirstOfAName(t *testing.T) {
	t.Parallel()
	workspace := fstest.MapFS{
		"tdd/SKILL.md":       file("---\nname: tdd\n---\nthe folder's"),
		"bad/SKILL.md":       file("no front matter"),
		"deep/er/x/SKILL.md": file("---\nname: x\n---\nx"),
		".git/a/SKILL.md":    file("---\nname: hidden\n---\nx"),
		"notes/README.md":    file("---\nname: readme\n---\nx"),
	}
	person := fstest.MapFS{"TDD/SKILL.md": file("---\nname: TDD\n---\nthe person's"), "own/SKILL.md": file("---\nname: own\n---\nx")}
	found, problems := FindSkills(SkillRoot{workspace, ".forge/skills"}, SkillRoot{person, "~/.forge/skills"}, SkillRoot{fstest.MapFS{}, "~/.hermes/skills"})
	var names []string
	for _, s := range found {
		names = append(names, s.Name+" "+s.Source)
	}
	require.Equal(t, []string{"own ~/.forge/skills/own/SKILL.md", "tdd .forge/skills/tdd/SKILL.md", "x .forge/skills/deep/er/x/SKILL.md"}, names)
	require.Len(t, problems, 1, "a bad skill is reported, and keeps no other out")
	require.Equal(t, ".forge/skills/bad/SKILL.md", problems[0].Source)
}

func TestSkill_FindEnds(t *testing.T) {
	t.Parallel()
	many := fstest.MapFS{}
	for i := range maxSkills + 10 {
		many[strings.Repeat("a", 1+i%30)+string(rune('a'+i/30))+"/SKILL.md"] = file("---\ndescription: d\n---\n")
	}
	found, problems := FindSkills(SkillRoot{many, "many"})
	require.LessOrEqual(t, len(found), maxSkills)
	require.Len(t, problems, 1)
	require.Contains(t, problems[0].Reason, "too many files")
	deep := fstest.MapFS{strings.Repeat("d/", maxDepth+2) + "SKILL.md": file("---\nname: a\n---\nx")}
	found, _ = FindSkills(SkillRoot{deep, "deep"})
	require.Empty(t, found)
}

func TestSkill_Match(t *testing.T) {
	t.Parallel()
	all := []Skill{
		{Name: "api", Category: "planning/api"}, {Name: "code", Category: "x"}, {Name: "go", Category: "code"},
		{Name: "plan", Category: "planning"}, {Name: "tdd", Category: "code/tests"},
	}
	for name, c := range map[string]struct{ kinds, want []string }{
		"an exact name":            {[]string{"code"}, []string{"code"}},
		"a category":               {[]string{"planning"}, []string{"api", "plan"}},
		"the beginning of one":     {[]string{"plan"}, []string{"plan"}},
		"a prefix":                 {[]string{"planni"}, []string{"api", "plan"}},
		"several, in their order":  {[]string{"tdd", "code"}, []string{"tdd", "code"}},
		"none twice":               {[]string{"tdd", "TDD"}, []string{"tdd"}},
		"none":                     {[]string{"cooking"}, nil},
		"nothing matches nothing":  {[]string{""}, nil},
		"not in the middle of one": {[]string{"tests"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, s := range MatchSkills(all, c.kinds...) {
				got = append(got, s.Name)
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestSkill_Line(t *testing.T) {
	t.Parallel()
	require.Equal(t, "[skill:tdd] Tests first", Skill{Name: "tdd", Description: "Tests first"}.Line())
	require.Equal(t, "[skill:tdd]", Skill{Name: "tdd"}.Line())
}

// No file makes the parser panic, and what it takes can stand in a list of a prompt.
func FuzzSkill_Parse(f *testing.F) {
	for _, seed := range []string{
		"---\nname: tdd\ndescription: d\ncategory: code\n---\nx", "---\n---\n", "---\n? [a]: b\n---\nx", "---\nname: |\n  a\n---\nx",
		"---\n&a a: *a\n---\n", "---\n{name: a, description: !x y}\n---\nx", "---\n" + strings.Repeat("[", 2000) + "\n---\nx", "---\n<<: {name: a}\n---\nx",
	} {
		f.Add("a/b/SKILL.md", seed)
	}
	f.Fuzz(func(t *testing.T, path, text string) {
		s, err := ParseSkill(path, path, []byte(text))
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NotContains(t, s.Line(), "\n")
		require.True(t, names.MatchString(s.Name))
		require.LessOrEqual(t, len(s.Description), maxDescription+len("…"))
		require.Equal(t, []Skill{s}, MatchSkills([]Skill{s}, s.Name))
	})
}
