package mode

// Domain is the field that a request is in: a default for what nobody has said of how it is to be done.
type Domain string

// The domains.
const (
	CodeGeneration Domain = "code_generation"
	Research       Domain = "research"
	CodeReview     Domain = "code_review"
	Documentation  Domain = "documentation"
	Generic        Domain = "generic"
)

// The recipes of runs that change nothing and that domains lead to: engine/pipeline has their nodes.
const (
	Ask    Recipe = "ask"
	Review Recipe = "review"
)

// Meaning is what a domain means where neither a recipe nor a mode is said.
type Meaning struct {
	Domain Domain
	Recipe Recipe // empty leaves it to the kind of work that the request is taken for
	Mode   Name   // empty leaves it to what holds anyway
	// Summary is one line about the domain, for people.
	Summary string
}

// Meanings is the table of the domains.
func Meanings() []Meaning {
	return []Meaning{
		{CodeGeneration, Implement, "", "behaviour is added or changed, tests first"},
		{Research, Ask, "", "a question is answered; nothing is changed"},
		{CodeReview, Review, Audit, "code is looked at, and what is found is reported; nothing is changed"},
		{Documentation, Document, "", "documentation and comments are written; no behaviour changes"},
		{Generic, "", "", "the request itself says what kind of work it is, where that is sure"},
	}
}

// Domains lists every domain.
func Domains() []Domain {
	var all []Domain
	for _, d := range Meanings() {
		all = append(all, d.Domain)
	}
	return all
}

// LookupDomain finds a domain; no name is none. The error is an *UnknownError, which names them all.
func LookupDomain(name string) (Domain, error) { return lookup("domain", name, "", Domains()) }

// Means is what the domain stands for; no domain stands for nothing.
func (d Domain) Means() Meaning {
	for _, row := range Meanings() {
		if row.Domain == d {
			return row
		}
	}
	return Meaning{}
}
