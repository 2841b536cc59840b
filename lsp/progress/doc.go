// Package progress turns the events of a run into the progress that a user sees: one begin, reports, exactly one end.
package progress
