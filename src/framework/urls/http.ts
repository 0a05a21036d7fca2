// What Node knows of HTTP. To import `node:http` reads all that it exports, among which are getters that load the
// platform's fetch: a tenth of a second and 14 MB at each start, for two lists.

const { METHODS, STATUS_CODES } = process.getBuiltinModule('node:http')

export { METHODS, STATUS_CODES }
