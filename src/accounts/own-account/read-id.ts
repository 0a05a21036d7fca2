import { NotFound, type RequestBody } from '#core'

/** The field `id` of a body; undefined if it has none. Throws NotFound if it is not a key. */
export function readId(body: RequestBody): number | undefined {
  const given = findId(body) ?? null
  if (given === null) return undefined
  if (!/^\d{1,15}$/.test(String(given))) throw new NotFound()
  return Number(given)
}

function findId(body: RequestBody): unknown {
  if (body.kind === 'form') return body.form.get('id')
  return body.kind === 'data' ? Object(body.data).id : undefined
}
