// Several objects of a list are deleted at once: one request each, so that each is asked for what stands before it, and
// what may not go stays. The script of the pages sends them.

import { html } from 'ghtml'
import type { RequestContext } from '../context.ts'
import { objectColumns, permits } from '../permissions/permission.ts'
import type { View } from '../view.ts'

/** May the caller delete the objects of this view, whichever they are? */
export async function mayDeleteAny(objects: View | undefined, context: RequestContext | undefined): Promise<boolean> {
  const view = objects?.forMethod('DELETE')
  if (!context || !view?.handlers.has('DELETE') || objectColumns(view.permissions) !== undefined) return false
  return permits({ ...context, method: 'DELETE', view }, view.permissions)
}

/** A table whose rows can be chosen, and the button that asks once more. */
export const bulkDelete = (tableHtml: string): string => html`<div data-bulk>
!${tableHtml}<p class="bulk"><button type="button" class="danger" data-open="delete-chosen" data-script hidden disabled>Delete the chosen</button> <span role="status" data-result></span></p>
<dialog id="delete-chosen" aria-labelledby="delete-chosen-title">
<h2 id="delete-chosen-title">Delete <span data-count>0</span>?</h2>
<p>What is deleted cannot be brought back.</p>
<form method="dialog"><button value="no">Keep all</button> <button type="button" class="danger" data-delete-chosen>Delete them</button></form>
</dialog>
</div>
`
