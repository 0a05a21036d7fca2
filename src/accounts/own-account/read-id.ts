import type { RequestBody } from 'resource-api/extend'

/** The field `id` of a form; undefined if it has none, or if it is not a key. */
export function readId(body: RequestBody): number | undefined {
  const text = body.kind === 'form' ? body.form.get('id') : null
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
