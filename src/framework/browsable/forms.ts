// The forms of a page: one for each method that this caller may call, with what was typed where an answer refuses it.

import { html } from 'ghtml'
import { csrfField } from '../authentication/csrf.ts'
import type { Field, Fields } from '../fields/field.ts'
import type { Form } from '../metadata.ts'
import type { Input } from '../parsers/parser.ts'
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
  readonly refused: { readonly input: Input; readonly errors: Readonly<Record<string, unknown>> } | undefined
  readonly listUrl: Surroundings['listUrl']
}

const titles: Readonly<Record<string, string>> = { POST: 'Create', PUT: 'Edit', PATCH: 'Change' }

/** The form of a method that takes fields, and the same as raw text. */
export function methodForm(method: string, { fields }: Form, page: FormsOf): string {
  const form = method.toLowerCase()
  const filled = method === 'POST' ? filledAnew(fields, page) : filledBy(fields, page.object)
  const title = Object.keys(fields).length === 0 ? 'Send' : (titles[method] ?? method)
  // Without scripts, a browser sends nothing but GET and POST.
  const needsScript = method !== 'POST'
  return html`<section class="write" aria-labelledby="${form}-title" !${needsScript ? 'data-script hidden' : ''}>
<h2 id="${form}-title">${title}</h2>
<form method="post" action="${page.here}" data-method="${method}" enctype="multipart/form-data" novalidate>
!${page.token === undefined ? '' : html`<input type="hidden" name="${csrfField}" value="${page.token}">`}<ul class="errors" data-errors !${filled.errors('').length > 0 ? '' : 'hidden'}>!${filled.errors('').map(error => html`<li>${error}</li>`)}</ul>
!${controls(fields, filled, { form, listUrl: page.listUrl })}<p><button>${method}</button></p>
</form>
!${rawForm(method, fields, filled, page)}
</section>
`
}

// Bodies of any media type: a form of HTML cannot send them.
function rawForm(method: string, fields: Fields, filled: Filled, { here, mediaTypes }: FormsOf): string {
  const example = Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => !field.readOnly)
      .map(([name, field]) => [name, exampleOf(field, filled.values(name))]),
  )
  const form = `raw-${method.toLowerCase()}`
  return html`<details data-script hidden><summary>Raw data</summary>
<form action="${here}" data-method="${method}" data-raw>
<label for="${form}-type">Media type</label>
<select id="${form}-type" name="type">!${mediaTypes.map(type => html`<option>${type}</option>`)}</select>
<label for="${form}-body">Content</label>
<textarea id="${form}-body" name="body" rows="10" spellcheck="false">${JSON.stringify(example, null, 2)}</textarea>
<ul class="errors" data-errors hidden></ul>
<p><button>${method}</button></p>
</form>
</details>`
}

function exampleOf(field: Field, values: readonly string[]): unknown {
  if (field.type === 'list' && field.relation) return values
  const [value] = values
  if (value === undefined) return field.default ?? (field.type === 'list' ? [] : null)
  if (field.type === 'boolean') return value === 'true'
  if (field.type === 'integer' || field.type === 'float') return value === '' ? null : Number(value)
  return isData(field) ? JSON.parse(value || 'null') : value
}

/** A new object: what was typed, else the defaults. */
function filledAnew(fields: Fields, { refused }: FormsOf): Filled {
  if (refused === undefined) return filledBy(fields, defaultsOf(fields))
  const { input, errors } = refused
  const given = input.kind === 'data' ? filledBy(fields, Object(input.data)) : undefined
  return {
    values: name => (input.kind === 'form' ? input.form.getAll(name) : (given?.values(name) ?? [])),
    errors: name => linesOf(name === '' ? errors[''] : errors[name]),
  }
}

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
      return isSeveral ? value.map(textOf) : [isData(field) && !field.choices ? JSON.stringify(value) : textOf(value)]
    },
  }
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/** Errors at any depth, as lines. */
function linesOf(errors: unknown): readonly string[] {
  if (errors === undefined || errors === null) return []
  if (typeof errors !== 'object') return [String(errors)]
  if (Array.isArray(errors)) return errors.flatMap(linesOf)
  return Object.entries(errors).flatMap(([key, inner]) => linesOf(inner).map(line => `${key}: ${line}`))
}
