import { APIException } from '../errors/exceptions.ts'
import type { RequestContext } from '../http/context.ts'
import type { Field } from './field.ts'

/**
 * Computes fields with `computeAll` for all these objects at the same time, and sets their values. Rejects with an error
 * that names `owner` and the field; an APIException of the application is passed on.
 */
export async function computeTogether(
  owner: string | undefined,
  objects: readonly Record<string, unknown>[],
  fields: readonly (readonly [name: string, field: Field])[],
  context: RequestContext,
): Promise<void> {
  if (objects.length === 0) return
  const computing = fields.map(async ([name, field]) => {
    // A field that the caller does not see is in none of them.
    const shown = objects.filter(object => Object.hasOwn(object, name))
    if (shown.length === 0) return
    try {
      const values = await field.computeAll!(
        shown.map(object => object[name]),
        context,
      )
      for (const [index, object] of shown.entries()) object[name] = values[index]
    } catch (error) {
      throw error instanceof APIException ? error : nameField(owner, name, error)
    }
  })
  await Promise.all(computing)
}

function nameField(owner: string | undefined, name: string, error: unknown): Error {
  const path = owner === undefined ? `field "${name}"` : `${owner}: field "${name}"`
  return new Error(`${path}: ${error instanceof Error ? error.message : error}`, { cause: error })
}
