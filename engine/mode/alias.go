package mode

// Older questions about a request, whose answers are other words for a recipe, a mode and a profile.
type (
	// Domain is the field that a request is in: a default for what nobody has said of how it is to be done.
	Domain string
	// Kind is the kind of work that a request is taken for (Classify).
	Kind string
)

// The domains.
const (
	CodeGeneration Domain = "code_generation"
	Research       Domain = "research"
	CodeReview     Domain = "code_review"
	Documentation  Domain = "documentation"
	Generic        Domain = "generic"
)

// The kinds.
const (
	KindBugfix       Kind = "bugfix"
	KindRefactor     Kind = "refactor"
	KindFeature      Kind = "feature"
	KindOptimisation Kind = "optimisation"
	KindAnalysis     Kind = "analysis"
	KindSetup        Kind = "setup"
	KindTest         Kind = "test"
	KindConversation Kind = "conversation" // about nothing in the folder
)

// The questions that aliases answer.
const (
	ofDomain  = "domain"
	ofKind    = "kind"
	ofProfile = "profile"
)

// Alias is a name of a domain, a kind of work or a profile, and what it stands for where nothing else is said.
type Alias struct {
	Of, Name string
	Recipe   Recipe  // empty: as the request is classified
	Mode     Name    // empty: the mode that is set anyway
	Profile  Profile // empty: as Choose decides
	Summary  string  // of a domain, one line for people
}

// Aliases is the table of all other names: of the five questions that a request once answered, recipe and mode are left. Kinds of which
// several lead to one recipe do not follow from it (Recipe.Kind).
func Aliases() []Alias {
	return []Alias{
		{Of: ofDomain, Name: string(CodeGeneration), Recipe: Implement, Summary: "behaviour is added or changed, tests first"},
		{Of: ofDomain, Name: string(Research), Recipe: Ask, Summary: "a question is answered; nothing is changed"},
		{Of: ofDomain, Name: string(CodeReview), Recipe: Review, Mode: Audit, Summary: "code is looked at, and what is found is reported; nothing is changed"},
		{Of: ofDomain, Name: string(Documentation), Recipe: Document, Summary: "documentation and comments are written; no behaviour changes"},
		{Of: ofDomain, Name: string(Generic), Summary: "the request itself says what kind of work it is, where that is sure"},

		{Of: ofKind, Name: string(KindBugfix), Recipe: Fix},
		{Of: ofKind, Name: string(KindRefactor), Recipe: Refactor},
		{Of: ofKind, Name: string(KindOptimisation), Recipe: Implement},
		{Of: ofKind, Name: string(KindFeature), Recipe: Implement},
		{Of: ofKind, Name: string(KindTest), Recipe: Test},
		{Of: ofKind, Name: string(KindSetup), Recipe: Implement},
		{Of: ofKind, Name: string(KindAnalysis), Recipe: Ask},
		{Of: ofKind, Name: string(KindConversation), Recipe: Ask},

		{Of: ofProfile, Name: string(Completion), Profile: Completion},
		{Of: ofProfile, Name: string(TestsFirst), Profile: TestsFirst},
		{Of: ofProfile, Name: string(ToolUse), Profile: ToolUse},
	}
}

// namesOf are the names that the table has for one question.
func namesOf[T ~string](question string) (names []T) {
	for _, a := range Aliases() {
		if a.Of == question {
			names = append(names, T(a.Name))
		}
	}
	return names
}

// alias is the row of a name; no name stands for nothing.
func alias(question, name string) Alias {
	for _, a := range Aliases() {
		if a.Of == question && a.Name == name {
			return a
		}
	}
	return Alias{}
}

// Domains lists every domain.
func Domains() []Domain { return namesOf[Domain](ofDomain) }

// LookupDomain finds a domain; no name is none. The error is an *UnknownError, which names them all.
func LookupDomain(name string) (Domain, error) { return lookup(ofDomain, name, "", Domains()) }

// Means is what the domain stands for; no domain stands for nothing.
func (d Domain) Means() Alias { return alias(ofDomain, string(d)) }

// Kinds lists every kind of work.
func Kinds() []Kind { return namesOf[Kind](ofKind) }

// Recipe is what work of the kind is done by.
func (k Kind) Recipe() Recipe { return alias(ofKind, string(k)).Recipe }

// Kind is the kind of work that the recipe is for; empty where several kinds are done by it, or none.
func (r Recipe) Kind() (only Kind) {
	for _, k := range Kinds() {
		if k.Recipe() != r {
			continue
		}
		if only != "" {
			return ""
		}
		only = k
	}
	return only
}

// Profiles lists every profile.
func Profiles() []Profile { return namesOf[Profile](ofProfile) }

// LookupProfile finds a profile; no name is none, which leaves the choice to Choose. The error is an *UnknownError,
// which names them all.
func LookupProfile(name string) (Profile, error) { return lookup(ofProfile, name, "", Profiles()) }
