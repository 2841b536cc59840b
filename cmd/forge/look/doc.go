// Package look has the commands that read a folder without a model: search, symbols, map, explore, classify and validate.
package look
