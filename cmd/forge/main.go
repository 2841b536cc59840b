// Command forge runs a language-model pipeline against a workspace, as a language server and on the
// command line.
package main

func main() {}
