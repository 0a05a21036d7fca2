// The request that takes a change back: an ordinary PATCH of the object with the old values, or for a deleted object a POST to its list,
// with the permissions, checks, hooks and audit events of one.

import { type HandlerContext, ValidationError, type View } from '#core'
import { pageMessages } from '../messages/page-messages.ts'
import { findOldValues } from './old-values.ts'
import { type LoggedChange, readActivity, readHistory } from './read-changes.ts'

/** The view whose handler of the method gets the old values of the change with this id. */
export function undoChange(view: View, method: string, id: string): View {
  const own = view.forMethod(method)
  const handle = own.handlers.get(method)
  if (handle === undefined || (method !== 'PATCH' && method !== 'POST')) return view
  const handleUndo = async (context: HandlerContext) => {
    const change = await findChange(context, view, method, id)
    if (change === undefined) throw new ValidationError(pageMessages('page.undo_gone'))
    const { form, fields } = await findOldValues(change, view, method, context)
    if (Object.keys(fields).length === 0) throw new ValidationError(pageMessages('page.undo_nothing'))
    const { requestBody } = context
    if (requestBody.kind === 'form') for (const [name, value] of form) requestBody.form.append(name, value)
    return handle(context)
  }
  const undoing: View = {
    ...own,
    handlers: new Map([...own.handlers, [method, handleUndo]]),
    forMethod: name => (name === method ? undoing : view.forMethod(name)),
  }
  return undoing
}

/** The change with this id that a request with this method can take back; undefined if the caller may not read it. */
export async function findChange(
  context: HandlerContext | Parameters<typeof readHistory>[0],
  view: View,
  method: 'PATCH' | 'POST',
  id: string,
): Promise<LoggedChange | undefined> {
  if (!/^\d{1,16}$/.test(id)) return undefined
  const read = method === 'PATCH' ? readHistory : readActivity
  const [change] = await read(context, view, { change: id })
  const action = method === 'PATCH' ? 'update' : 'destroy'
  return change?.action === action && String(change.id) === id ? change : undefined
}
