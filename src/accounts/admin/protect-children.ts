// Writable children of resources of the administration.

import type { Resource } from 'resource-api'
import type { Field } from 'resource-api/extend'

/** Makes children read-only whose own resource is not among these: staff write only what the administration shows. */
export function protectChildren(shown: readonly Resource[]): readonly Resource[] {
  const names = new Set(shown.map(({ name }) => name))
  const protect = (field: Field): Field =>
    field.storage.kind === 'children' && !names.has(field.storage.target.name) ? { ...field, readOnly: true } : field
  return shown.map(resource => ({
    ...resource,
    fields: Object.fromEntries(Object.entries(resource.fields).map(([name, field]) => [name, protect(field)])),
  }))
}
