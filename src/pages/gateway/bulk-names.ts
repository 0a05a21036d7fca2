// The names in the forms that run an action for several objects of a list.

/** The parameter of the URLs of these forms, and their field with the name of the action. */
export const bulkParameter = '_bulk'
/** The form fields with the paths of the selected objects. */
export const selectedField = '_selected'
/** The form field that is `1` if the action is for all objects of the list, on all pages. */
export const wholeListField = '_all'
/** The form field that a confirmed action has. */
export const confirmedField = '_confirmed'
/** The form field of the button that opens another page of the list with the selection. */
export const keepField = '_keep'
/** The form field with the result of the parts that have run already. */
export const resultField = '_result'
/** The form field of the button that stops an action between its parts. */
export const stopField = '_stop'

/** The parameter of the URLs of forms that import a file. */
export const importParameter = '_import'
/** The parameter of the page that asks for the file. */
export const importPageParameter = 'import'
/** The name of the action that takes back what another one has done. */
export const undoAction = 'undo'
/** The form fields with the ids of the deletions that it takes back. */
export const changeField = '_change'
/** The form field with the id of the last change before those that it takes back. */
export const sinceField = '_since'

/** The most objects for which one form runs an action. */
export const maxBulkObjects = 10_000
/** The most objects for which one request runs it. */
export const maxObjectsPerRequest = 500
