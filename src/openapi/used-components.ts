// The components to which the other parts of a document refer, directly or through other components.

import type { Components } from '#core'

type Sections = Pick<Components, 'schemas' | 'responses' | 'headers'>

const reference = /^#\/components\/(schemas|responses|headers)\/(.+)$/

/**
 * Leaves out the components to which the other parts of the document do not refer: an exception handler of the application may
 * replace the errors that views describe.
 */
export function keepUsedComponents(others: object, { schemas, responses, headers }: Sections): Sections {
  const sections = { schemas, responses, headers }
  const used = { schemas: new Set<string>(), responses: new Set<string>(), headers: new Set<string>() }
  // The list grows while it is read. Components may form a chain that is too long for a call per component.
  const parts: unknown[] = [others]
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    for (const [member, value] of Object.entries(part))
      if (member === '$ref' && typeof value === 'string') visitReference(value)
      else visit(value)
  }
  const visitReference = (text: string): void => {
    const [, section, name] = (reference.exec(text) ?? []) as unknown as [string, keyof Sections, string]
    if (section === undefined || used[section].has(name)) return
    used[section].add(name)
    parts.push(sections[section][name])
  }
  for (const part of parts) visit(part)
  const keep = <Part>(all: Readonly<Record<string, Part>>, names: ReadonlySet<string>): Record<string, Part> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)))
  return {
    schemas: keep(schemas, used.schemas),
    responses: keep(responses, used.responses),
    headers: keep(headers, used.headers),
  }
}
