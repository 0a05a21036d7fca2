/**
 * The house: the folders of `src/`, in the order in which they build on each other. A folder imports only from folders before it
 * in its list, type imports included. The folders inside a folder without a list may have any order, but no circle.
 */
export const storeys: Readonly<Record<string, readonly string[]>> = {
  src: [
    'core',
    'openapi',
    'pages',
    'locales',
    'jobs',
    'api',
    'client',
    'server',
    'accounts',
    'jwt',
    'service',
    'testing',
    'new',
    'seed',
  ],
  'src/core': [
    'base',
    'messages',
    'errors',
    'describe',
    'database',
    'keys',
    'http',
    'fields',
    'tables',
    'pagination',
    'policy',
    'view',
    'resource',
  ],
  'src/core/resource': [
    'declare',
    'names',
    'sql',
    'query',
    'related',
    'define',
    'changes',
    'validate',
    'bind',
    'read',
    'feed',
    'write',
    'routes',
    'calls',
    'start',
  ],
  'src/pages': [
    'messages',
    'html',
    'page',
    'gateway',
    'values',
    'saved-views',
    'frame',
    'forms',
    'bulk',
    'list',
    'object',
    'download',
    'imports',
    'undo',
    'reference',
    'console',
  ],
}

/** Two folders beside each other, one of which imports from the other. */
export interface FolderImport {
  /** The folder that contains both: `src/core`. */
  readonly parent: string
  readonly from: string
  readonly to: string
}

/**
 * The folders at which the paths of two files part; undefined if one of the files lies in a folder that contains the other, as the
 * contract of a folder does.
 */
export function findFolderImport(file: string, target: string): FolderImport | undefined {
  const [own, other] = [file, target].map(path => path.split('/').slice(0, -1))
  const depth = own!.findIndex((name, index) => name !== other![index])
  if (depth === -1 || depth >= other!.length) return undefined
  return { parent: own!.slice(0, depth).join('/'), from: own![depth]!, to: other![depth]! }
}

/** Says why a folder may not import another; undefined if it may. */
export function findWrongStorey({ parent, from, to }: FolderImport): string | undefined {
  const list = storeys[parent]
  if (list === undefined) return undefined
  const unlisted = [from, to].find(name => !list.includes(name))
  if (unlisted !== undefined) return `the folder ${parent}/${unlisted} has no place: add it to scripts/storeys.ts`
  return list.indexOf(from) < list.indexOf(to) ? `${from}/ may not import ${to}/, which builds on it` : undefined
}
