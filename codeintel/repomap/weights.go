package repomap

// How likely a request is about a file, by what speaks for it.
const (
	priorTarget  = 1.2
	priorPath    = 1.1
	priorDefines = 0.8
	priorHit     = 1.0 // the first that search finds; others less
	priorUses    = 0.35
	priorUsed    = 0.6  // what tests call by a name that few files define
	priorWritten = 0.9  // a test that the run has written: it is not shown, and its code is
	priorBeside  = 0.8  // of the prior of the code that tests are of, and the other way round, by their names
	priorPartner = 0.9  // the same, if each change of the one changed the other
	priorComrade = 0.5  // of code that was changed together with other code
	partnerGain  = 0.3  // of what is likely for more than one reason
	priorLog     = 0.15 // of a changelog
	hitFade      = 0.3
	asideShare   = 0.3 // of examples and data
	proseShare   = 0.5
	testsForCode = 0.45 // what tests count for the author of code
	testsForUses = 0.2  // the same where the tests of the request are written
	codeForTests = 0.7
)

const (
	mostSources  = 18
	mostHits     = 14
	mostSought   = 8  // files whose counterparts and partners are looked for
	mostDefiners = 4  // of a name that tests use
	mostUsed     = 60 // names
)
