// The name of a new project's npm package, derived from the name of its folder.

/** Names that npm refuses. */
const refused = ['node_modules', 'favicon.ico']

/**
 * Derives the name: `My Shop` becomes `my-shop`. Undefined if nothing of the name can be kept, or if npm refuses the
 * result.
 */
export function toPackageName(folderName: string): string | undefined {
  const name = folderName
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/g, '-')
    .replace(/^[._~-]+|[._~-]+$/g, '')
    .slice(0, 214)
  return name === '' || refused.includes(name) ? undefined : name
}
