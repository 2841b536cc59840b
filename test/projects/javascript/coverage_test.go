package javascript

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/internal/testkit"
)

// A project may demand coverage that a part of its tests does not have, or have no provider of coverage installed: that is not what tests are for.
func TestRunners_MeasureNoCoverage(t *testing.T) {
	t.Parallel()
	files := map[string]map[string]string{
		"jest": {
			"package.json": `{"scripts": {"test": "jest --coverage"}, "jest": {"collectCoverage": true, "coverageThreshold": {"global": {"lines": 100}}}}`,
			"a.test.js":    "test('adds', () => { require('./code'); });\n",
		},
		"vitest": {
			"package.json":     `{"type": "module", "scripts": {"test": "vitest run --coverage"}}`,
			"vitest.config.js": "export default { test: { coverage: { enabled: true, provider: 'v8', thresholds: { lines: 100 } } } };\n",
			"a.test.js":        "import { test } from 'vitest';\nimport './code.js';\ntest('adds', () => {});\n",
		},
	}
	for program, files := range testkit.SampleMap(0, files, "vitest") {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			files["code.js"] = "globalThis.never = () => {\n  return 1;\n};\n"
			report := open(t, files, program).alone(t, false)
			require.Equal(t, gate.Pass, report.Verdict, "%s\n%s", report.Summary, report.Output)
			require.Equal(t, []string{"a.test.js > adds"}, report.PassedTests)
		})
	}
}
