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
	Name string // for people: "~/.forge/skills"
}

// SkillProblem is a file that is no skill, and why.
type SkillProblem struct {
	Source string
	Reason string
}

// How far a folder is searched: nobody has more skills, and a folder that was put there by mistake may have many files.
const (
	maxDepth   = 6
	maxEntries = 20_000
	maxSkills  = 500
)

// FindSkills gives the skills below folders, wherever they are in them; of each name that of the first folder. A folder that is not
// there has none. Links to folders are not followed. What cannot be used is told, and keeps nothing else out.
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

// unreadable notes a folder that cannot be read, and goes on beside it.
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

// errNotRegular is the reason for what has the name of a skill and is a folder, a pipe or a device.
var errNotRegular = errors.New("it is not a regular file")

// read reads a skill. What is no regular file, by itself or where it links to, is not even opened: a pipe would block.
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
	defer func() { _ = opened.Close() }() // it was only read
	if info, err := opened.Stat(); err != nil || !info.Mode().IsRegular() {
		return Skill{}, errors.Join(err, errNotRegular)
	}
	content, err := io.ReadAll(io.LimitReader(opened, MaxSkillFile+1))
	if err != nil {
		return Skill{}, err
	}
	return ParseSkill(file, r.source(file), content)
}
