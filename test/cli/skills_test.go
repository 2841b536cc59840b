package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/internal/testkit"
)

const tddSkill = "---\nname: tdd\ndescription: Tests first\ncategory: code\n---\nRed, then green.\n"

// A skill that was begun is one at once, and is never begun again over what its author wrote.
func TestSkillsCommand_NewNeverOverwrites(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	for place, flags := range map[string][]string{filepath.Join(w.home, "skills"): nil, filepath.Join(w.root, ".forge/skills"): {"--project"}} {
		code, _, stderr := w.run(append([]string{"skills", "new", "review-api"}, flags...)...)
		require.Equal(t, 0, code, stderr)
		file := filepath.Join(place, "review-api", "SKILL.md")
		require.Contains(t, stderr, file)
		require.FileExists(t, file)
		require.NoError(t, os.WriteFile(file, []byte(tddSkill), 0o600))
		code, _, stderr = w.run(append([]string{"skills", "new", "review-api"}, flags...)...)
		require.Equal(t, 1, code)
		require.Contains(t, stderr, "exists already")
		left, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, tddSkill, string(left))
	}
	code, _, _ := w.run("skills", "new", "own")
	require.Equal(t, 0, code)
	require.Contains(t, asked[api.SkillsResult](w, "skills", "own").Skills,
		api.Skill{Name: "own", Description: "When this helps, in one line", Source: "$FORGE_HOME/skills/own/SKILL.md"})
	for _, name := range []string{"../out", "a b", ".", "1"} {
		code, _, stderr := w.run("skills", "new", name)
		require.Equal(t, 2, code, stderr)
	}
}

// A link in a folder does not lead what is written there out of it.
func TestSkillsCommand_DoesNotFollowLinksOut(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	elsewhere := t.TempDir()
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(w.root, ".forge")))
	code, _, stderr := w.run("skills", "new", "own", "--project")
	require.Equal(t, 1, code, stderr)
	left, err := os.ReadDir(elsewhere)
	require.NoError(t, err)
	require.Empty(t, left)
}

// A skill is shown before it is kept, is kept with a yes only, and says where it comes from.
func TestSkillsCommand_InstallsAfterConfirmation(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/skills/tdd/SKILL.md": tddSkill})
	w := scripted(t, whole, sumModule())
	s.browser(w)
	address := s.URL + "/skills/tdd/SKILL.md"
	code, _, stderr := w.run("skills", "install", address+"?token=canary")
	require.Equal(t, 3, code, stderr)
	require.Contains(t, stderr, "Red, then green.")
	require.Contains(t, stderr, "no terminal to ask for consent")
	require.NoDirExists(t, filepath.Join(w.home, "skills", "tdd"))

	for place, flags := range map[string][]string{filepath.Join(w.home, "skills"): nil, filepath.Join(w.root, ".forge/skills"): {"--project"}} {
		code, _, stderr = w.run(append([]string{"skills", "install", address + "?token=canary", "--yes"}, flags...)...)
		require.Equal(t, 0, code, stderr)
		kept, err := os.ReadFile(filepath.Join(place, "tdd", "SKILL.md"))
		require.NoError(t, err)
		require.Equal(t, tddSkill, string(kept))
		source, err := os.ReadFile(filepath.Join(place, "tdd", "SOURCE"))
		require.NoError(t, err)
		require.Contains(t, string(source), address+"\nsha256 ")
		require.NotContains(t, string(source), "canary")
	}
	code, _, stderr = w.run("skills", "install", address, "--yes")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "exists already")
}

// A skill that is invalid, or comes from a forbidden source, is never installed, even with a confirmation.
func TestSkillsCommand_RejectsInvalidSources(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{
		"/page": about, "/a/SKILL.md": "---\nname: ../../etc\n---\nx\n", "/b/SKILL.md": "---\nname: b\n---\n" + string(make([]byte, 70_000)), "/http/SKILL.md": "-> http://127.0.0.1:1/SKILL.md",
	})
	for address, says := range testkit.SampleMap(2, map[string]string{
		s.URL + "/page":                      "does not begin with a front matter",
		s.URL + "/a/SKILL.md":                `its name is "../../etc"`,
		s.URL + "/b/SKILL.md":                "it is larger than 65536 bytes",
		s.URL + "/http/SKILL.md":             "only https is",
		s.URL + "/missing/SKILL.md":          "the server answers 404 Not Found",
		"http" + s.URL[len("https"):] + "/b": "only https is",
	}) {
		w := scripted(t, whole, sumModule())
		s.browser(w)
		code, _, stderr := w.run("skills", "install", address, "--yes")
		require.Equal(t, 1, code, stderr)
		require.Contains(t, stderr, says)
		require.NoDirExists(t, filepath.Join(w.home, "skills"))
	}
	w := scripted(t, whole, sumModule())
	s.browser(w)
	w.environ = append(w.environ, "FORGE_OFFLINE=1")
	code, _, stderr := w.run("skills", "install", s.URL+"/a/SKILL.md", "--yes")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "offline, so that nothing is downloaded (models.offline")
}
