package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"forge/engine/tool"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// answerOf returns the result of a call as text, with the kind and size of each part that is not text.
func answerOf(r *sdk.CallToolResult) tool.MCPAnswer {
	var parts []string
	for _, c := range r.Content {
		parts = append(parts, partOf(c))
	}
	if len(parts) == 0 && r.StructuredContent != nil {
		text, _ := json.Marshal(r.StructuredContent) // it was JSON
		parts = append(parts, string(text))
	}
	text := strings.Join(parts, "\n")
	text = cmp.Or(text, "(no output)")
	return tool.MCPAnswer{Text: text, Failed: r.IsError}
}

func partOf(c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text
	case *sdk.ImageContent:
		return fmt.Sprintf("[image, %s, %d bytes]", c.MIMEType, len(c.Data))
	case *sdk.AudioContent:
		return fmt.Sprintf("[audio, %s, %d bytes]", c.MIMEType, len(c.Data))
	case *sdk.ResourceLink:
		return fmt.Sprintf("[resource %s %s]", c.URI, c.Name)
	case *sdk.EmbeddedResource:
		switch {
		case c.Resource == nil:
			return "[resource]"
		case c.Resource.Text != "":
			return c.Resource.Text
		}
		return fmt.Sprintf("[resource %s, %d bytes]", c.Resource.URI, len(c.Resource.Blob))
	}
	return "[content of an unknown kind]"
}
