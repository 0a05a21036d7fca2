// The parts of `node:http` that this project uses. `import 'node:http'` evaluates all its exports, including getters
// that load the platform's fetch: 0.1 s and 14 MB at each start.

const { METHODS, STATUS_CODES, createServer } = process.getBuiltinModule('node:http')

export { createServer, METHODS, STATUS_CODES }
