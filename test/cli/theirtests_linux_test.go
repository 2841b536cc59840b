package cli

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// How a greeting is tested before the run, and what a model makes of that.
const (
	helloTest = "package sum\n\nimport \"testing\"\n\nfunc TestGreeting(t *testing.T) {\n\tif got := Greeting(); got != \"Hello\" {\n\t\tt.Fatalf(\"Greeting() = %q\", got)\n\t}\n}\n"
	hiTest    = "package sum\n\nimport \"testing\"\n\nfunc TestGreeting(t *testing.T) {\n\tif got := Greeting(); got != \"Hi\" {\n\t\tt.Fatalf(\"Greeting() = %q\", got)\n\t}\n}\n"
	weakTest  = "package sum\n\nimport \"testing\"\n\nfunc TestGreeting(t *testing.T) {\n\tif Greeting() == \"\" {\n\t\tt.Fatal(\"it does not greet\")\n\t}\n}\n\nfunc TestHi(t *testing.T) {\n\tif got := Greeting(); got != \"Hi\" {\n\t\tt.Fatalf(\"Greeting() = %q\", got)\n\t}\n}\n"
	byeTest   = "\n// TestBye needs what is not there yet.\nfunc TestBye(t *testing.T) {\n\tif got := Bye(); got != \"Bye\" {\n\t\tt.Fatalf(\"Bye() = %q\", got)\n\t}\n}\n"
	byeCode   = "\n// Bye says goodbye.\nfunc Bye() string { return \"Bye\" }\n"
	helloCode = "// Package sum adds up.\npackage sum\n\n// Greeting greets.\nfunc Greeting() string { return \"Hello\" }\n"
	hiCode    = "// Package sum adds up.\npackage sum\n\n// Greeting greets.\nfunc Greeting() string { return \"Hi\" }\n"
)

// greeting is a model that changes a test which passes, says why, and changes the code to it.
func greeting(t *testing.T, tests string) string {
	t.Helper()
	return greetingWith(t, tests, hiCode)
}

// greetingWith is one that writes other code.
func greetingWith(t *testing.T, tests, code string) string {
	t.Helper()
	quoted := func(text string) string {
		data, err := json.Marshal(text)
		require.NoError(t, err)
		return string(data)
	}
	return `
- {match: {node: orchestrator}, times: -1, reply: {json: {action: executor, reason: small}}}
- {match: {node: executor, contains: [You write tests]}, times: -1, reply: {json: {explanation: sum_test.go still greets in the old way., patch: "", blocked: "", files: [{path: sum_test.go, action: write, content: ` + quoted(tests) + `}]}}}
- {match: {node: executor, contains: [You implement a change]}, times: -1, reply: {json: {explanation: It says Hi., patch: "", blocked: "", files: [{path: sum.go, action: write, content: ` + quoted(code) + `}]}}}
- {match: {node: debugger}, times: -1, reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: s}}}
- {match: {node: overseer}, times: -1, reply: {json: {class: unclear, reason: it is not clear}}}
- {match: {node: review}, times: -1, reply: {json: {pass: true, reason: It greets., issues: []}}}`
}

func greeter() map[string]string {
	files := sumModule()
	files["sum.go"], files["sum_test.go"] = helloCode, helloTest
	return files
}

// At a terminal the user is asked whether a test may state something else, with the model's reason before their eyes.
func TestRun_AsksAboutAReplacedTest(t *testing.T) {
	t.Parallel()
	w := scripted(t, greeting(t, hiTest), greeter())
	wire := w.tap()
	p := w.sit("run", "--trust", "greet in a shorter way")
	p.sees("1 existing test changed. Is that wanted?")
	p.sees("The model has changed sum_test.go, and says why:")
	p.sees("> sum_test.go still greets in the old way.")
	p.sees("TestGreeting passes as it is today, and would fail with this change")
	p.sees("The new text of each was seen to fail on the code as it was, and passes now.")
	p.sees("2) Yes, they ask for what is to change (default)")
	p.sees("> ")
	p.types("2")
	p.sees("Apply this change to 2 files?")
	p.sees("> ")
	p.types("1")
	code, screen := p.leaves()
	t.Log(screen)
	require.Zero(t, code, screen)
	require.Equal(t, hiTest, texts(t, w.root)["sum_test.go"])
	last := wire.requests()[len(wire.requests())-1]
	require.Contains(t, last, "You review a change")
	require.Regexp(t, `## Existing tests: the user agreed that these change\n\n<data-\w+>\n- example\.com/sum\.TestGreeting\n</data`, last)
}

