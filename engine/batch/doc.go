// Package batch submits requests to providers that answer within a day for a lower price, and delivers the
// answers to their callers, even in another process days later.
//
//	Desk.Model ─► Complete ─► gathered ─► submitting ─► submitted ─► ended ─► delivered
//	                          (item)      (a job: label) (id)        (answers)
//
// A Desk looks like a model: Complete takes a request and returns its answer, however long that takes. Requests for one
// model that arrive within a short time go into one job. Each step is written to a file that all processes of Forge share
// before it is acted on. So a process may die at any point, and a repeated request (with the same Request.Key, as in a
// resumed run) finds its item.
//
// Invariant: no item is in two jobs, and an answered item is never requested again. A job's label is stored before the
// job is submitted. If it is unknown whether the submission succeeded (the process died, the reply was lost), the desk
// lists the provider's jobs and looks for the label. Providers list late, so a job counts as not submitted when two
// lists, some time apart, lack it; then it is submitted with the same label.
//
// A temporary outcome (the item expired, the provider failed) is delivered once: a later request for the item submits it
// again. Every other outcome, good or bad, stays.
//
// Several processes share the work through the rows of the jobs: when to ask next, and which process asks. See docs/adr/0027.
package batch
