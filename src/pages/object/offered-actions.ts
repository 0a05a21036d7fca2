// The actions that a page offers for its object: the declared changes, and the views below the object that have no page of their
// own. It offers only what is permitted to this caller.

import {
  addSlash,
  endUrl,
  type Form,
  formatListTitle,
  listAllowedForms,
  type PageAction,
  type RequestContext,
} from '#core'
import { nameViewAction } from '../gateway/page-form.ts'
import type { PageContext } from '../page/page-context.ts'
import { pagePath } from '../page/page-url.ts'
import { readObject } from '../page/read-data.ts'
import { createContextAt } from '../page/view-above.ts'

type Forms = Readonly<Record<string, Form>>

/** An action of an object. */
export interface OfferedAction {
  /** The value of the parameter that opens its page. */
  readonly name: string
  readonly label: string
  /** Empty if the action needs no words. */
  readonly description: string
  readonly method: string
  /** The path that takes its form. */
  readonly path: string
  /** The form, with the fields that the action asks for. */
  readonly form: Form
  /** The values that it sets; undefined if it asks for them. */
  readonly values: PageAction['values']
  readonly isInMenu: boolean
  /** Whether it applies to the object. */
  readonly applies: () => Promise<boolean>
}

/** Lists the actions of the page's object; `body`: the object as the page shows it, undefined for an error. */
export async function listOfferedActions(
  context: PageContext,
  forms: Forms,
  body: unknown,
): Promise<readonly OfferedAction[]> {
  const { requestContext } = context
  const changes = listChanges(context, forms, body)
  if (requestContext === undefined) return nameApart(changes)
  const actions = [...changes, ...(await listViewActions(context, requestContext))]
  // A rejected form stays open.
  const offered =
    body === undefined ? actions.map(() => true) : await Promise.all(actions.map(({ applies }) => applies()))
  return nameApart(actions.filter((_, index) => offered[index]))
}

// Two actions of a page never have the same name.
const nameApart = (actions: readonly OfferedAction[]): readonly OfferedAction[] =>
  actions.map(action =>
    actions.some(other => other !== action && other.label === action.label)
      ? { ...action, label: `${action.label} (${action.name})` }
      : action,
  )

function listChanges(context: PageContext, { PATCH: form }: Forms, body: unknown): readonly OfferedAction[] {
  const { view, words, requestContext } = context
  if (form === undefined) return []
  const object = body === undefined ? undefined : readObject(body, view.envelope)
  return Object.entries(view.pageActions).flatMap(
    ([name, { label, description = '', values, fields, menu = false, applies }]) => {
      const asked = fields?.filter(field => form.fields[field] !== undefined) ?? []
      if (values === undefined ? asked.length === 0 : !canSet(values, form, object)) return []
      return {
        name,
        label: words.text(label ?? formatListTitle(name)),
        description: words.text(description),
        method: 'PATCH',
        path: pagePath(context),
        form: { ...form, fields: Object.fromEntries(asked.map(field => [field, form.fields[field]!])) },
        values,
        isInMenu: menu,
        applies: async () => applies === undefined || requestContext === undefined || applies(requestContext),
      }
    },
  )
}

// Whether the caller may set the values, and the object has others.
const canSet = (
  values: NonNullable<PageAction['values']>,
  { fields }: Form,
  object: Readonly<Record<string, unknown>> | undefined,
): boolean =>
  Object.keys(values).every(name => fields[name] !== undefined) &&
  (object === undefined || Object.entries(values).some(([name, value]) => object[name] !== value))

async function listViewActions(
  context: PageContext,
  requestContext: RequestContext,
): Promise<readonly OfferedAction[]> {
  const { view, words } = context
  const actions = await Promise.all(
    view.children.map(async name => {
      const child = view.findView(`${view.path}${name}/`)
      // A view with a page is a link.
      if (child === undefined || child.handlers.has('GET')) return []
      const childContext = createContextAt(requestContext, child)
      const forms = await listAllowedForms(childContext, child)
      const path = endUrl(`${addSlash(pagePath(context))}${name}/`, view.urlEnd)
      return Object.entries(forms).map(([method, form]) => {
        const { label, description = child.description, menu, applies } = child.pageActions[method] ?? {}
        const isReverse = method === 'DELETE' && Object.keys(forms).length > 1
        const title = formatListTitle(name)
        return {
          name: nameViewAction(name, method),
          label:
            label === undefined && isReverse ? words('page.end_action', { action: title }) : words.text(label ?? title),
          description: words.text(description),
          method,
          path,
          form,
          values: undefined,
          isInMenu: menu ?? false,
          applies: async () => applies === undefined || applies(childContext),
        }
      })
    }),
  )
  return actions.flat()
}
