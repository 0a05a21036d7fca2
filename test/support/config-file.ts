// Config files for commands in other folders: they extend the service of this repository.

const defaultService = JSON.stringify(new URL('../../src/seed/default-service.ts', import.meta.url).href)

/**
 * Returns the text of a config file. `settings` are the members of an object literal; they may use `directory`,
 * `snippets`, `pageNumber` and what `head` declares.
 */
export const formatConfig = (settings = '', head = ''): string => `import service from ${defaultService}
import { pageNumber } from 'resource-api'
import { directory } from 'resource-api/directory'
import { snippets } from 'resource-api/snippets'
${head}
export default { ...service, ${settings} }
`

/** Returns the text of a config file with JSON settings. */
export const formatJsonConfig = (settings: object): string => formatConfig(`...${JSON.stringify(settings)}`)
