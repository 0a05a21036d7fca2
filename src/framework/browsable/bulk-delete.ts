// Deletes several objects of a list. The page's script sends one DELETE request per object, so each deletion is checked
// separately, and objects that may not be deleted stay.

import { html } from 'ghtml'
import type { RequestContext } from '../context.ts'
import { isPermitted, listObjectColumns } from '../permissions/permission.ts'
import type { View } from '../view.ts'

/** Whether the caller may delete every object of this view; false if the permission depends on the object. */
export async function canDeleteAny(
  detailView: View | undefined,
  context: RequestContext | undefined,
): Promise<boolean> {
  const view = detailView?.forMethod('DELETE')
  if (!context || !view?.handlers.has('DELETE') || listObjectColumns(view.permissions) !== undefined) return false
  return isPermitted({ ...context, method: 'DELETE', view }, view.permissions)
}

/** A table with selectable rows, the button that deletes them, and a dialog that asks for confirmation. */
export const bulkDelete = (tableHtml: string): string => html`<div data-bulk-delete>
!${tableHtml}<p class="bulk"><button type="button" class="danger" data-open-dialog="delete-selected" data-needs-script hidden disabled>Delete selected</button></p>
<dialog id="delete-selected" aria-labelledby="delete-selected-title">
<h2 id="delete-selected-title">Delete the selected objects (<span data-count>0</span>)?</h2>
<p>This cannot be undone.</p>
<form method="dialog"><button value="cancel">Cancel</button> <button type="button" class="danger" data-delete-selected>Delete</button></form>
</dialog>
</div>
`
