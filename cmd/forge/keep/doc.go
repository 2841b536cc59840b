// Package keep has the commands about what Forge keeps: runs, tasks, memory, costs, models and their keys, skills. Most of them decode, call
// api/service and print.
package keep
