// Package look has the commands that read a folder and ask no model: search, symbols, map, explore, classify and validate.
package look
