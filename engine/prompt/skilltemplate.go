package prompt

import "fmt"

// template is a new skill. Without a category it is only listed in one line: its placeholder text is of no use.
const template = `---
name: %s
description: When this helps, in one line
# One of planning, exploration, code, tdd, debug, review: runs show the skill whole to whoever does that work.
category:
---

# %[1]s

Say how this is done here: what comes first, what to look at, what never to do, and how to see that it is done.
`

// SkillTemplate returns the file of a new skill, for its author to edit. The error is about an invalid name.
func SkillTemplate(name string) ([]byte, error) {
	content := fmt.Appendf(nil, template, name)
	_, err := ParseSkill(name+"/"+SkillFile, SkillFile, content)
	return content, err
}
