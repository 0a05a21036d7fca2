// Changes as sentences with links: who has created, changed or deleted what. What one user has done to many objects is one sentence.

import { html } from 'ghtml'
import {
  endUrl,
  type Field,
  formatLabel,
  nameList,
  nameOne,
  type Resource,
  type View,
  type ViewPageContext,
} from '#core'
import { type ChangedValue, changedFieldHtml, changedValueHtml, createWords, timeHtml } from '#pages'
import type { LastChange } from '../audit/object-history.ts'
import { accountMessages } from '../messages.ts'

/** A page that knows the names of the resources. */
export interface NamedPage extends ViewPageContext {
  readonly nameOf: (resource: string) => string
  readonly nameOne: (resource: string) => string
  readonly findField: (resource: string, name: string) => Field | undefined
}

export function createNamedPage(view: ViewPageContext, resources: readonly Resource[]): NamedPage {
  const byName = new Map(resources.map(resource => [resource.name, resource]))
  return {
    ...view,
    nameOf: name => view.text(nameList(byName.get(name) ?? { name })),
    nameOne: name => view.text(nameOne(byName.get(name) ?? { name })),
    findField: (resource, name) => byName.get(resource)?.fields[name],
  }
}

export const linkTo = ({ context: { view } }: ViewPageContext, path: string): string =>
  endUrl(`${view.root}/${path}/`, view.urlEnd)

/** The items of a list, the newest first. `listed`: the resources whose objects the caller may open. */
export const changeSentences = (
  changes: readonly LastChange[],
  listed: ReadonlySet<string>,
  page: NamedPage,
): readonly string[] =>
  groupChanges(changes).map(group =>
    group.length < fewest
      ? group.map(change => changeItem(change, listed, page)).join('')
      : groupItem(group, listed, page),
  )

/** So many changes of one kind are one sentence. */
const fewest = 3
/** Milliseconds between two changes of a group. */
const longestPause = 60_000

function groupChanges(changes: readonly LastChange[]): readonly (readonly LastChange[])[] {
  const groups: LastChange[][] = []
  for (const change of changes) {
    const last = groups.at(-1)?.at(-1)
    const isSame = last !== undefined && describeKind(last) === describeKind(change)
    if (isSame && Date.parse(last.created) - Date.parse(change.created) <= longestPause) groups.at(-1)!.push(change)
    else groups.push([change])
  }
  return groups.flatMap(group => (group.length < fewest ? group.map(change => [change]) : [group]))
}

const describeKind = ({ user, resource, action, changes }: LastChange): string =>
  JSON.stringify([user, resource, action, action === 'update' ? Object.keys(changes) : []])

const maxNames = 100

function groupItem(group: readonly LastChange[], listed: ReadonlySet<string>, page: NamedPage): string {
  const [{ resource, action, user, created }] = group as readonly [LastChange]
  const names = group.slice(0, maxNames).map(change => html`<li>!${objectLink(change, listed, page)}</li>`)
  const more = group.length > maxNames ? '<li>&hellip;</li>' : ''
  const count = new Intl.NumberFormat(page.language).format(group.length)
  const what = html`${count} ${page.nameOf(resource)}`
  const fields = action === 'update' ? formatFields(group[0]!, page) : ''
  return html`<li><p class="help">!${timeHtml(created, page.language)}</p><p>!${sentence(action, { who: userLink(user, page), objectHtml: what }, page)}!${fields}</p><details><summary>${page.text(accountMessages('home.objects'))}</summary><ul class="counts">!${names}!${more}</ul></details></li>
`
}

const formatFields = ({ resource, changes }: LastChange, page: NamedPage): string => {
  const labels = Object.keys(changes).map(name => page.text(formatLabel(name, page.findField(resource, name) ?? {})))
  return html`: ${labels.join(', ')}`
}

function objectLink(
  { resource, object_key: key, object_name: name, action }: LastChange,
  listed: ReadonlySet<string>,
  page: NamedPage,
): string {
  const label = html`<bdi>${name ?? `${page.nameOne(resource)} ${key}`}</bdi>`
  const path = `${resource}/${encodeURIComponent(key)}`
  return listed.has(resource) && action !== 'destroy' ? html`<a href="${linkTo(page, path)}">!${label}</a>` : label
}

const userLink = (user: string | null, page: NamedPage): string =>
  user === null
    ? html`${page.text(accountMessages('home.command'))}`
    : html`<a href="${`${linkTo(page, 'activity')}?${new URLSearchParams({ user })}`}"><bdi>${user}</bdi></a>`

function changeItem(change: LastChange, listed: ReadonlySet<string>, page: NamedPage): string {
  const { resource, created, user, action, changes } = change
  const names = { who: userLink(user, page), objectHtml: objectLink(change, listed, page) }
  const fields = action === 'update' ? Object.entries(changes) : []
  const more = fields.length - shownFields
  const moreHtml = more > 0 ? html`<p>${page.text(accountMessages('home.more_fields', { count: more }))}</p>` : ''
  return html`<li><p class="help">!${timeHtml(created, page.language)} &middot; ${page.nameOf(resource)}</p><p>!${sentence(action, names, page)}</p>!${fields.slice(0, shownFields).map(([field, value]) => changeOfField(resource, field, value, page))}!${moreHtml}</li>
`
}

const shownFields = 3

// The keys of related objects say nothing to people, so their values are left to the history.
function changeOfField(resource: string, name: string, value: ChangedValue, page: NamedPage): string {
  const field = page.findField(resource, name)
  const { label, relation } = field ?? {}
  const words = createWords(page.context.view as View, page.context.request)
  const show = (shown: unknown) => changedValueHtml(shown, field, words)
  return changedFieldHtml(page.text(formatLabel(name, { label })), relation === undefined ? value : {}, show)
}

// The names are inserted as HTML.
function sentence(
  action: LastChange['action'],
  names: { readonly who: string; readonly objectHtml: string },
  { text }: ViewPageContext,
): string {
  const words = text(accountMessages(sentences[action], { user: '\0', name: '\x01' }))
  return html`${words}`.replace('\0', () => names.who).replace('\x01', () => names.objectHtml)
}

const sentences = {
  create: 'home.created',
  update: 'home.updated',
  destroy: 'home.destroyed',
} as const
