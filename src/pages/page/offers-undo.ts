import { addSlash, listAllowedForms, type RequestContext, type View } from '#core'
import { createContextAt } from './view-above.ts'

/** Whether the notice after a deletion of objects of this list offers to bring them back: the log has their values. */
export async function offersUndo(context: RequestContext, list: View): Promise<boolean> {
  if (list.findView(addSlash('/activity')) === undefined) return false
  return (await listAllowedForms(createContextAt(context, list), list)).POST !== undefined
}
