// The rows of the demonstration as examples in the OpenAPI document.

import { type FieldDefinition, nameOnWire, type Resource } from '#core'

/** Returns the first row of each resource that has rows, with the names on the wire. Write-only fields, such as passwords, are left out. */
export const listExamples = (
  data: Readonly<Record<string, readonly object[]>>,
  resources: readonly Resource[],
): Readonly<Record<string, object>> =>
  Object.fromEntries(
    resources.flatMap(resource => {
      const row = Object.hasOwn(data, resource.name) ? data[resource.name]![0] : undefined
      return row === undefined ? [] : [[resource.name, toExample(row, resource)]]
    }),
  )

const toExample = (row: object, { fields }: Resource): object =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      return field === undefined || field.writeOnly ? [] : [[nameOnWire(name, field), readValue(value, field)]]
    }),
  )

// A row may name a related object by a field, `{ slug: 'tea' }`. Where bodies contain this field, its value is the example.
function readValue(value: unknown, { relation }: FieldDefinition): unknown {
  const [entry] = Object.entries(Object(value))
  return entry !== undefined && relation?.identifier.column === entry[0] ? entry[1] : value
}
