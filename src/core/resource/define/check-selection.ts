import { adviseName } from '../../base/nearest-name.ts'
import type { Resource } from '../declare/resource.ts'

/** The most relations that a path follows. */
export const maxDepth = 3

/** Throws for the first mistake in what the options say about the resource's own fields. */
export function checkSelection({
  fields,
  perAction,
  sparseFields = false,
  expandableFields = [],
}: Pick<Resource, 'fields' | 'perAction' | 'sparseFields' | 'expandableFields'>): void {
  // Node runs TypeScript without checking types.
  if (typeof sparseFields !== 'boolean') throw new Error('sparseFields must be true or false')
  if (!Array.isArray(expandableFields))
    throw new Error(`expandableFields must be a list: write [${JSON.stringify(expandableFields)}]`)
  for (const path of expandableFields) {
    const [name, ...rest] = String(path).split('.') as [string, ...string[]]
    const fail = (problem: string) => {
      throw new Error(`expandableFields: "${path}": ${problem}`)
    }
    if (!Object.hasOwn(fields, name)) fail(`there is no field "${name}"${adviseName(name, Object.keys(fields))}`)
    if (fields[name]!.writeOnly) fail(`field "${name}" is write-only, so no response shows it`)
    if (rest.length >= maxDepth) fail(`the path follows ${rest.length + 1} relations: at most ${maxDepth} are possible`)
    const shows = [perAction.list?.shows, perAction.retrieve?.shows]
    if (shows.every(names => names !== undefined && !names.includes(name)))
      fail(`neither lists nor objects show field "${name}": add it to "shows"`)
  }
}
