// The fields of a view's requests, who may write them, and the parameters of a list with an example each, from the declaration.

import { html } from 'ghtml'
import {
  type Field,
  type Fields,
  listVisibleFields,
  narrowListMetadata,
  type Permission,
  type RequestContext,
  type View,
} from '#core'
import type { Words } from '../html/words.ts'
import type { PageContext } from '../page/page-context.ts'
import { formatFieldAnchor } from '../reference/resource-fields.ts'
import { choicesHtml, formatType, listLimits } from './field-facts.ts'
import { parametersHtml } from './parameters-html.ts'

/** The section; empty if the view declares no fields. */
export function fieldsSection({ view, requestContext, words }: PageContext): string {
  const fields = listVisibleFields(findDeclaredFields(view), requestContext)
  if (Object.keys(fields).length === 0) return ''
  const list = view.listMetadata && narrowListMetadata(view.listMetadata, requestContext)
  return html`<details name="console" id="fields"><summary>${words('page.fields')}</summary>
!${requestContext === undefined ? '' : writersHtml(view, requestContext, words)}!${fieldListHtml(fields, words)}!${list === undefined ? '' : parametersHtml(list, words)}</details>
`
}

/** The fields of all bodies, and those that only a list shows. */
export function findDeclaredFields({ forms, listMetadata, descriptions }: View): Fields {
  const bodies = Object.values(forms)
    .map(({ fields }) => fields)
    .filter(fields => Object.keys(fields).length > 0)
  const { shownFields, children } = descriptions.GET?.response ?? {}
  return Object.assign({}, listMetadata?.fields ?? children ?? shownFields, ...bodies.reverse())
}

// The permissions of each method say who may write.
function writersHtml(view: View, context: RequestContext, words: Words): string {
  return html`!${Object.entries(view.forms).map(([method, { findPermissionObject }]) => {
    const own = view.forMethod(method)
    const inMethod = { ...context, view: own, method }
    // Without an object, what a permission says about objects does not matter.
    const permissions = own.permissions.filter(
      ({ allows }) => allows !== undefined || findPermissionObject !== undefined,
    )
    const who = [...new Set(permissions.flatMap(permission => describeAudience(permission, inMethod, words)))]
    return who.length === 0
      ? ''
      : html`<p class="help"><b class="method ${method.toLowerCase()}">${method}</b> ${words('page.who_may', { who: who.join(' · ') })}</p>
`
  })}`
}

/** Says in words whom a permission lets in; nothing if it does not tell. */
export function describeAudience(
  { audience, authenticated }: Permission,
  context: RequestContext,
  words: Words,
): readonly string[] {
  const text = typeof audience === 'function' ? audience(context) : audience
  if (text !== undefined) return [words.text(text)]
  return authenticated === undefined ? [] : [words('page.who_known')]
}

const maxDepth = 3

function fieldListHtml(fields: Fields, words: Words, depth = 0): string {
  return html`<dl class="field-list">
!${Object.entries(fields).map(([name, field]) => fieldHtml(name, field, words, depth))}</dl>
`
}

function fieldHtml(name: string, field: Field, words: Words, depth: number): string {
  const { help, choices, child, children } = field
  const anchor = formatFieldAnchor(name)
  const code = html`<code>${name}</code>`
  // Only a field of the object itself has an address.
  const title = depth === 0 ? html`<a href="#${anchor}">!${code}</a>` : code
  const label = words.label(name, field)
  const facts = [
    ...(label === words.label(name, { label: undefined }) ? [] : [label]),
    ...(help ? [words.text(help)] : []),
  ]
  const limits = listLimits(field, words)
  const values = choices ?? child?.choices
  const parts = children ?? child?.children
  return html`<dt !${depth === 0 ? html`id="${anchor}"` : ''}>!${title} <span>${formatType(field, words)}</span>!${defaultHtml(field)}!${flagsHtml(field, words)}</dt>
<dd>!${facts.length === 0 ? '' : html`<p>${facts.join(': ')}</p>`}!${limits.length === 0 ? '' : html`<p>${limits.join(', ')}</p>`}!${values === undefined ? '' : choicesHtml(values, words)}!${parts === undefined || depth === maxDepth ? '' : fieldListHtml(parts, words, depth + 1)}</dd>
`
}

const maxDefault = 60

function defaultHtml({ default: value, readOnly }: Field): string {
  const text = readOnly || value === undefined ? undefined : JSON.stringify(value)
  return text === undefined || text.length > maxDefault ? '' : html` <span>= ${text}</span>`
}

function flagsHtml({ required, readOnly, writeOnly, fixed }: Field, words: Words): string {
  const flags = [
    ...(required && !readOnly ? [html` <b class="required-field">${words('page.required')}</b>`] : []),
    ...(fixed
      ? [html` <em>${words('page.only_created')}</em>`]
      : readOnly
        ? [html` <em>${words('page.read_only')}</em>`]
        : []),
    ...(writeOnly ? [html` <em>${words('page.write_only')}</em>`] : []),
  ]
  return flags.join('')
}
