// The field that names an object, for resources that do not say: a text that people recognize it by.

import type { Field, Fields } from '../../fields/field.ts'
import { isText } from '../../fields/kinds/kind.ts'
import type { Resource } from '../declare/resource.ts'

interface Named {
  readonly fields: Fields
  readonly searchFields?: readonly string[] | undefined
  readonly lookup?: string | readonly string[] | undefined
}

/**
 * The field: the one unique text, unless it is that of the URL; a text `name` or `title`; the text of the URL; the first searched text.
 * Undefined if there is none of them.
 */
function findObjectName({ fields, searchFields = [], lookup = [] }: Named): string | undefined {
  const lookups: readonly string[] = [lookup].flat()
  const isName = (name: string | undefined) =>
    name !== undefined && Object.hasOwn(fields, name) && canName(fields[name]!)
  const unique = Object.keys(fields).filter(
    name => isName(name) && fields[name]!.unique !== undefined && !lookups.includes(name),
  )
  return [unique.length === 1 ? unique[0] : undefined, 'name', 'title', ...lookups, ...searchFields].find(isName)
}

// Every caller who sees the object sees the text, in one line.
const canName = ({
  kind,
  writeOnly,
  visible,
  isPartial,
  multiline,
  choices,
  relation,
  foreignColumn,
  file,
}: Field): boolean =>
  isText(kind) &&
  !writeOnly &&
  visible === undefined &&
  !isPartial &&
  !multiline &&
  !choices &&
  !relation &&
  !foreignColumn &&
  !file

/** The option of a resource. A resource that is declared with the properties of another one finds its own default. */
export function completeObjectName(
  options: Named &
    Readonly<Partial<Record<'objectName' | 'defaultName', string | undefined>>> &
    Pick<Resource, 'noStore'>,
): Pick<Resource, 'objectName' | 'defaultName'> {
  const { objectName, defaultName, noStore } = options
  if (objectName !== undefined && objectName !== defaultName) return { objectName }
  // The names of a resource with secrets would be in the audit log.
  const found = noStore ? undefined : findObjectName(options)
  return found === undefined ? {} : { objectName: found, defaultName: found }
}
