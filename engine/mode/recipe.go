package mode

// Recipe is a kind of work.
type Recipe string

// The recipes.
const (
	Implement Recipe = "implement"
	Fix       Recipe = "fix"
	TDD       Recipe = "tdd"
	Refactor  Recipe = "refactor"
	Test      Recipe = "test"
	Document  Recipe = "document"
)

// The recipes of runs that change nothing; engine/pipeline has their nodes.
const (
	Ask    Recipe = "ask"
	Review Recipe = "review"
)

// Recipes lists every recipe that changes files.
func Recipes() []Recipe { return []Recipe{Implement, Fix, TDD, Refactor, Test, Document} }

// LookupRecipe finds a recipe; no name returns Implement. The error is an *UnknownError, which lists all names.
func LookupRecipe(name string) (Recipe, error) { return lookup("recipe", name, Implement, Recipes()) }

// TestsFirst reports whether the work changes behaviour, so that tests for it are written and seen to fail first.
// Work that only restructures, tests or documents has no such tests: none could fail.
func (r Recipe) TestsFirst() bool { return r == Implement || r == Fix || r == TDD }

// OnlyTests reports whether the work only changes tests.
func (r Recipe) OnlyTests() bool { return r == Test }

// Summary returns one line about the recipe, for users.
func (r Recipe) Summary() string {
	switch r {
	case Implement:
		return "add or change behaviour, tests first"
	case Fix:
		return "fix what is broken, with a test that shows it first"
	case TDD:
		return "always tests first, for any task"
	case Refactor:
		return "restructure; every test stays as it is"
	case Test:
		return "write tests for existing code; nothing else is touched"
	case Document:
		return "write documentation and comments; no behaviour changes"
	}
	return ""
}
