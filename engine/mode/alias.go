package mode

// Domain, Kind and Profile are other ways to describe a request; their values are aliases of a recipe, a mode and a profile.
type (
	// Domain is the field of a request: it sets defaults.
	Domain string
	// Kind is the kind of work of a request (Classify).
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
	KindBugfix        Kind = "bugfix"
	KindRefactor      Kind = "refactor"
	KindFeature       Kind = "feature"
	KindOptimisation  Kind = "optimisation"
	KindAnalysis      Kind = "analysis"
	KindSetup         Kind = "setup"
	KindTest          Kind = "test"          // only tests are written or changed
	KindDocumentation Kind = "documentation" // only documents and comments are
	KindConversation  Kind = "conversation"  // about nothing in the folder
)

// The types of aliases.
const (
	ofDomain  = "domain"
	ofKind    = "kind"
	ofProfile = "profile"
)

// Alias is a name of a domain, a kind of work or a profile, with its defaults.
type Alias struct {
	Of, Name string
	Recipe   Recipe  // empty: from the classification of the request
	Mode     Name    // empty: the configured mode
	Profile  Profile // empty: from Choose
	Summary  string  // of a domain, one line for users
}

// Aliases is the table of all aliases. A kind follows from a recipe only if it is the recipe's only one (Recipe.Kind).
func Aliases() []Alias {
	return []Alias{
		{Of: ofDomain, Name: string(CodeGeneration), Recipe: Implement, Summary: "behaviour is added or changed, tests first"},
		{Of: ofDomain, Name: string(Research), Recipe: Ask, Summary: "a question is answered; no file is changed"},
		{Of: ofDomain, Name: string(CodeReview), Recipe: Review, Mode: Audit, Summary: "code is reviewed and the findings are reported; no file is changed"},
		{Of: ofDomain, Name: string(Documentation), Recipe: Document, Summary: "documentation and comments are written; no behaviour changes"},
		{Of: ofDomain, Name: string(Generic), Summary: "the request determines the kind of work, if that is certain"},

		{Of: ofKind, Name: string(KindBugfix), Recipe: Fix},
		{Of: ofKind, Name: string(KindRefactor), Recipe: Refactor},
		{Of: ofKind, Name: string(KindOptimisation), Recipe: Implement},
		{Of: ofKind, Name: string(KindFeature), Recipe: Implement},
		{Of: ofKind, Name: string(KindTest), Recipe: Test},
		{Of: ofKind, Name: string(KindDocumentation), Recipe: Document},
		{Of: ofKind, Name: string(KindSetup), Recipe: Implement},
		{Of: ofKind, Name: string(KindAnalysis), Recipe: Ask},
		{Of: ofKind, Name: string(KindConversation), Recipe: Ask},

		{Of: ofProfile, Name: string(Completion), Profile: Completion},
		{Of: ofProfile, Name: string(TestsFirst), Profile: TestsFirst},
		{Of: ofProfile, Name: string(ToolUse), Profile: ToolUse},
	}
}

// namesOf returns the names of one type in the table.
func namesOf[T ~string](question string) (names []T) {
	for _, a := range Aliases() {
		if a.Of == question {
			names = append(names, T(a.Name))
		}
	}
	return names
}

// alias returns the row of a name; it is zero for no name.
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

// LookupDomain finds a domain; no name returns none. The error is an *UnknownError, which lists all names.
func LookupDomain(name string) (Domain, error) { return lookup(ofDomain, name, "", Domains()) }

// Means returns the defaults of the domain; none for no domain.
func (d Domain) Means() Alias { return alias(ofDomain, string(d)) }

// Kinds lists every kind of work.
func Kinds() []Kind { return namesOf[Kind](ofKind) }

// Recipe returns the recipe for work of the kind.
func (k Kind) Recipe() Recipe { return alias(ofKind, string(k)).Recipe }

// Kind returns the kind of work that the recipe is for; empty if there is not exactly one.
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

// LookupProfile finds a profile; no name returns none, which leaves the choice to Choose. The error is an
// *UnknownError, which lists all names.
func LookupProfile(name string) (Profile, error) { return lookup(ofProfile, name, "", Profiles()) }
