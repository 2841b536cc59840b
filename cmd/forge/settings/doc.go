// Package settings has the commands about what Forge may use: providers and their keys, models, MCP servers, skills, agents, trust and
// permissions, and about what is missing for it.
package settings