// Without a user a test may state something else where it was seen to fail on the old code and passes on the new: it is named.
func TestRun_TakesAReplacedTestAndNamesIt(t *testing.T) {
	t.Parallel()
	w := scripted(t, greeting(t, hiTest), greeter())
	wire := w.tap()
	code, stdout, stderr := w.run("run", "--trust", "--yes", "greet in a shorter way")
	t.Log(stdout, stderr)
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "[forge] 1 existing test changed: example.com/sum.TestGreeting. The model's reason: sum_test.go still greets in the old way.")
	require.Equal(t, hiTest, texts(t, w.root)["sum_test.go"])
	require.NotContains(t, strings.Join(wire.requests(), ""), "the user agreed")
}

// A test that is written anew in place of another, with another name and another text, replaces it, as one with the same name would.
func TestRun_TakesATestWrittenAnewInPlaceOfAnother(t *testing.T) {
	t.Parallel()
	const salute = "package sum\n\nimport \"testing\"\n\nfunc TestSalute(t *testing.T) {\n\tfor name, want := range map[string]string{\"\": \"Hi\", \"Ada\": \"Hi Ada\"} {\n\t\tif Salute(name) != want {\n\t\t\tt.Error(name)\n\t\t}\n\t}\n}\n"
	const code = "// Package sum adds up.\npackage sum\n\n// Salute greets someone.\nfunc Salute(name string) string {\n\tif name == \"\" {\n\t\treturn \"Hi\"\n\t}\n\treturn \"Hi \" + name\n}\n"
	w := scripted(t, greetingWith(t, salute, code), greeter())
	exit, stdout, stderr := w.run("run", "--trust", "--yes", "rename Greeting to Salute, and let it greet by name")
	t.Log(stdout, stderr)
	require.Zero(t, exit, stderr)
	require.Contains(t, stderr, "[forge] 1 existing test changed: example.com/sum.TestGreeting.")
	require.Equal(t, salute, texts(t, w.root)["sum_test.go"])

	w = scripted(t, greetingWith(t, helloTest[:strings.Index(helloTest, "func")]+"func TestOther(t *testing.T) {}\n", code), greeter()) // the twin: what stands there now does not fail on the old code
	exit, stdout, stderr = w.run("run", "--trust", "--yes", "rename Greeting to Salute, and let it greet by name")
	t.Log(stdout, stderr)
	require.NotZero(t, exit)
}

// A test that becomes a part of another one is replaced by that, if its text is there and the other one was seen to fail.
func TestRun_TakesATestMergedIntoAnother(t *testing.T) {
	t.Parallel()
	const (
		name  = "package sum\n\nimport \"testing\"\n\nfunc TestName(t *testing.T) {\n\tif Name != \"Ada\" {\n\t\tt.Error(Name)\n\t}\n"
		check = "\tif got := Greeting(); got != \"Hi\" {\n\t\tt.Fatalf(\"Greeting() = %q\", got)\n\t}\n"
		named = "\n// Name is whom it greets.\nconst Name = \"Ada\"\n"
	)
	files := greeter()
	files["sum.go"], files["sum_test.go"] = helloCode+named, name+"}\n"+helloTest[strings.Index(helloTest, "\nfunc"):]
	w := scripted(t, greetingWith(t, name+check+"}\n", hiCode+named), files)
	exit, stdout, stderr := w.run("run", "--trust", "--yes", "greet in a shorter way")
	t.Log(stdout, stderr)
	require.Zero(t, exit, stderr)
	require.Contains(t, stderr, "[forge] 1 existing test changed: example.com/sum.TestGreeting.")
	require.Equal(t, name+check+"}\n", texts(t, w.root)["sum_test.go"])
}

