// The middle of the page of an object that the caller may read but not change, and of a declared view: labels and values.

import { html } from 'ghtml'
import {
  type Field,
  type FieldGroup,
  type Fields,
  type Form,
  groupNames,
  hasNames,
  isObject,
  listNamedValues,
  listVisibleFields,
  type MessageText,
  type ObjectNames,
} from '#core'
import type { Words } from '../html/words.ts'
import type { PageContext } from '../page/page-context.ts'
import { pagePath } from '../page/page-url.ts'
import { readObject } from '../page/read-data.ts'
import { type ShownValue, tableHtml, termHtml } from './value-html.ts'

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
  return detailsHtml(context, body, view.objectMetadata?.groups ?? [])
}

/** The labels and values that the form of the object does not have, such as when it was created. */
export interface ObjectFacts {
  /** The HTML of those in a fieldset of the form. */
  readonly inGroups: GroupFacts
  /** The HTML of the other short ones, which are above the form. */
  readonly above: string
  /** The HTML of the other long ones, which are below the form. */
  readonly below: string
}

/** HTML by the heading of a fieldset. */
export type GroupFacts = ReadonlyMap<MessageText, string>

/** Facts of a page without any. */
export const noFacts: ObjectFacts = { inGroups: new Map(), above: '', below: '' }

/** Creates the facts beside a form. */
export async function createFacts(context: PageContext, body: unknown, form: Form): Promise<ObjectFacts> {
  const { fields, groups = [] } = form
  if (context.view.objectMetadata === undefined) return noFacts
  const isFact = (name: string) => fields[name]?.readOnly !== false
  const { shown, term } = await readDetails(context, body, isFact)
  const fieldsets = groups.filter(({ names }) => names.some(name => fields[name] && !isFact(name)))
  const [ungrouped, ...grouped] = [undefined, ...fieldsets].map(fieldset =>
    shown.filter(name => fieldsets.find(({ names }) => names.includes(name)) === fieldset),
  )
  const inGroups = fieldsets.flatMap(({ heading }, index): readonly (readonly [MessageText, string])[] =>
    heading === undefined ? [] : [[heading, listHtml(grouped[index]!, term)]],
  )
  const object = readObject(body, context.view.envelope)
  const isLong = (name: string) => isLongValue(object[name], fields[name])
  // The heading is the name.
  const short = ungrouped!.filter(name => !isLong(name) && name !== context.view.objectName)
  return {
    inGroups: new Map(inGroups),
    above: listHtml(short, term, 'details key-facts'),
    below: listHtml(ungrouped!.filter(isLong), term),
  }
}

const maxFact = 100

// Whether the value needs lines of its own.
function isLongValue(value: unknown, field: Field | undefined): boolean {
  if (typeof value === 'string') return value.length > maxFact || value.includes('\n')
  const isOneObject = field?.relation !== undefined && !field.relation.many
  return typeof value === 'object' && value !== null && !isOneObject
}

async function detailsHtml(context: PageContext, body: unknown, fieldGroups: readonly FieldGroup[]): Promise<string> {
  const { shown, term } = await readDetails(context, body)
  return groupNames(shown, fieldGroups)
    .map(group => groupHtml(group, term, context.words))
    .join('')
}

/** Renders the label and the value of a field. */
type Term = (name: string) => string

/** The values of an object that its page shows. */
export interface Details {
  /** The names of the fields. */
  readonly shown: readonly string[]
  readonly show: (name: string) => ShownValue
  readonly term: Term
}

/** Reads the values. `isShown`: chooses fields; default: all. */
export async function readDetails(
  context: PageContext,
  body: unknown,
  isShown: (name: string) => boolean = () => true,
): Promise<Details> {
  const { view, words } = context
  const object = isObject(body) ? readObject(body, view.envelope) : {}
  const fields = findFields(context)
  const shown = Object.keys(object).filter(name => isShown(name) && isContent(name, object[name], fields, context))
  const values = Object.fromEntries(shown.map(name => [name, object[name]]))
  const names = await readNames(values, fields, context)
  const maxText = findMaxText(object)
  const show = (name: string): ShownValue => {
    return { value: object[name], field: fields[name], names: names[name], maxText, words }
  }
  return { shown, show, term: name => termHtml(name, show(name)) }
}

const groupHtml = ({ heading, names }: FieldGroup, term: Term, words: Words): string =>
  html`!${heading === undefined ? '' : html`<h2>${words.text(heading)}</h2>`}!${listHtml(names, term)}`

const listHtml = (names: readonly string[], term: Term, style = 'details'): string =>
  names.length === 0
    ? ''
    : html`<dl class="${style}">!${names.map(term)}</dl>
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
  const { keyColumn, kind, readOnly } = fields[name] ?? {}
  const isOwnUrl = kind?.shown === 'url' && readOnly && URL.parse(String(value))?.pathname === pagePath(context)
  return keyColumn === undefined && !isOwnUrl
}

async function readNames(
  object: Readonly<Record<string, unknown>>,
  fields: Fields,
  { view, requestContext }: PageContext,
): Promise<ObjectNames> {
  const related = Object.entries(fields).filter(([name, field]) => hasNames(field) && Object.hasOwn(object, name))
  if (view.objectMetadata === undefined || requestContext === undefined || related.length === 0) return {}
  const values = related.map(([name, field]) => [name, listNamedValues(field, object[name])] as const)
  return view.objectMetadata.readNames(Object.fromEntries(values), requestContext)
}

// Long texts share what a page has room for.
function findMaxText(object: Readonly<Record<string, unknown>>): number {
  const long = Object.values(object).filter(value => typeof value === 'string' && value.length > shortText)
  return Math.max(shortText, Math.floor(maxTexts / Math.max(1, long.length)))
}
