import { type BreakingChange, createChange } from './breaking-change.ts'
import type { CompareSchemas } from './compare-schemas.ts'
import { type DocumentNode, findNode, type Members, type OperationNode, readMembers } from './document-node.ts'

/** Compares the parameters of an operation and of its path. */
export function compareParameters(
  old: OperationNode,
  current: OperationNode,
  compare: CompareSchemas,
): readonly BreakingChange[] {
  const [before, after] = [listParameters(old), listParameters(current)]
  const kept = [...before].flatMap(([name, parameter]) => {
    const now = after.get(name)
    return now === undefined ? [createChange(parameter, 'was removed')] : compareParameter(parameter, now, compare)
  })
  const added = [...after].filter(([name, parameter]) => !before.has(name) && isRequired(parameter))
  return [...kept, ...added.map(([, parameter]) => createChange(parameter, 'is a new required parameter'))]
}

function compareParameter(
  old: DocumentNode,
  current: DocumentNode,
  compare: CompareSchemas,
): readonly BreakingChange[] {
  const [before, after] = [findNode(old, 'schema'), findNode(current, 'schema')]
  const [style, newStyle] = [formatStyle(readMembers(old)), formatStyle(readMembers(current))]
  return [
    ...(isRequired(current) && !isRequired(old) ? [createChange(current, 'is now required')] : []),
    ...(style === newStyle
      ? []
      : [createChange(current, `is written in another style: it was ${style} and is now ${newStyle}`)]),
    ...(before !== undefined && after !== undefined ? compare(before, after) : []),
  ]
}

const isRequired = (parameter: DocumentNode): boolean => readMembers(parameter).required === true

// The default is that of OpenAPI 3.1 §4.8.12.2.
function formatStyle({
  in: location,
  style = defaultStyles[location as string],
  explode = style === 'form',
}: Members): string {
  return `${style}${explode === true ? ', exploded' : ''}`
}

const defaultStyles: Readonly<Record<string, string>> = {
  query: 'form',
  cookie: 'form',
  path: 'simple',
  header: 'simple',
}

/** The parameters by their place and name. Those of a path are known by their order, because URLs do not contain the names. */
function listParameters({ item, operation }: OperationNode): ReadonlyMap<string, DocumentNode> {
  const [path = ''] = item.path.slice(-1)
  const names = [...String(path).matchAll(/\{([^}]*)\}/g)].map(([, name]) => name)
  return new Map(
    [item, operation].flatMap(owner => {
      const list = findNode(owner, 'parameters')
      if (list === undefined || !Array.isArray(list.value)) return []
      return list.value.map((_, index) => {
        const parameter = findNode(list, index)!
        const { name, in: location } = readMembers(parameter) as { readonly name: string; readonly in: string }
        const known = location === 'path' ? names.indexOf(name) : location === 'header' ? name.toLowerCase() : name
        return [`${location} ${known}`, parameter] as const
      })
    }),
  )
}
