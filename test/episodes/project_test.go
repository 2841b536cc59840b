package episodes

// project is a small project in one language, with what a model may make of it.
type project struct {
	name  string
	few   int // behaviours that are played in it with -short
	files map[string]string
	// failing are files that replace some of files if a test of the user's fails before the run.
	failing map[string]string
	// accept are tests of the user's that no model ever sees. They hold of the right change, and of no other.
	accept map[string]string
	suite  []string // runs all tests; argv

	source, test string // paths: of the code that is added, and of its tests
	rightTest    string
	right, wrong string // the code that is added
	otherWrong   string // wrong in another way
	broken       string // is no sentence of the language
	repaired     edit   // fixes the failing test
	weakened     edit   // the user's tests, weakened so that any code passes
	ending       edit   // a line of the user's tests, and lines to add below it that end a test before it fails
	skipping     string // tests that are skipped
	exiting      string // tests that end the process as if all were well
	vacuous      string // tests that hold without the change
	hopeless     string // tests that hold of nothing
	conditional  string // tests that are skipped when the code says so
	excusing     string // wrong code that says so
	vanishing    string // wrong code that ends the process as if all were well
	forging      string // the same, and prints what tests that pass would
	writing      string // the same, and writes it where the runner's report is
	loosened     edit   // the file that says how code is checked, so that it checks less
	comment      string // begins a comment
	named        string // the test that fails before the run, by the name that a task gives it
}

// edit is a file with another text.
type edit struct{ path, text string }

// projects are those that episodes are played in.
func projects() []project { return []project{goProject(), pythonProject(), javascriptProject()} }
