// The notice of what the request before this page has done, such as "Saved: Email". A redirect cannot say this itself, so a cookie
// does: it names fields, an action or a path, never texts. The script sets the same cookie.

import { html } from 'ghtml'
import { formatCookie, formatListTitle, isSafe, listVisibleFields, type PageAction, readCookie } from '#core'
import { type BulkAction, isDeletion, listBulkActions } from './bulk/bulk-actions.ts'
import { listRefusals, parseResult } from './bulk/bulk-result.ts'
import { formatInSentence } from './forms/new-page.ts'
import { undoAction } from './gateway/bulk-names.ts'
import { type FormResult, nameViewAction, noticeCookie } from './gateway/page-form.ts'
import type { Words } from './html/words.ts'
import type { PageKey } from './messages/page-messages.ts'
import type { PageContext } from './page/page-context.ts'
import { findShownName, formatHeading, isObjectView } from './page/page-title.ts'
import { pagePath } from './page/page-url.ts'
import { readObjectAt } from './page/read-object-at.ts'
import type { ContentSource } from './prepared-page.ts'
import { readActivity } from './undo/read-changes.ts'
import { undoChangeButton, undoDeletionButton, undoSelectionButton } from './undo/undo-notice.ts'
import type { UndoForm } from './undo/undo-page.ts'

/** The HTML of a notice, and the cookie that removes it from the next page. */
export interface PageNotice {
  readonly html: string
  readonly setCookie: string
}

/** The notice of the page, whose response has this body; undefined if there is none. */
export async function readNotice(
  context: PageContext,
  body: unknown,
  { csrfToken, etag }: Pick<ContentSource, 'csrfToken' | 'etag'>,
): Promise<PageNotice | undefined> {
  const { request, requestContext } = context
  if (requestContext === undefined || !isSafe(request.method)) return undefined
  const notice = readCookie(request, noticeCookie)
  const text = notice && (await noticeText(notice, context, body))
  if (text === undefined) return undefined
  const undoHtml = await undoButtonOf(notice!, context, { csrfToken, match: etag() })
  const noticeHtml = html`<p class="notice" role="status" tabindex="-1" autofocus>!${text}</p>
`
  const removed = { name: noticeCookie, value: '', maxAge: 0, httpOnly: true }
  return {
    html:
      undoHtml === ''
        ? noticeHtml
        : html`<div class="undoable">
!${noticeHtml}!${undoHtml}</div>
`,
    setCookie: formatCookie(removed, requestContext.baseUrl),
  }
}

// The button that takes back what the notice says.
async function undoButtonOf(notice: string, context: PageContext, form: UndoForm): Promise<string> {
  const [result = '', ...rest] = notice.split(':')
  if (result === 'deleted') return undoDeletionButton(context, 1, form)
  if (result === 'saved') return undoChangeButton(context, rest, form)
  if (result === 'done') {
    const { values = {}, fields = [] } = context.view.pageActions[rest[0] ?? ''] ?? {}
    return undoChangeButton(context, [...Object.keys(values), ...fields], form)
  }
  const counts = result.startsWith('bulk-') ? parseResult(result.slice('bulk-'.length)) : undefined
  if (counts === undefined || counts.refused > 0 || rest[0] === undoAction) return ''
  const [action, remaining, since, selection] = rest
  if (action === 'delete') return remaining === '0' ? undoDeletionButton(context, counts.done, form) : ''
  return since === undefined || selection === undefined ? '' : undoSelectionButton(context, since, selection, form)
}

const texts: Readonly<Record<FormResult, PageKey>> = {
  created: 'page.created',
  saved: 'page.saved',
  deleted: 'page.deleted',
  removed: 'page.deleted',
  done: 'page.done',
}

// The text as HTML.
async function noticeText(notice: string, context: PageContext, body: unknown): Promise<string | undefined> {
  const [result = '', ...rest] = notice.split(':')
  const about = rest.join(':')
  if (result === 'created' && about !== '') return createdText(about, context, body)
  if (result === 'saved' && about !== '') return savedText(rest, context)
  if (result === 'done' && about !== '') return actionText(about, context, body)
  if (result === 'deleted') return deletedText(context)
  const lines = Object.hasOwn(texts, result)
    ? [context.words(texts[result as FormResult])]
    : await listBulkLines(result, rest, context)
  return lines?.map(line => html`${line}`).join('<br>')
}

// The object is gone, but the log has its name.
async function deletedText({ view, requestContext, words }: PageContext): Promise<string> {
  const [last] = requestContext === undefined ? [] : await readActivity(requestContext, view, {})
  const name = last?.action === 'destroy' ? last.object_name : undefined
  if (typeof name !== 'string') return html`${words('page.deleted')}`
  return insertHtml(words('page.deleted_named', { name: gap }), html`<bdi>${name}</bdi>`)
}

