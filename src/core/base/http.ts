// The parts of `node:http` that this project uses. An import of `node:http` would evaluate all its exports,
// including getters that load the built-in fetch, which costs 0.1 s and 14 MB at each start.

const { METHODS, STATUS_CODES, createServer, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http')

export { createServer, METHODS, STATUS_CODES, validateHeaderName, validateHeaderValue }
