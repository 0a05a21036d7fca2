// Writable children of resources of the administration.

import { listChildren, type Resource } from '#core'

/**
 * Makes children read-only whose own resource is not among these: staff write only what the administration shows. Throws if staff
 * could then create no object, because each one needs a child.
 */
export function protectChildren(shown: readonly Resource[]): readonly Resource[] {
  const names = new Set(shown.map(({ name }) => name))
  return shown.map(resource => {
    const hidden = listChildren(resource.fields).filter(([, , { target }]) => !names.has(target.name))
    const needed = hidden.find(([, { readOnly, required }]) => required && !readOnly)
    if (needed !== undefined && resource.actions.includes('create'))
      throw createError(resource.name, needed[0], needed[2].target.name)
    const fields = hidden.map(([name, field]) => [name, { ...field, readOnly: true }] as const)
    return { ...resource, fields: { ...resource.fields, ...Object.fromEntries(fields) } }
  })
}

function createError(resource: string, name: string, target: string): Error {
  return new Error(
    `administration(): a new object of "${resource}" needs the object "${name}": show the resource "${target}" too, or leave out the action "create": adminResource(${resource}, { actions: ['list', 'retrieve', 'update', 'destroy'] })`,
  )
}
