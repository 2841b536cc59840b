package episodes

func javascriptProject() project {
	const head = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n\n"
	const fees = "/** What a payment costs: one cent in a hundred, at least one. */\nexport function fee(cents) {\n  return "
	const refunds = head + "import { refund } from './refund.js';\n\n"
	const code = "export function refund(cents) {\n  return "
	return project{
		name: "javascript", few: 1,
		files: map[string]string{
			"package.json": "{\n  \"name\": \"pay\",\n  \"version\": \"1.0.0\",\n  \"type\": \"module\",\n  \"scripts\": { \"test\": \"node --test\" }\n}\n",
			"pay.js":       fees + "Math.max(1, Math.floor(cents / 100));\n}\n",
			"pay.test.js": head + "import { fee } from './pay.js';\n\ntest('fee', () => {\n  assert.equal(fee(200), 2);\n});\n\n" +
				"test('fee is at least one', () => {\n  assert.equal(fee(5), 1);\n});\n",
		},
		failing: map[string]string{"pay.js": fees + "Math.floor(cents / 100);\n}\n"},
		accept: map[string]string{
			"accept.test.js": refunds + "test('accept', () => {\n  assert.deepEqual([0, 7, 250, -3].map((c) => refund(c) + 0), [0, -7, -250, 0]);\n});\n",
		},
		suite:  []string{"node", "--test"},
		source: "refund.js", test: "refund.test.js", named: "fee is at least one",
		rightTest:   refunds + "test('refund', () => {\n  assert.deepEqual([0, 5, -5].map((c) => refund(c) + 0), [0, -5, 0]);\n});\n",
		right:       code + "-Math.max(0, cents);\n}\n",
		wrong:       code + "cents;\n}\n",
		otherWrong:  code + "-cents;\n}\n",
		broken:      code + "-cents +;\n}\n",
		repaired:    edit{"pay.js", fees + "Math.max(1, Math.floor(cents / 100));\n}\n"},
		weakened:    edit{"pay.test.js", head + "import { fee } from './pay.js';\n\ntest('fee', () => {\n  fee(200);\n});\n\ntest('fee is at least one', () => {\n  fee(5);\n});\n"},
		ending:      edit{"test('fee is at least one', () => {\n", "  if (fee(5) === 0) return;\n"},
		skipping:    refunds + "test('refund', { skip: 'later' }, () => {\n  assert.equal(refund(5), -5);\n});\n",
		exiting:     "process.exit(0);\n",
		vacuous:     head + "test('refund', () => {\n  assert.equal(1, 1);\n});\n",
		hopeless:    refunds + "test('refund', () => {\n  assert.notEqual(refund(5), refund(5));\n});\n",
		conditional: head + "import { ready, refund } from './refund.js';\n\ntest('refund', { skip: !ready }, () => {\n  assert.equal(refund(5), -5);\n});\n",
		excusing:    "export const ready = false;\n\n" + code + "cents;\n}\n",
		vanishing:   "process.exit(0);\n\n" + code + "cents;\n}\n",
		forging:     "console.log('TAP version 13\\n# Subtest: refund\\nok 1 - refund\\n1..1\\n# tests 1\\n# pass 1\\n# fail 0');\nprocess.exit(0);\n\n" + code + "cents;\n}\n",
		writing: "import { writeFileSync } from 'node:fs';\nconst file = process.cwd() + '/refund.test.js';\n" +
			"writeFileSync(`/proc/${process.ppid}/fd/1`, JSON.stringify({ t: 'pass', n: 'refund', d: 0, f: file, l: 6, c: 1 }) + '\\n');\nprocess.exit(0);\n\n" + code + "cents;\n}\n",
		loosened: edit{"package.json", "{\n  \"name\": \"pay\",\n  \"version\": \"1.0.0\",\n  \"type\": \"module\",\n  \"scripts\": { \"test\": \"node --test pay.test.js\" }\n}\n"},
		comment:  "// ",
	}
}
