// The middle of the page of an object that the caller may read but not change, and of a declared view: labels and values.

import { html } from 'ghtml'
import { readObject } from '../envelope/read-data.ts'
import { type Fields, hasNames } from '../fields/field.ts'
import { type FieldGroup, groupNames } from '../fields/field-groups.ts'
import { listVisibleFields } from '../fields/field-visibility.ts'
import { isObject } from '../is-object.ts'
import type { ObjectNames } from '../metadata.ts'
import type { PageContext } from './page-context.ts'
import { pagePath } from './page-url.ts'
import { tableHtml, termHtml } from './value-html.ts'
import type { Words } from './words.ts'

/** Length of all texts of a page together, in UTF-16 units. */
const maxTexts = 24 * 1024
/** Texts up to this length are shown in full. */
const shortText = 300

/** The section; empty if the response is not an object or a list of objects. */
export async function objectSection(context: PageContext, body: unknown): Promise<string> {
  const { view, words } = context
  if (Array.isArray(body)) {
    const isTable = body.length > 0 && body.every(isObject)
    return isTable ? tableHtml(body, findFields(context), words) : ''
  }
  return detailsHtml(context, body, view.objectMetadata?.groups ?? [], () => true)
}

/** The labels and values that the form of the object does not have, such as when it was created. */
export async function factsSection(context: PageContext, body: unknown, form: Fields): Promise<string> {
  if (context.view.objectMetadata === undefined) return ''
  return detailsHtml(context, body, [], name => form[name]?.readOnly !== false)
}

async function detailsHtml(
  context: PageContext,
  body: unknown,
  fieldGroups: readonly FieldGroup[],
  isShown: (name: string) => boolean,
): Promise<string> {
  const { view, words } = context
  const object = isObject(body) ? readObject(body, view.envelope) : {}
  const fields = findFields(context)
  const shown = Object.keys(object).filter(name => isShown(name) && isContent(name, object[name], fields, context))
  if (shown.length === 0) return ''
  const names = await readNames(object, fields, context)
  const maxText = findMaxText(object)
  const term = (name: string) =>
    termHtml(name, { value: object[name], field: fields[name], names: names[name], maxText, words })
  return groupNames(shown, fieldGroups)
    .map(group => groupHtml(group, term, words))
    .join('')
}

const groupHtml = ({ heading, names }: FieldGroup, term: (name: string) => string, words: Words): string =>
  html`!${heading === undefined ? '' : html`<h2>${words.text(heading)}</h2>`}<dl class="details">!${names.map(term)}</dl>
`

function findFields({ view, requestContext }: PageContext): Fields {
  const response = view.descriptions.GET?.response
  const declared =
    view.objectMetadata?.fields ?? response?.children ?? response?.child?.children ?? response?.shownFields
  return listVisibleFields(declared ?? {}, requestContext)
}

// The page has the key and the URL of its object in its address.
function isContent(name: string, value: unknown, fields: Fields, context: PageContext): boolean {
  if (context.view.objectMetadata === undefined) return true
  const { keyColumn, type, readOnly } = fields[name] ?? {}
  const isOwnUrl = type === 'url' && readOnly && URL.parse(String(value))?.pathname === pagePath(context)
  return keyColumn === undefined && !isOwnUrl
}

async function readNames(
  object: Readonly<Record<string, unknown>>,
  fields: Fields,
  { view, requestContext }: PageContext,
): Promise<ObjectNames> {
  const related = Object.entries(fields).filter(([name, field]) => hasNames(field) && Object.hasOwn(object, name))
  if (view.objectMetadata === undefined || requestContext === undefined || related.length === 0) return {}
  const values = related.map(([name]) => [name, [object[name] ?? []].flat()] as const)
  return view.objectMetadata.readNames(Object.fromEntries(values), requestContext)
}

// Long texts share what a page has room for.
function findMaxText(object: Readonly<Record<string, unknown>>): number {
  const long = Object.values(object).filter(value => typeof value === 'string' && value.length > shortText)
  return Math.max(shortText, Math.floor(maxTexts / Math.max(1, long.length)))
}
