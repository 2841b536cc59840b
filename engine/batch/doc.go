// Package batch gives requests to providers that answer within a day, for less, and brings the answers to whoever
// waits for them: also to another process, days later.
//
//	Desk.Model ─► Complete ─► gathered ─► submitting ─► submitted ─► ended ─► delivered
//	                          (item)      (a job: label) (id)        (answers)
//
// A Desk looks like a model: Complete takes a request and returns its answer, however long that takes. Requests for one
// model that come within a moment go into one job. Each step of the way is written to a file that all processes of
// Forge share before it is acted on, so a process may die anywhere, and whoever asks for the same thing again (the same
// Request.Key, as a step of a run that is resumed does) finds its item where it is.
//
// Invariant: no item is in two jobs, and one that was answered is never asked for again. A job has a label that is kept
// before the job is submitted. When nobody knows whether it was (the process died, the reply was lost), the provider is
// asked for a list of its jobs: what has the label is the job. Providers list late, so a job counts as not submitted when
// two lists, a while apart, are without it; then it is submitted with the same label.
//
// An outcome that may be another one next time (the item expired, the provider stumbled) is delivered once: who asks
// again after that has it asked anew. Every other outcome, good or bad, stays.
//
// Several processes share the work by the rows of the jobs: when to ask next, and who does. See docs/adr/0027.
package batch
