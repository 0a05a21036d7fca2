// The actions that a list offers for several of its objects: their deletion, the declared changes, and those views below an object
// that declare it. An action is offered if the caller may call its method; the objects that refuse it stay as they are.

import {
  type Field,
  type Fields,
  formatListTitle,
  hasParts,
  isPermitted,
  listVisibleFields,
  type PageAction,
  type RequestContext,
  type View,
} from '#core'
import { leaveOutAsked } from '../forms/action-fields.ts'
import type { Words } from '../html/words.ts'
import { offersUndo } from '../page/offers-undo.ts'

/** An action for several objects. */
export interface BulkAction {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly method: string
  /** The last part of the path that takes the request of one object; empty for the object's own. */
  readonly segment: string
  readonly values: PageAction['values']
  /** The field to which a related object is added, which the confirmation asks for. */
  readonly asked: Fields
  /** The field that gets the same value in all objects, which the confirmation asks for; undefined for other actions. */
  readonly edits?: string
}

/** Whether the action deletes the objects themselves. */
export const isDeletion = ({ method, segment }: BulkAction): boolean => method === 'DELETE' && segment === ''

/** Lists the actions of a list; none for a view that is not a list. */
export async function listBulkActions(
  list: View,
  context: RequestContext | undefined,
  words: Words,
): Promise<readonly BulkAction[]> {
  const view = list.listMetadata && list.findView(list.listMetadata.path + list.listMetadata.objectPattern)
  if (view === undefined || context === undefined) return []
  const canChange = await canCall(view, 'PATCH', context)
  const changes = canChange ? listChanges(view, words) : []
  const edits = canChange ? listEdits(view, context, words) : []
  const views = view.children.length === 0 ? [] : await listViews(view, context, words)
  const isDeletable = await canCall(view, 'DELETE', context)
  const isUndone = isDeletable && (await offersUndo(context, list))
  const description = words(isUndone ? 'page.bulk_delete_undo' : 'page.delete_final')
  const deletion = { name: 'delete', label: words('page.delete_now'), description }
  return [
    ...changes,
    ...views,
    ...edits,
    ...(isDeletable ? [{ ...deletion, method: 'DELETE', segment: '', values: undefined, asked: {} }] : []),
  ]
}

// Whether the caller may call the method; the permissions of each object decide once it is called.
async function canCall(objectView: View, method: string, context: RequestContext): Promise<boolean> {
  const view = objectView.forMethod(method)
  if (!view.handlers.has(method)) return false
  return isPermitted({ ...context, method, view }, view.permissions)
}

function listChanges({ pageActions, forms }: View, words: Words): readonly BulkAction[] {
  const fields = forms.PATCH?.fields ?? {}
  return Object.entries(pageActions).flatMap(([name, { label, description = '', values, adds, bulk = true }]) => {
    if ((values === undefined && adds === undefined) || !bulk) return []
    return {
      name,
      label: words.text(label ?? formatListTitle(name)),
      description: words.text(description),
      method: 'PATCH',
      segment: '',
      values,
      asked: adds === undefined ? {} : { [adds]: fields[adds]! },
    }
  })
}

/** Begins the names of actions that edit a field. */
const editPrefix = 'edit.'

// A field that can have the same value in several objects. Those that actions of the object ask for, or switch, have these actions.
function listEdits(view: View, context: RequestContext, words: Words): readonly BulkAction[] {
  const { PATCH: form } = leaveOutAsked(view.forms, view)
  const nameField = view.listMetadata?.objectName
  return Object.entries(listVisibleFields(form?.fields ?? {}, context)).flatMap(([name, field]) => {
    if (!canEdit(field) || name === nameField) return []
    const label = words('page.bulk_edit_heading', { name: words.label(name, field) })
    return {
      ...{ name: editPrefix + name, label, description: '', method: 'PATCH', segment: '', values: undefined },
      asked: { [name]: field },
      edits: name,
    }
  })
}

const canEdit = (field: Field): boolean => {
  const { kind, readOnly, writeOnly, fixed, unique, multiline, file, parts, child, children, childStorage, relation } =
    field
  const isWhole = [file, parts, child, children, childStorage].every(part => part === undefined) && !hasParts(kind)
  return (
    isWhole && !multiline && !readOnly && !writeOnly && !fixed && unique === undefined && !(relation?.many ?? false)
  )
}

async function listViews(view: View, context: RequestContext, words: Words): Promise<readonly BulkAction[]> {
  const actions = await Promise.all(
    view.children.map(async name => {
      const child = view.findView(`${view.path}${name}/`)
      const form = child?.forms.POST
      const takesNothing = form !== undefined && !form.takesAny && Object.keys(form.fields).length === 0
      if (child === undefined || !takesNothing || !child.pageActions.POST?.bulk) return []
      if (!(await canCall(child, 'POST', context))) return []
      return {
        name,
        label: words.text(child.pageActions.POST?.label ?? formatListTitle(name)),
        description: words.text(child.pageActions.POST?.description ?? child.description),
        method: 'POST',
        segment: `${name}/`,
        values: undefined,
        asked: {},
      }
    }),
  )
  return actions.flat()
}