// After an action for several objects, the notice has their numbers, and why others refused.
async function listBulkLines(
  result: string,
  [name, notDone]: readonly string[],
  { view, requestContext, words }: PageContext,
): Promise<readonly string[] | undefined> {
  const counts = result.startsWith('bulk-') ? parseResult(result.slice('bulk-'.length)) : undefined
  if (counts === undefined) return undefined
  const actions = await listBulkActions(view, requestContext, words)
  const action = actions.find(each => each.name === name)
  const count = counts.done
  if (name === undoAction)
    return [words('page.undone', { count, total: count + counts.refused }), ...listRefusals(counts, words)]
  const remaining = /^\d{1,5}$/.test(notDone ?? '') ? Number(notDone) : 0
  const total = count + counts.refused + remaining
  const named = view.resource ?? view
  const list = formatInSentence(total === 1 ? words.one(named) : words.list(named), words)
  const done =
    action === undefined ? words('page.bulk_done', { count }) : doneText(action, { count, total, list }, words)
  const stopped = remaining > 0 ? [words('page.bulk_stopped', { count: remaining })] : []
  return [done, ...stopped, ...listRefusals(counts, words)]
}

interface DoneCounts {
  readonly count: number
  readonly total: number
  /** The name of so many objects. */
  readonly list: string
}

function doneText(action: BulkAction, counts: DoneCounts, words: Words): string {
  const { count, total, list } = counts
  const isAll = count === total
  if (!isDeletion(action))
    return words(isAll ? 'page.bulk_action_done' : 'page.bulk_action_part', { ...counts, action: action.label })
  if (total === 1 && isAll) return words('page.deleted_named', { name: `${count} ${list}` })
  return words(isAll ? 'page.bulk_deleted' : 'page.bulk_deleted_part', { ...counts })
}

// The action that has run for the object of this page.
function actionText(action: string, context: PageContext, body: unknown): string {
  const { words, status } = context
  const found = findAction(action, context)
  if (found === undefined || status >= 300) return html`${words('page.done')}`
  const name = html`<bdi>${formatHeading(context, body)}</bdi>`
  const text =
    found.done === undefined
      ? words('page.action_done', { action: words.text(found.label), name: gap })
      : words.text(found.done).replaceAll('{name}', gap)
  return insertHtml(text, name)
}

/** The label of an action of the page's object; undefined if there is none with this name. */
export function findActionLabel(action: string, context: PageContext): string | undefined {
  const found = findAction(action, context)
  return found && context.words.text(found.label)
}

type ActionTexts = Required<Pick<PageAction, 'label'>> & Pick<PageAction, 'done'>

function findAction(action: string, { view }: PageContext): ActionTexts | undefined {
  if (!isObjectView(view)) return undefined
  if (Object.hasOwn(view.pageActions, action)) return { label: formatListTitle(action), ...view.pageActions[action] }
  for (const name of view.children) {
    const child = view.findView(`${view.path}${name}/`)
    const method = child && [...child.handlers.keys()].find(each => nameViewAction(name, each) === action)
    if (method !== undefined && !isSafe(method)) return { label: formatListTitle(name), ...child!.pageActions[method] }
  }
  return undefined
}

const maxNames = 6

function savedText(names: readonly string[], { view, requestContext, words }: PageContext): string {
  const form = view.forms.PATCH ?? view.forms.PUT
  const fields = listVisibleFields(form?.fields ?? {}, requestContext)
  const labels = names.filter(name => Object.hasOwn(fields, name)).map(name => words.label(name, fields[name]!))
  const more = labels.length - maxNames
  const shown = [...labels.slice(0, maxNames), ...(more > 0 ? [words('page.more', { count: more })] : [])]
  return html`${shown.length === 0 ? words('page.saved') : words('page.saved_fields', { names: shown.join(', ') })}`
}

async function createdText(path: string, context: PageContext, body: unknown): Promise<string> {
  const { words } = context
  const isOwn = path === pagePath(context)
  const object = isOwn ? { context, body } : await readObjectAt(path, context)
  if (object === undefined || object.context.status >= 300) return html`${words('page.created')}`
  const name = findShownName(object.context, object.body)
  const label = html`<bdi>${name ?? formatHeading(object.context, object.body)}</bdi>`
  const linked = isOwn ? label : html`<a href="${path}">!${label}</a>`
  const { resource } = object.context.view
  const kind = resource === undefined ? '' : words.one(resource)
  const text =
    name === undefined ? words('page.created_object', { name: gap }) : words('page.created_named', { kind, name: gap })
  return insertHtml(text, linked)
}

/** Stands in a text for a name that is inserted as HTML. */
const gap = '\0'

const insertHtml = (text: string, inserted: string): string =>
  text
    .split(gap)
    .map(part => html`${part}`)
    .join(inserted)