// A test that is weakened needs a user, or its name in the request.
func TestRun_KeepsAWeakenedTest(t *testing.T) {
	t.Parallel()
	w := scripted(t, greeting(t, weakTest), greeter())
	before := fingerprint(t, w.root)
	code, stdout, stderr := w.run("run", "--trust", "--yes", "greet in a shorter way")
	t.Log(stdout, stderr)
	require.NotZero(t, code)
	require.Regexp(t, `(?s)\? 1 test passes today and would not any more\. Is that wanted\?.*✗ regression example\.com/sum\.TestGreeting passes as it is today, and would fail with this change \(`, stderr, "its gate states it once")
	require.Contains(t, stderr, `. No user could be asked whether that is wanted: if the task asks for it, say so in "blocked", and the run stops until a user decides. `+
		"Otherwise: leave the tests of sum_test.go as they are, and let them pass, unless the task names that file")
	require.Equal(t, before, fingerprint(t, w.root))

	code, stdout, stderr = w.run("run", "--trust", "--yes", "greet in a shorter way, as sum_test.go has to ask for")
	t.Log(stdout, stderr)
	require.Zero(t, code, stderr)
	require.Equal(t, weakTest, texts(t, w.root)["sum_test.go"])
}

// Without a user, a model may leave the decision to one: the run does not lead it to the old behaviour, and its change is there to be applied.
func TestRun_WithoutAUserTheModelMayLeaveTheDecision(t *testing.T) {
	t.Parallel()
	leaves := `
- {match: {node: executor, contains: [No user could be asked whether that is wanted]}, times: -1, reply: {json: {explanation: "", patch: "", files: [], blocked: the task asks for Hi in place of Hello}}}`
	w := scripted(t, leaves+greeting(t, weakTest), greeter())
	before := fingerprint(t, w.root)
	code, stdout, stderr := w.run("run", "--trust", "--yes", "greet in a shorter way")
	t.Log(stdout, stderr)
	require.Equal(t, 3, code)
	require.Contains(t, stderr, "the task asks for Hi in place of Hello")
	require.Equal(t, before, fingerprint(t, w.root))
	id := regexp.MustCompile(`forge apply --run (r-\w+)`).FindStringSubmatch(stderr)
	require.NotNil(t, id, "the change can be applied")

	code, stdout, stderr = w.run("apply", "--run", id[1], "--yes", "--allow-unverified")
	t.Log(stdout, stderr)
	require.Zero(t, code)
	require.Equal(t, weakTest, texts(t, w.root)["sum_test.go"])
}

// refusedWithoutAUser is a run that ended because no user could be asked about the weakened test.
func (w *world) refusedWithoutAUser() (id string) {
	w.t.Helper()
	code, stdout, stderr := w.run("run", "--trust", "--yes", "greet in a shorter way")
	w.t.Log(stdout, stderr)
	require.Equal(w.t, 3, code)
	found := regexp.MustCompile(`forge apply --run (r-\w+)`).FindStringSubmatch(stderr)
	require.NotNil(w.t, found, "the change can be applied")
	return found[1]
}

// takesTheWeakTest answers the questions about the weakened test, and about the change.
func (w *world) takesTheWeakTest(p *person) {
	w.t.Helper()
	p.sees("1 test passes today and would not any more. Is that wanted?")
	p.sees("> ")
	p.types("2")
	p.sees("Apply this change to 2 files?")
	p.sees("> ")
	p.types("1")
	code, screen := p.leaves()
	w.t.Log(screen)
	require.Zero(w.t, code, screen)
	require.Equal(w.t, weakTest, texts(w.t, w.root)["sum_test.go"])
}

// What no user could be asked in a script, a resumed run asks at a terminal.
func TestResume_AsksWhatNoUserCouldBeAsked(t *testing.T) {
	t.Parallel()
	w := scripted(t, greeting(t, weakTest), greeter())
	p := w.sit("resume", w.refusedWithoutAUser())
	w.takesTheWeakTest(p)
}

