// The page that asks for confirmation of an action for several objects: their names and number, and what their deletion affects.

import { frameworkMessages } from '#core'
import { type BulkAction, isDeletion } from './bulk/bulk-actions.ts'
import { type BulkChoice, bulkPage, maxNames } from './bulk/bulk-page.ts'
import { readSelection } from './bulk/bulk-selection.ts'
import { createFormContext } from './forms/form-context.ts'
import type { FormContext } from './forms/forms.ts'
import { findPickers } from './forms/pickers.ts'
import { maxBulkObjects } from './gateway/bulk-names.ts'
import { listAllPaths } from './list/list-all-paths.ts'
import { listObjects } from './list/list-section.ts'
import { findObjectPath, nameObject } from './list/table.ts'
import { countsHtml, ofSeveral, preventsHtml } from './object/deletion-page.ts'
import { findListPath } from './page/find-list-path.ts'
import type { PageContext } from './page/page-context.ts'
import { readObject } from './page/read-data.ts'
import { readObjectAt } from './page/read-object-at.ts'
import type { PreparedPage } from './prepared-page.ts'
import { lacksValue } from './run-bulk-form.ts'

/** The middle of the page. */
export async function bulkConfirmation(
  prepared: PreparedPage,
  action: BulkAction,
  form: URLSearchParams,
): Promise<string> {
  const { context, body, total } = prepared
  const { view } = context
  const listMetadata = view.listMetadata!
  const list = { listMetadata, listPath: findListPath(context, listMetadata), urlEnd: view.urlEnd }
  const names = new Map(
    listObjects(body, view).flatMap(object => {
      const path = findObjectPath(object, list)
      return path === undefined ? [] : [[path, nameObject(object, listMetadata, context.words)] as const]
    }),
  )
  const isObject = (path: string) =>
    path.startsWith(list.listPath) && listMetadata.isObjectSegment(path.slice(list.listPath.length))
  const selected = readSelection(form, list.listPath).filter(isObject).slice(0, maxBulkObjects)
  // Without a selection, nothing is chosen beforehand.
  const isSelection = selected.length > 0
  const paths = isSelection ? selected : [...names.keys()]
  const count = total?.isExact && total.count <= maxBulkObjects ? total.count : undefined
  const choice = { names, paths, isSelection, total: count }
  const counts = await countAll(action, choice, context)
  return bulkPage(
    action,
    { ...choice, ...counts, names: new Map([...names, ...(await readNames(paths, names, context))]) },
    form,
    context,
    await createBulkContext(prepared, action, form),
  )
}

// The names of selected objects of other pages. An object that the caller cannot read any more refuses the action.
async function readNames(
  paths: readonly string[],
  namesOnPage: ReadonlyMap<string, string>,
  context: PageContext,
): Promise<readonly (readonly [path: string, name: string])[]> {
  const { view, words } = context
  const unknown = paths.slice(0, maxNames).filter(path => !namesOnPage.has(path))
  const names = await Promise.all(
    unknown.map(async path => {
      const shown = await readObjectAt(path, context)
      if (shown === undefined) return []
      const object = readObject(shown.body, shown.context.view.envelope)
      return [[path, nameObject(object, view.listMetadata!, words)] as const]
    }),
  )
  return names.flat()
}

// The page has no search for browsers without the script.
const maxOptions = 1000

async function createBulkContext(
  prepared: PreparedPage,
  action: BulkAction,
  form: URLSearchParams,
): Promise<FormContext> {
  const { context } = prepared
  const { words, requestBody, status } = context
  const requests = Object.entries(action.asked)
    .filter(([, { relation }]) => relation !== undefined)
    .map(([name, field]) => ({ field, values: form.getAll(name), maxListed: maxOptions }))
  const isRejected = status === 400 && lacksValue(action, form)
  const required = [words.text(frameworkMessages('required'))]
  const errors = Object.fromEntries(Object.keys(action.asked).map(name => [name, required]))
  return {
    ...createFormContext(prepared),
    pickers: await findPickers(requests, context),
    rejected: isRejected ? { method: 'POST', body: requestBody!, errors } : undefined,
  }
}

type ChoiceCounts = Pick<BulkChoice, 'preventsHtml' | 'countsHtml'>

// One statement per table for all objects. What prevents the deletion of selected objects is said once, before the choices.
async function countAll(
  action: BulkAction,
  { paths, names, total }: Omit<BulkChoice, keyof ChoiceCounts>,
  context: PageContext,
): Promise<ChoiceCounts> {
  const { view, requestContext, request } = context
  const { path: pattern, objectPattern } = view.listMetadata!
  const objectView = view.findView(pattern + objectPattern)
  const count = isDeletion(action) ? objectView?.objectMetadata?.countDeletion : undefined
  if (count === undefined || requestContext === undefined) return { preventsHtml: '', countsHtml: ['', ''] }
  const listPath = findListPath(context, view.listMetadata!)
  const read = (counted: readonly string[]) =>
    count(counted.map(path => path.slice(listPath.length, path.length - view.urlEnd.length)))
  const ofSelected = await read(paths)
  const prevents = preventsHtml(ofSelected, ofSeveral, context)
  const selected = countsHtml(ofSelected, ofSeveral, context)
  if (total === undefined) return { preventsHtml: prevents, countsHtml: [selected, ''] }
  if (total === paths.length && total === names.size)
    return { preventsHtml: prevents, countsHtml: [selected, selected] }
  const all = await listAllPaths(view.findView(view.path)!, requestContext, request.url, maxBulkObjects)
  const ofAll = await read(all)
  const others = prevents === '' ? preventsHtml(ofAll, ofSeveral, context) : ''
  return { preventsHtml: prevents, countsHtml: [selected, others + countsHtml(ofAll, ofSeveral, context)] }
}
