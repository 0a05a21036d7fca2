// Config files for commands in other folders: they extend the service of this repository.

const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)

/**
 * Returns the text of a config file. `settings` are the members of an object literal; they may use `directory`,
 * `snippets`, `pageNumber` and what `head` declares.
 */
export const formatConfig = (settings = '', head = ''): string => `import service from ${source('default-service.ts')}
import { pageNumber } from ${source('framework/index.ts')}
import { directory } from ${source('profiles/directory/index.ts')}
import { snippets } from ${source('profiles/snippets/index.ts')}
${head}
export default { ...service, ${settings} }
`

/** Returns the text of a config file with JSON settings. */
export const formatJsonConfig = (settings: object): string => formatConfig(`...${JSON.stringify(settings)}`)
