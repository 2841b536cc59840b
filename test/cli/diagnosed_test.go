package cli

import (
	"testing"

	"forge/internal/testkit"
)

// played by these answers: an orchestrator that chooses the executor, and a reviewer who accepts.
const (
	choosesExecutor = `{"action":"executor","task":null,"reason":"It is small.","kind":null}`
	accepts         = `{"pass":true,"reason":"It does what was asked for.","issues":[]}`
)

// A test that opens a file which the code does not write is fixed by the next attempt: a file that is not found is no missing program.
func TestRun_AFileThatIsNotFoundIsNoMissingProgram(t *testing.T) {
	t.Parallel()
	testkit.Tool(t, "python3", "Python")
	f := fixture{
		files: map[string]string{"setup.py": "from setuptools import setup\n\nsetup(name=\"keep\", py_modules=[\"keep\"])\n", "keep.py": "NAME = \"keep\"\n"},
		answers: map[string]string{
			"001.answer.md": choosesExecutor,
			"002.answer.md": `{"explanation": "t", "files": [{"path": "test_keep.py", "action": "create", "content": "import unittest\n\nimport keep\n\n\nclass KeepTest(unittest.TestCase):\n    def test_keep(self):\n        keep.save(\"{}\")\n        with open(\"settings.json\") as file:\n            self.assertEqual(file.read(), \"{}\")\n"}]}`,
			"003.answer.md": `{"explanation": "i", "files": [{"path": "keep.py", "action": "write", "content": "NAME = \"keep\"\n\n\ndef save(text):\n    with open(\"setings.json\", \"w\") as file:\n        file.write(text)\n"}]}`,
			"004.answer.md": `{"explanation": "i", "files": [{"path": "keep.py", "action": "write", "content": "NAME = \"keep\"\n\n\ndef save(text):\n    with open(\"settings.json\", \"w\") as file:\n        file.write(text)\n"}]}`,
			"005.answer.md": accepts,
		},
		wants: []want{{"exit", "0"}, {"calls", "5"}, {"says", "FileNotFoundError"}, {"says", "applied keep.py"}, {"asks", "4 FileNotFoundError"}, {"hides", "missing program"}, {"hides", "install the program"}},
	}
	p := f.play(t)
	p.carryOut([][]string{{"run", "--trust", "--yes", "add keep.save(text), which writes it to settings.json"}})
	f.judge(t, p)
}

// A file that an attempt has created is known to the next one: an error in it is no reason to read it, and no debugger is asked.
func TestRun_AFileThatAnAttemptCreatedIsKnown(t *testing.T) {
	t.Parallel()
	f := fixture{
		files: sumModule(),
		answers: map[string]string{
			"001.answer.md": choosesExecutor,
			"002.answer.md": `{"explanation": "t", "files": [{"path": "add_test.go", "action": "create", "content": "package sum\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n"}]}`,
			"003.answer.md": `{"explanation": "i", "files": [{"path": "add.go", "action": "create", "content": "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a + c }\n"}]}`,
			"004.answer.md": `{"explanation": "i", "files": [{"path": "add.go", "action": "create", "content": "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n"}]}`,
			"005.answer.md": accepts,
		},
		wants: []want{{"exit", "0"}, {"calls", "5"}, {"says", "applied add.go"}, {"hides", "never read"}, {"asks", "4 undefined: c"}, {"spares", "4 in vain"}, {"spares", "4 there is no file add.go"}},
	}
	p := f.play(t)
	p.carryOut([][]string{{"run", "--trust", "--yes", "add Add"}})
	f.judge(t, p)
}

// A test that fails with a "permission denied" of the code's own is fixed by the next attempt: nothing of the machine was refused.
func TestRun_APermissionThatTheCodeDeniesIsNoRefusedPermission(t *testing.T) {
	t.Parallel()
	code := func(sign string) string {
		return `{"explanation": "i", "files": [{"path": "add.go", "action": "create", "content": "package sum\n\nimport \"errors\"\n\n// Add adds for root.\nfunc Add(user string, a, b int) (int, error) {\n` +
			`\tif user ` + sign + ` \"root\" {\n\t\treturn 0, errors.New(\"permission denied\")\n\t}\n\treturn a + b, nil\n}\n"}]}`
	}
	f := fixture{
		files: sumModule(),
		answers: map[string]string{
			"001.answer.md": choosesExecutor,
			"002.answer.md": `{"explanation": "t", "files": [{"path": "add_test.go", "action": "create", "content": "package sum\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif _, err := Add(\"root\", 2, 2); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n"}]}`,
			"003.answer.md": code("=="),
			"004.answer.md": code("!="),
			"005.answer.md": accepts,
		},
		wants: []want{{"exit", "0"}, {"calls", "5"}, {"says", "TestAdd: permission denied"}, {"says", "applied add.go"}, {"asks", "4 permission denied"}, {"hides", "refused permission"}, {"hides", "give the permission"}},
	}
	p := f.play(t)
	p.carryOut([][]string{{"run", "--trust", "--yes", "add Add(user, a, b), which adds for root only"}})
	f.judge(t, p)
}
