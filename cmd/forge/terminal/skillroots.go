package terminal

import (
	"os"
	"path/filepath"

	"forge/engine/config"
	"forge/engine/prompt"
)

// skillRoots are the folders of the user's own skills: Forge's, then those of Hermes.
func skillRoots(env config.Environ) []prompt.SkillRoot {
	home := HomeOf(env)
	var roots []prompt.SkillRoot
	if own := env("FORGE_HOME"); own != "" {
		roots = append(roots, prompt.SkillRoot{FS: os.DirFS(filepath.Join(own, "skills")), Name: "$FORGE_HOME/skills"})
	} else if filepath.IsAbs(home) {
		roots = append(roots, prompt.SkillRoot{FS: os.DirFS(filepath.Join(home, ".forge", "skills")), Name: "~/.forge/skills"})
	}
	if filepath.IsAbs(home) {
		roots = append(roots, prompt.SkillRoot{FS: os.DirFS(filepath.Join(home, ".hermes", "skills")), Name: "~/.hermes/skills"})
	}
	return roots
}

// dirs are folders of skills that the user's settings name.
func dirs(paths []string) (roots []prompt.SkillRoot) {
	for _, path := range paths {
		roots = append(roots, prompt.SkillRoot{FS: os.DirFS(path), Name: path})
	}
	return roots
}

// HomeOf is the user's home; empty if unknown.
func HomeOf(env config.Environ) string {
	if home := env("HOME"); home != "" {
		return home
	}
	return env("USERPROFILE") // Windows
}
