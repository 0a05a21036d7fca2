// The forms of a page: one for each method that this caller may call, with what was typed where an answer refuses it.

import { html } from 'ghtml'
import { csrfField } from '../authentication/csrf.ts'
import { formatJson } from '../exact-json.ts'
import type { Field, Fields } from '../fields/field.ts'
import type { Form } from '../metadata.ts'
import type { RequestBody } from '../parsers/request-body.ts'
import { controls, type Filled, isData, type Surroundings } from './controls.ts'

/** What the forms of a page have in common. */
export interface FormsOf {
  /** The path of the page, with its query. */
  readonly here: string
  /** The CSRF token; undefined where there are no sessions. */
  readonly token: string | undefined
  /** The media types that bodies may have. */
  readonly mediaTypes: readonly string[]
  /** The object that the page shows. */
  readonly object: Readonly<Record<string, unknown>>
  /** What was sent, and what was wrong with it. */
  readonly refused:
    | { readonly method: string; readonly body: RequestBody; readonly errors: Readonly<Record<string, unknown>> }
    | undefined
  readonly listUrl: Surroundings['listUrl']
}

type Forms = Readonly<Record<string, Form>>

const titles: Readonly<Record<string, string>> = { POST: 'Create', PUT: 'Edit', PATCH: 'Edit' }

/** What examples hold at most, in characters of JSON. */
const longestExample = 2000
/** What a form that is filled by what the page shows holds at most, in bytes of HTML. */
const largestForm = 36 * 1024

/** The forms of the methods that take fields, each with the same as raw text. */
export function formSections(forms: Forms, page: FormsOf): string {
  const methods = ['POST', 'PUT', ...(forms.PUT ? [] : ['PATCH'])]
  return methods
    .filter(method => forms[method] !== undefined)
    .map(method => formSection(method, forms, page))
    .join('')
}

function formSection(method: string, forms: Forms, page: FormsOf): string {
  const { fields } = forms[method]!
  const form = method.toLowerCase()
  const hasFields = Object.values(fields).some(field => !field.readOnly)
  const title = hasFields ? (titles[method] ?? method) : 'Send'
  const contents = contentsOf(method, forms[method]!, page)
  const inner = contents && formOf(method, forms, page, contents)
  const isTooLarge = inner === undefined || (page.refused === undefined && Buffer.byteLength(inner) > largestForm)
  // Without scripts, a browser sends nothing but GET and POST.
  return html`<section class="write" aria-labelledby="heading-${form}" !${method === 'POST' ? '' : 'data-script hidden'}>
<h2 id="heading-${form}">${title}</h2>
!${isTooLarge ? '<p>This is too long to be edited on a page.</p>\n' : inner}!${hasFields ? rawForm(method, forms, page, contents) : ''}</section>
`
}

/** What stands in a form. */
interface Contents {
  readonly controlsHtml: string
  /** Those that belong to no field. */
  readonly errors: readonly string[]
  /** The same as data, and as JSON for people. */
  readonly example: Readonly<Record<string, unknown>>
  readonly exampleText: string
}

// An empty form is the same on every page of its view.
const emptyForms = new WeakMap<Form, Contents>()

/** Nothing where the object's texts alone are more than a form holds: to escape all of them would take long. */
function contentsOf(method: string, form: Form, page: FormsOf): Contents | undefined {
  const isEmpty = method === 'POST' && page.refused?.method !== method
  const known = isEmpty ? emptyForms.get(form) : undefined
  if (known !== undefined) return known
  const { fields } = form
  const filled = filledFor(method, fields, page)
  if (page.refused === undefined && lengthOf(fields, filled) > largestForm) return undefined
  const example = exampleOf(fields, filled)
  const contents = {
    controlsHtml: controls(fields, filled, { form: method.toLowerCase(), listUrl: page.listUrl }),
    errors: filled.errors(''),
    example,
    exampleText: formatJson(example, 2),
  }
  if (isEmpty) emptyForms.set(form, contents)
  return contents
}

function lengthOf(fields: Fields, filled: Filled): number {
  let length = 0
  for (const name in fields)
    if (!fields[name]!.readOnly) for (const value of filled.values(name)) length += value.length
  return length
}

function formOf(method: string, forms: Forms, page: FormsOf, { controlsHtml, errors }: Contents): string {
  const changes = method === 'PUT' && forms.PATCH !== undefined
  return html`<form method="post" action="${page.here}" data-method="${method}" enctype="multipart/form-data" autocomplete="off" novalidate>
!${page.token === undefined ? '' : html`<input type="hidden" name="${csrfField}" value="${page.token}">`}<ul class="errors" data-errors role="alert" tabindex="-1" !${errors.length > 0 ? '' : 'hidden'}>!${errors.map(error => html`<li>${error}</li>`)}</ul>
!${controlsHtml}<p class="send"><button>${method}</button>!${changes ? ' <button class="second" data-method="PATCH">PATCH</button> <span class="help">PATCH sends only what you changed.</span>' : ''}</p>
</form>
`
}

