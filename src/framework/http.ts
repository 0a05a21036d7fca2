// What Node knows of HTTP. To import `node:http` reads all that it exports, among which are getters that load the
// platform's fetch: a tenth of a second and 14 MB at each start, for three names.

const { METHODS, STATUS_CODES, createServer } = process.getBuiltinModule('node:http')

export { createServer, METHODS, STATUS_CODES }
