// Writable children of resources of the administration.

import type { Field, Resource } from '#core'

/**
 * Makes children read-only whose own resource is not among these: staff write only what the administration shows. Throws if staff
 * could then create no object, because each one needs a child.
 */
export function protectChildren(shown: readonly Resource[]): readonly Resource[] {
  const names = new Set(shown.map(({ name }) => name))
  const protect = (field: Field): Field =>
    field.childStorage && !names.has(field.childStorage.target.name) ? { ...field, readOnly: true } : field
  return shown.map(resource => {
    const fields = Object.entries(resource.fields).map(([name, field]) => [name, protect(field)] as const)
    const needed = fields.find(
      ([name, { readOnly, required }]) => readOnly && required && !resource.fields[name]!.readOnly,
    )
    if (needed !== undefined && resource.actions.includes('create')) throw createError(resource.name, ...needed)
    return { ...resource, fields: Object.fromEntries(fields) }
  })
}

function createError(resource: string, name: string, { childStorage }: Field): Error {
  return new Error(
    `administration(): a new object of "${resource}" needs the object "${name}": show the resource "${childStorage!.target.name}" too, or leave out the action "create": adminResource(${resource}, { actions: ['list', 'retrieve', 'update', 'destroy'] })`,
  )
}
