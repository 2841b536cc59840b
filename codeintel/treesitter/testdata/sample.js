'use strict'
const http = require('node:http'), { METHODS, get: fetch = 1 } = require('./http')

// The application.
// It does much.
var app = exports = module.exports = {}

/**
 * Adds a handler.
 *
 * @public
 */
app.use = function use(path, ...handlers) {
  var local = 1
  const inner = () => local
  return { no() {}, symbol: function () {} }
}

Object.prototype.mixed = (a) => a
exports.application = app
module.exports.version = '1'
module.exports.run = async () => { await import('./lazy.mjs') }

class Router extends Base {
  static count = 0
  #secret
  handle = (request) => request
  constructor() { super() }
  get size() { return 1 }
  static { const s = 1 }
  async *[Symbol.iterator]() {}
  'quoted name'() {}
}

const anonymous = class { method() {} }
let first, [second, { third = 3, ...others }] = list
for (let i = 0; i < 3; i++) { var inBlock }
if (first) { function conditional() {} }
label: { let hidden }
{ const hidden = 1 }

export * from './all.js'
export { a as b } from "./some.js"
export const options = {
  data() { return { nested() {} } },
  methods: { click: function () {}, 'key-down': e => e },
  plain: 1,
}
export default connect({ mounted() {} })