// A resumed run judges its change on the files as they are now: here the user has changed what a test accepts, so that it passes with the change, too.
func TestResume_RunsOriginalTestsOnTheCurrentFiles(t *testing.T) {
	t.Parallel()
	accepts := func(condition string) string {
		return "package sum\n\n// accepted reports whether a greeting is one that is asked for.\nfunc accepted(got string) bool { return " + condition + " }\n"
	}
	files := greeter()
	files["sum_test.go"] = strings.Replace(helloTest, `got != "Hello"`, "!accepted(got)", 1)
	files["accepted_test.go"] = accepts(`got == "Hello"`)
	w := scripted(t, greeting(t, weakTest), files)
	id := w.refusedWithoutAUser()

	w.put(map[string]string{"accepted_test.go": accepts(`got == "Hello" || got == "Hi"`)})
	code, stdout, stderr := w.run("resume", id, "--yes")
	t.Log(stdout, stderr)
	require.Zero(t, code)
	require.Equal(t, hiCode, texts(t, w.root)["sum.go"])
}

// A resumed run asks the question that a model left to the user. With the answer the model makes the change, and Forge asks about the test, also if the
// answer names its file, because a wish names it like a refusal does.
func TestResume_AsksAfterTheModelLeftTheDecision(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ missing, answer string }{
		"the task":      {"the task asks for Hi in place of Hello", "yes, Hi"},
		"the test file": {"sum_test.go asks for Hello", "yes, Hi"},
		"a refusal":     {"sum_test.go asks for Hello", "no, sum_test.go must stay as it is"},
	}
	for name, c := range testkit.SampleMap(1, cases, "a refusal", "the test file") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			leaves := `
- {match: {node: executor, contains: [No user could be asked whether that is wanted]}, reply: {json: {explanation: "", patch: "", files: [], blocked: ` + c.missing + `}}}`
			w := scripted(t, leaves+greeting(t, weakTest), greeter())
			p := w.sit("resume", w.refusedWithoutAUser())
			p.sees("The model cannot continue: " + c.missing)
			p.sees("> ")
			p.types(c.answer)
			w.takesTheWeakTest(p)
		})
	}
}

// A user may answer in words. A no is none the less a no where the default is a yes, a yes is a yes where it is a no, and other words are a wish for
// another change.
func TestRun_ReadsAnAnswerInWords(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"no", "N", "keep Hello, and say Hi beside it"} {
		t.Run(typed, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, greeting(t, hiTest), greeter())
			before := fingerprint(t, w.root)
			p := w.sit("run", "--trust", "--max-attempts", "1", "greet in a shorter way")
			p.sees("1 existing test changed. Is that wanted?")
			p.sees("> ")
			p.types(typed)
			p.sees("✗ regression")
			if len(typed) > 2 {
				p.sees("The user says: " + typed)
			}
			p.sees("not verified")
			p.sees("> ")
			p.types("3")
			code, screen := p.leaves()
			t.Log(screen)
			require.NotZero(t, code)
			require.Equal(t, before, fingerprint(t, w.root))
		})
	}
	w := scripted(t, greeting(t, weakTest), greeter())
	p := w.sit("run", "--trust", "greet in a shorter way")
	p.sees("1 test passes today and would not any more. Is that wanted?")
	p.sees("> ")
	p.types("yes")
	p.sees("Apply this change to 2 files?")
	p.sees("> ")
	p.types("1")
	code, screen := p.leaves()
	require.Zero(t, code, screen)
}

