import { adviseName } from '../../base/nearest-name.ts'
import type { Resource } from '../declare/resource.ts'

/** The most relations that a path follows. */
export const maxDepth = 3

type SelectingOptions = Pick<
  Resource,
  'fields' | 'perAction' | 'sparseFields' | 'expandableFields' | 'fieldSets' | 'unknownNames' | 'selectsIn'
>

/** Throws for the first mistake in what the options say about the resource's own fields. */
export function checkSelection({
  fields,
  perAction,
  sparseFields = false,
  expandableFields = [],
  fieldSets = {},
  unknownNames = 'refuse',
  selectsIn = 'reads',
}: SelectingOptions): void {
  // Node runs TypeScript without checking types.
  if (typeof sparseFields !== 'boolean') throw new Error('sparseFields must be true or false')
  if (!Array.isArray(expandableFields))
    throw new Error(`expandableFields must be a list: write [${JSON.stringify(expandableFields)}]`)
  if (!['refuse', 'ignore'].includes(unknownNames)) throw new Error("unknownNames must be 'refuse' or 'ignore'")
  if (!['reads', 'all'].includes(selectsIn)) throw new Error("selectsIn must be 'reads' or 'all'")
  if (selectsIn === 'all' && !sparseFields && expandableFields.length === 0)
    throw new Error('selectsIn: callers can select nothing: declare sparseFields or expandableFields, or remove it')
  for (const [parameter, names] of Object.entries(fieldSets)) checkSet(parameter, names, fields)
  for (const path of expandableFields) {
    const [name, ...rest] = String(path).split('.') as [string, ...string[]]
    const fail = (problem: string) => {
      throw new Error(`expandableFields: "${path}": ${problem}`)
    }
    if (!Object.hasOwn(fields, name)) fail(`there is no field "${name}"${adviseName(name, Object.keys(fields))}`)
    if (fields[name]!.writeOnly) fail(`field "${name}" is write-only, so no response shows it`)
    if (rest.length >= maxDepth) fail(`the path follows ${rest.length + 1} relations: at most ${maxDepth} are possible`)
    const { list, retrieve, create, update } = perAction
    const actions = selectsIn === 'all' ? [list, retrieve, create, update] : [list, retrieve]
    const shows = actions.map(action => action?.shows)
    if (shows.every(names => names !== undefined && !names.includes(name)))
      fail(`neither lists nor objects show field "${name}": add it to "shows"`)
  }
}

function checkSet(parameter: string, names: readonly string[], fields: Resource['fields']): void {
  const fail = (problem: string) => {
    throw new Error(`fieldSets: "${parameter}": ${problem}`)
  }
  if (!/^[A-Za-z_][\w-]*$/.test(parameter)) fail('the name must be that of a parameter: letters, digits, _ and -')
  if (!Array.isArray(names) || names.length === 0) fail('write a list of fields, such as ["id", "name"]')
  for (const name of names) {
    if (!Object.hasOwn(fields, name)) fail(`there is no field "${name}"${adviseName(name, Object.keys(fields))}`)
    if (fields[name]!.writeOnly) fail(`field "${name}" is write-only, so no response shows it`)
  }
}
