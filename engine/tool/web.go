package tool

import "context"

type webSearchArgs struct {
	Query string `json:"query"`
}

func webSearch(context.Context, World, webSearchArgs) (Result, error) {
	return offline("web.search"), nil
}

type webPageArgs struct {
	URL string `json:"url"`
}

func webPage(name string) func(context.Context, World, webPageArgs) (Result, error) {
	return func(context.Context, World, webPageArgs) (Result, error) { return offline(name), nil }
}

// offline says that the web is out of reach. Nothing here opens a connection.
func offline(name string) Result {
	return failed("%s is switched off: runs read nothing from the web. Work with what is in the folder", name)
}
