package prompt

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// SkillRoot is a folder of skills.
type SkillRoot struct {
	FS   fs.FS
	Name string // for users: "~/.forge/skills"
}

// SkillProblem is an invalid skill file, with the reason.
type SkillProblem struct {
	Source string
	Reason string
}

// The limits of a search: a folder that was added by mistake may have many files.
const (
	maxDepth   = 6
	maxEntries = 20_000
	maxSkills  = 500
)

// FindSkills returns the skills below folders, at any depth; of each name the one in the first folder. A missing folder has none.
// Links to folders are not followed. Invalid skills are reported, and do not affect others.
func FindSkills(roots ...SkillRoot) (found []Skill, problems []SkillProblem) {
	var lists [][]Skill
	for _, root := range roots {
		skills, refused := root.walk()
		lists = append(lists, skills)
		problems = append(problems, refused...)
	}
	return FirstSkills(lists...), problems
}

// walk reads the skills of one folder in the order of their paths.
func (r SkillRoot) walk() (skills []Skill, problems []SkillProblem) {
	entries := 0
	err := fs.WalkDir(r.FS, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return r.unreadable(file, err, &problems)
		}
		if entries++; entries > maxEntries || len(skills) >= maxSkills {
			problems = append(problems, SkillProblem{r.Name, fmt.Sprintf("it has too many files: no more than %d skills among %d files are read", maxSkills, maxEntries)})
			return fs.SkipAll
		}
		switch {
		case entry.IsDir() && file != "." && (strings.HasPrefix(entry.Name(), ".git") || strings.Count(file, "/") >= maxDepth):
			return fs.SkipDir
		case entry.IsDir() || !IsSkill(file):
			return nil
		}
		skill, fault := r.read(file, entry)
		if fault == nil {
			skills = append(skills, skill)
		} else {
			problems = append(problems, SkillProblem{r.source(file), fault.Error()})
		}
		return nil
	})
	if err != nil {
		problems = append(problems, SkillProblem{r.Name, err.Error()})
	}
	return skills, problems
}

// unreadable reports an unreadable folder, and continues.
func (r SkillRoot) unreadable(file string, err error, problems *[]SkillProblem) error {
	if !errors.Is(err, fs.ErrNotExist) {
		*problems = append(*problems, SkillProblem{r.source(file), err.Error()})
	}
	return fs.SkipDir
}

func (r SkillRoot) source(file string) string {
	if file == "." {
		return r.Name
	}
	return r.Name + "/" + file
}

// errNotRegular is the error for a folder, a pipe or a device with the name of a skill file.
var errNotRegular = errors.New("it is not a regular file")

// read reads a skill. Files that are not regular, directly or through a link, are not opened: a pipe would block.
func (r SkillRoot) read(file string, entry fs.DirEntry) (Skill, error) {
	if kind := entry.Type(); !kind.IsRegular() && kind&fs.ModeSymlink == 0 {
		return Skill{}, errNotRegular
	}
	info, err := fs.Stat(r.FS, file)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return Skill{}, err
	}
	opened, err := r.FS.Open(file)
	if err != nil {
		return Skill{}, err
	}
	defer func() { _ = opened.Close() }() // only read
	if info, err := opened.Stat(); err != nil || !info.Mode().IsRegular() {
		return Skill{}, errors.Join(err, errNotRegular)
	}
	content, err := io.ReadAll(io.LimitReader(opened, MaxSkillFile+1))
	if err != nil {
		return Skill{}, err
	}
	return ParseSkill(file, r.source(file), content)
}
