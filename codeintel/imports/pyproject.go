package imports

import "strings"

// pyprojectSources returns the folders that pyproject.toml names as those above packages, as written: for setuptools,
// Poetry, PDM, and pytest, which puts them on its search path.
func pyprojectSources(content []byte) []string {
	tools := readTOML(content).in("tool")
	sources := tools.in("setuptools", "packages", "find").words("where")
	sources = append(sources, tools.in("setuptools", "package-dir").words("")...)
	sources = append(sources, tools.in("pdm", "build").words("package-dir")...)
	sources = append(sources, tools.in("pytest", "ini_options").words("pythonpath")...)
	for _, packages := range tools.in("poetry").tables("packages") {
		sources = append(sources, packages.words("from")...)
	}
	return sources
}

// setupSources returns the folders that setup.cfg names as those above packages, as written.
func setupSources(content []byte) []string {
	var sources []string
	section, key := "", ""
	for line := range strings.Lines(string(content)) {
		text := strings.TrimSpace(line)
		value := text
		switch {
		case text == "" || text[0] == '#' || text[0] == ';':
			continue
		case strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]"):
			section, key = text[1:len(text)-1], ""
			continue
		case line[0] != ' ' && line[0] != '\t': // otherwise it goes on with the key above
			key, value, _ = strings.Cut(text, "=")
			key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		}
		sources = append(sources, setupSource(section, key, value)...)
	}
	return sources
}

func setupSource(section, key, value string) []string {
	switch {
	case section == "options.packages.find" && key == "where" && value != "":
		return []string{value}
	case section == "options" && key == "package_dir":
		if name, folder, ok := strings.Cut(value, "="); ok && strings.TrimSpace(name) == "" {
			return []string{strings.TrimSpace(folder)}
		}
	}
	return nil
}