// What a user explained may come back as they have written: they are asked again.
func TestRun_AsksAgainAfterAnExplanation(t *testing.T) {
	t.Parallel()
	again := strings.Replace(weakTest, "it does not greet", "it says nothing", 1)
	quoted, err := json.Marshal(again)
	require.NoError(t, err)
	revised := `
- {match: {node: executor, contains: [You write tests, "The user says: say what is missing"]}, reply: {json: {explanation: sum_test.go says more., files: [{path: sum_test.go, action: write, content: ` + string(quoted) + `}]}}}`
	w := scripted(t, revised+greeting(t, weakTest), greeter())
	p := w.sit("run", "--trust", "greet in a shorter way")
	p.sees("1 test passes today and would not any more. Is that wanted?")
	p.sees("> ")
	p.types("say what is missing")
	p.sees("1 test passes today and would not any more. Is that wanted?")
	p.sees("> sum_test.go says more.")
	p.sees("> ")
	p.types("2")
	p.sees("Apply this change to 2 files?")
	p.sees("> ")
	p.types("1")
	code, screen := p.leaves()
	t.Log(screen)
	require.Zero(t, code)
	require.Equal(t, again, texts(t, w.root)["sum_test.go"])
}

// A user's no to what a change makes of a test is not overruled by the default when the test is changed in another way.
func TestResume_DefaultDoesNotOverruleTheUser(t *testing.T) {
	t.Parallel()
	weak := greeting(t, weakTest)
	lines := strings.SplitAfter(weak, "\n")
	once := ""
	for _, line := range lines {
		if strings.Contains(line, "You write tests") {
			once = "\n" + strings.Replace(line, "times: -1, ", "", 1)
		}
	}
	w := scripted(t, once+greeting(t, hiTest), greeter())
	before := fingerprint(t, w.root)
	p := w.sit("run", "--trust", "--max-attempts", "1", "greet in a shorter way")
	p.sees("1 test passes today and would not any more. Is that wanted?")
	p.sees("> ")
	p.types("1")
	p.sees("not verified")
	p.sees("> ")
	p.types("3")
	code, screen := p.leaves()
	require.NotZero(t, code, screen)
	id := regexp.MustCompile(`r-\w+`).FindString(screen)

	code, stdout, stderr := w.run("resume", id, "--yes")
	t.Log(stdout, stderr)
	require.NotZero(t, code)
	require.Contains(t, stderr, "1 existing test changed. Is that wanted?")
	require.Equal(t, before, fingerprint(t, w.root))
}

// The proposal names the changed test also if an earlier attempt has changed it, and was rejected for another reason.
func TestRun_NamesATestThatAnEarlierAttemptReplaced(t *testing.T) {
	t.Parallel()
	doubts := `
- {match: {node: review}, reply: {json: {pass: false, reason: It greets without a comment., issues: [{path: sum.go, startLine: 4, severity: error, message: say more}]}}}
- {match: {node: executor, contains: [You implement a change, It greets without a comment]}, reply: {json: {explanation: It says Hi., files: [{path: sum.go, action: write, content: "` +
		strings.ReplaceAll(strings.ReplaceAll(strings.Replace(hiCode, "Greeting greets.", "Greeting greets, and is short.", 1), `"`, `\"`), "\n", `\n`) + `"}]}}}`
	w := scripted(t, doubts+greeting(t, hiTest), greeter())
	code, stdout, stderr := w.run("run", "--trust", "--yes", "greet in a shorter way")
	t.Log(stdout, stderr)
	require.Zero(t, code, stderr)
	require.Contains(t, texts(t, w.root)["sum.go"], "and is short")
	_, last, found := strings.Cut(stderr, "It greets without a comment")
	require.True(t, found)
	require.Contains(t, last, "[forge] 1 existing test changed: example.com/sum.TestGreeting.")
	require.NotContains(t, last, "the tests that were there pass as they were")
}

