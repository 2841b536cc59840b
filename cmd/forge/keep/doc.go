// Package keep has the commands about stored data: runs, tasks, memory, costs, folders. Most of them decode arguments, call api/service and
// print the result.
package keep