// Bodies of any media type: a form of HTML cannot send them.
function rawForm(method: string, forms: Forms, page: FormsOf, contents: Contents | undefined): string {
  const { exampleText = '' } = contents ?? {}
  const form = `raw-${method.toLowerCase()}`
  const changes = method === 'PUT' && forms.PATCH !== undefined
  return html`<details data-script hidden><summary>Raw data</summary>
<form action="${page.here}" data-method="${method}" data-raw>
<p class="field"><label for="${form}-type">Media type</label>
<select id="${form}-type" name="type">!${page.mediaTypes.map(type => html`<option>${type}</option>`)}</select></p>
<p class="field"><label for="${form}-body">Content</label>
<textarea id="${form}-body" name="body" rows="10" spellcheck="false">${exampleText.length > 4 * longestExample ? '' : exampleText}</textarea></p>
<ul class="errors" data-errors role="alert" tabindex="-1" hidden></ul>
<p class="send"><button>${method}</button>!${changes ? ' <button class="second" data-method="PATCH">PATCH</button>' : ''}</p>
</form>
</details>
`
}

/** What the method could be sent here; undefined where that is too long for a line. */
export function exampleBody(method: string, form: Form, page: FormsOf): Contents['example'] | undefined {
  const example = contentsOf(method, form, page)?.example
  return example === undefined || formatJson(example).length > longestExample ? undefined : example
}

function exampleOf(fields: Fields, filled: Filled): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => !field.readOnly)
      .map(([name, field]) => [name, exampleValue(field, filled.values(name))]),
  )
}

function exampleValue(field: Field, values: readonly string[]): unknown {
  if (field.type === 'list' && (field.relation ?? field.choices ?? field.child?.choices)) return values
  const [value] = values
  if (value === undefined)
    return field.default ?? (field.type === 'list' ? [] : field.nullable ? null : field.type === 'string' ? '' : null)
  if (field.type === 'boolean') return value === 'true' || value === 'on'
  if (field.type === 'integer' || field.type === 'float')
    return Number.isFinite(Number(value || NaN)) ? Number(value) : null
  return isData(field) ? parsed(value) : value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text || 'null')
  } catch {
    return text
  }
}

/** What was typed; else the defaults of a new object, or the object as it is. A secret is never shown again. */
function filledFor(method: string, fields: Fields, { refused, object }: FormsOf): Filled {
  const filled =
    refused?.method === method
      ? filledAsSent(fields, refused)
      : filledBy(fields, method === 'POST' ? defaultsOf(fields) : object)
  return { ...filled, values: name => (fields[name]!.writeOnly ? [] : filled.values(name)) }
}

function filledAsSent(fields: Fields, { body, errors }: NonNullable<FormsOf['refused']>): Filled {
  const given = body.kind === 'data' ? filledBy(fields, Object(body.data)) : undefined
  return {
    values: name => (body.kind === 'form' ? formValues(name, body.form) : (given?.values(name) ?? [])),
    errors: name => [...linesOf(errors[name]), ...(name === '' ? strayErrors(fields, errors) : [])],
  }
}

// What stands for nothing in a form is no row of its own when the form comes back.
const formValues = (name: string, form: URLSearchParams): readonly string[] => {
  const values = form.getAll(name)
  return values.length > 1 ? values.filter(value => value !== '') : values
}

// Errors under names that are no controls, such as those of all fields together.
const strayErrors = (fields: Fields, errors: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(errors)
    .filter(([name]) => name !== '' && (fields[name] === undefined || fields[name].readOnly))
    .flatMap(([, messages]) => linesOf(messages))

const defaultsOf = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.default]))

/** An object as it is. */
function filledBy(fields: Fields, object: Readonly<Record<string, unknown>>): Filled {
  return {
    errors: () => [],
    values(name) {
      const value = Object.hasOwn(object, name) ? object[name] : undefined
      if (value === undefined || value === null) return []
      const field = fields[name]!
      const isSeveral = Array.isArray(value) && (field.relation ?? field.choices ?? field.child?.choices) !== undefined
      return isSeveral ? value.map(textOf) : [isData(field) && !field.choices ? formatJson(value) : textOf(value)]
    },
  }
}

const textOf = (value: unknown): string => (typeof value === 'object' ? formatJson(value) : String(value))

/** Errors at any depth, as lines. */
function linesOf(errors: unknown): readonly string[] {
  if (errors === undefined || errors === null) return []
  if (typeof errors !== 'object') return [String(errors)]
  if (Array.isArray(errors)) return errors.flatMap(linesOf)
  return Object.entries(errors).flatMap(([key, inner]) => linesOf(inner).map(line => `${key}: ${line}`))
}
