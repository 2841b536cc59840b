package openai

import (
	"context"
	"strings"

	"forge/engine/llm/wire"
)

// Models lists the server's names of its models, in its order, except unprintable names. A server without models is no error.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	x, ctx := c.server.Exchange(ctx, wire.Document)
	defer x.End()
	list, err := c.library(x).ListModels(ctx)
	if err != nil {
		return nil, x.Failure(err)
	}
	names := make([]string, 0, len(list.Models))
	for _, model := range list.Models {
		if model.ID != "" && !strings.ContainsFunc(model.ID, wire.Unprintable) {
			names = append(names, model.ID)
		}
	}
	return names, nil
}