// Also beside tests that do not compile on the old code, of which nothing runs there, a test may state something else where it is seen to fail
// without them; and one that is weakened is none.
func TestRun_TakesAReplacedTestBesideOneThatDoesNotCompile(t *testing.T) {
	t.Parallel()
	w := scripted(t, greetingWith(t, hiTest+byeTest, hiCode+byeCode), greeter())
	code, stdout, stderr := w.run("run", "--trust", "--yes", "greet in a shorter way, and say goodbye")
	t.Log(stdout, stderr)
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "[forge] 1 existing test changed: example.com/sum.TestGreeting.")
	require.Equal(t, hiTest+byeTest, texts(t, w.root)["sum_test.go"])

	weak, _, _ := strings.Cut(weakTest, "\nfunc TestHi")
	w = scripted(t, greetingWith(t, weak+byeTest, hiCode+byeCode), greeter())
	before := fingerprint(t, w.root)
	code, stdout, stderr = w.run("run", "--trust", "--yes", "greet in a shorter way, and say goodbye")
	t.Log(stdout, stderr)
	require.NotZero(t, code)
	require.Contains(t, stderr, "TestGreeting passes as it is today, and would fail with this change")
	require.Equal(t, before, fingerprint(t, w.root))
}

// At a terminal the question names the test that states something else, and not those that do not compile with it on the old code.
func TestRun_AsksAboutOneTestBesideOneThatDoesNotCompile(t *testing.T) {
	t.Parallel()
	files := greeter()
	files["more_test.go"] = "package sum\n\nimport \"testing\"\n\nfunc TestMore(*testing.T) {}\n\nfunc TestStillMore(*testing.T) {}\n"
	w := scripted(t, greetingWith(t, hiTest+byeTest, hiCode+byeCode), files)
	p := w.sit("run", "--trust", "greet in a shorter way, and say goodbye")
	p.sees("1 existing test changed. Is that wanted?")
	p.sees("TestGreeting passes as it is today, and would fail with this change")
	p.sees("2) Yes, they ask for what is to change (default)")
	p.sees("> ")
	p.types("2")
	p.sees("Apply this change to 2 files?")
	p.sees("> ")
	p.types("1")
	code, screen := p.leaves()
	require.Zero(t, code, screen)
	require.NotContains(t, screen, "TestMore passes as it is today")
	require.NotContains(t, screen, "TestStillMore passes as it is today")
}

// One test that rightly states something else does not switch off the check of the others: what the change breaks besides is refused.
func TestRun_AReplacedTestDoesNotExcuseAnotherThatBreaks(t *testing.T) {
	t.Parallel()
	files := greeter()
	files["long_test.go"] = "package sum\n\nimport \"testing\"\n\nfunc TestLong(t *testing.T) {\n\tif len(Greeting()) < 5 {\n\t\tt.Fatal(Greeting())\n\t}\n}\n"
	w := scripted(t, greeting(t, hiTest), files)
	before := fingerprint(t, w.root)
	code, stdout, stderr := w.run("run", "--trust", "--yes", "--max-attempts", "1", "greet in a shorter way")
	require.NotZero(t, code, stdout+stderr)
	require.Contains(t, stderr, "long_test.go:7: example.com/sum.TestLong: Hi")
	require.Equal(t, before, fingerprint(t, w.root))
}

// Also the quickest profile changes an existing test in a file that the task names, and in no other one.
func TestRun_CompletionChangesATestThatTheTaskNames(t *testing.T) {
	t.Parallel()
	both, err := json.Marshal([]map[string]string{{"path": "sum.go", "action": "write", "content": hiCode}, {"path": "sum_test.go", "action": "write", "content": hiTest}})
	require.NoError(t, err)
	writes := "\n- {match: {node: executor}, reply: {json: {explanation: It says Hi., files: " + string(both) + "}}}"
	args := []string{"run", "--trust", "--yes", "--profile", "completion"}
	w := scripted(t, decideExecutor+writes+reviewPass, greeter())
	w.said(0, append(args, "greet in a shorter way, as sum_test.go has to ask for")...)
	require.Equal(t, hiCode, w.read("sum.go"))
	require.Equal(t, hiTest, w.read("sum_test.go"))
	w.played()

	w = scripted(t, decideExecutor+writes+`
- {match: {node: executor, contains: ["sum_test.go has existing tests"]}, reply: {json: {explanation: It cannot be done., blocked: the test is right}}}`, greeter())
	w.said(3, append(args, "greet in a shorter way")...)
	require.Equal(t, helloTest, w.read("sum_test.go"))
	w.played()
}
