import { type HandlerContext, integer } from 'resource-api'
import { readBody } from './account-page.ts'

const fields = { id: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, required: false }) }

/** The field `id` of a body; undefined if it has none. Rejects with ValidationError if it is not a key. */
export async function readId(context: HandlerContext): Promise<number | undefined> {
  const { id } = await readBody(fields, context)
  return id as number | undefined
}
