// The forms of a page: one per method that this caller may call. A form that changes an object sends a PATCH.

import { html } from 'ghtml'
import { csrfField, type Field, type Fields, type Form, findChoice, formatJson, hasParts, searchParameter } from '#core'
import { enterField, listSearchTexts, matchParameter, methodParameter, shownField } from '../gateway/page-form.ts'
import { escapeContent } from '../html/escape-content.ts'
import type { Words } from '../html/words.ts'
import type { FormValues } from '../values/form-contents.ts'
import { createFormValues, type FormSource } from '../values/form-values.ts'
import type { GroupFacts } from '../values/object-section.ts'
import { toLines } from '../values/value-texts.ts'
import { fieldControls } from './field-controls.ts'
import { formatNewUrl } from './new-page.ts'
import type { Pickers } from './pickers.ts'
import { requestEditor } from './request-editor.ts'

/** Shared by all forms of a page. */
export interface FormContext extends FormSource {
  /** Path and query of the page. */
  readonly pageUrl: string
  /** The CSRF token; undefined if the caller has no session. */
  readonly csrfToken: string | undefined
  /** The accepted media types of request bodies. */
  readonly mediaTypes: readonly string[]
  /** The name around an object in a JSON body; undefined if there is none. */
  readonly objectName: string | undefined
  /** The `ETag` of the object that the page shows; undefined for an error. */
  readonly etag: (() => string) | undefined
  /** The `If-Match` of the next change; undefined for any state. */
  readonly match: string | undefined
  readonly words: Words
  readonly pickers: Pickers
  /** Whether a POST creates an object of a list. */
  readonly createsObject: boolean
  /** The HTML of values that the form cannot change, by the headings of the fieldsets that show them. */
  readonly facts: GroupFacts
}

type Forms = Readonly<Record<string, Form>>

/** Maximum length of an example body, in characters of JSON. */
const maxExampleLength = 2000
const maxShortText = 100
/** Maximum size of a form that shows the page's object, in bytes of HTML. */
const maxFormSize = 36 * 1024

/** The forms for POST and PATCH (or PUT, if there is no PATCH, or no object yet). */
export const formSections = (forms: Forms, formContext: FormContext): string =>
  ['POST', forms.PATCH && !formContext.isMissing ? 'PATCH' : 'PUT']
    .filter(method => forms[method] !== undefined)
    .map(method => formSection(method, forms, formContext))
    .join('')

const hasFields = ({ fields }: Form): boolean => Object.values(fields).some(field => !field.readOnly)

function formSection(method: string, forms: Forms, formContext: FormContext): string {
  const form = method === 'POST' ? forms[method]! : withoutHidden(forms[method]!, formContext)
  const { words } = formContext
  const idPrefix = method.toLowerCase()
  const contents = createContents(method, form, formContext)
  const content = form.takesAny
    ? requestEditor(method, form, { body: undefined, url: formContext.pageUrl, formContext })
    : (contents && fieldForm(method, formContext, contents)) ||
      html`<p>${words('page.too_large')}</p>
`
  if (method === 'PATCH' || (method === 'POST' && formContext.createsObject))
    return html`<section class="edit" aria-label="${words(method === 'PATCH' ? 'page.edit' : 'page.create')}">
!${content}</section>
`
  const heading = (form.takesAny || hasFields(form)) && (formContext.isMissing ? words('page.create') : form.heading)
  return html`<section class="page-section" aria-labelledby="heading-${idPrefix}">
<h2 id="heading-${idPrefix}">${heading || 'Send'}</h2>
!${content}</section>
`
}

// An object that hides a field from the caller keeps its value.
const withoutHidden = (form: Form, { object, isMissing }: FormContext): Form =>
  isMissing
    ? form
    : {
        ...form,
        fields: Object.fromEntries(
          Object.entries(form.fields).filter(([name, { isPartial }]) => !isPartial || Object.hasOwn(object, name)),
        ),
      }

/** The contents of a form. */
interface FormContents {
  readonly controlsHtml: string
  /** Names the controls that send nothing if they are empty. */
  readonly shownHtml: string
  /** The errors that belong to no field. */
  readonly errors: readonly string[]
}

/** Creates the contents; undefined if the object's values exceed `maxFormSize`, because escaping them takes long. */
function createContents(method: string, form: Form, formContext: FormContext): FormContents | undefined {
  const { words, pickers } = formContext
  const formFields = selectFormFields(method, form, formContext)
  if (formFields === undefined) return undefined
  const { fields, tooLarge, formValues } = formFields
  const notes = tooLarge.map(
    name => html`<p class="help">${words('page.field_too_large', { name: words.label(name, form.fields[name]!) })}</p>
`,
  )
  const shown = method === 'PATCH' ? orderForEdit(fields) : fields
  const idPrefix = method.toLowerCase()
  const searchAction = formatSearchUrl(method, formContext.match)
  return {
    controlsHtml:
      fieldControls(
        shown,
        formValues,
        { idPrefix, pickers, searchAction, words },
        { groups: form.groups, facts: method === 'PATCH' ? formContext.facts : undefined },
      ) + notes.join(''),
    shownHtml: shownInputs(shown),
    errors: [...countErrors(method, fields, formContext), ...formValues.errors('')],
  }
}

// How many fields of the rejected form have errors.
function countErrors(method: string, fields: Fields, { rejected, words }: FormContext): readonly string[] {
  const errors = rejected?.method === method ? rejected.errors : {}
  const count = Object.keys(fields).filter(name => !fields[name]!.readOnly && toLines(errors[name]).length > 0).length
  return count === 0 ? [] : [words('page.attention', { count })]
}

interface FormFields {
  readonly fields: Fields
  /** The names of the fields whose values are too long for a form. */
  readonly tooLarge: readonly string[]
  readonly formValues: FormValues
}

// Undefined if a field is too large that a PUT cannot leave out.
function selectFormFields(method: string, form: Form, formContext: FormContext): FormFields | undefined {
  const formValues = createFormValues(method, form.fields, formContext)
  const [fields, tooLarge] = formContext.rejected ? [form.fields, []] : splitBySize(form.fields, formValues)
  return tooLarge.length > 0 && method !== 'PATCH' ? undefined : { fields, tooLarge, formValues }
}

// The fields that fit into a form, and the names of the others.
function splitBySize(fields: Fields, formValues: FormValues): readonly [fitting: Fields, tooLarge: readonly string[]] {
  let size = 0
  const tooLarge = Object.entries(fields).flatMap(([name, { readOnly }]) => {
    if (readOnly) return []
    const own = formValues.values(name).reduce((sum, value) => sum + measureContent(value), 0)
    if (size + own > maxFormSize) return [name]
    size += own
    return []
  })
  return [Object.fromEntries(Object.entries(fields).filter(([name]) => !tooLarge.includes(name))), tooLarge]
}

// Escaping a very long text takes long.
const measureContent = (text: string): number =>
  text.length > maxFormSize ? text.length : Buffer.byteLength(escapeContent(text))

// A secret that is left empty stays. Files come last, because what follows the first file of a form is read with the files.
function orderForEdit(fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, field]) =>
    field.writeOnly ? ([name, { ...field, required: false }] as const) : ([name, field] as const),
  )
  const isFile = ([, { file }]: (typeof entries)[number]) => file !== undefined
  return Object.fromEntries([...entries.filter(entry => !isFile(entry)), ...entries.filter(isFile)])
}

/** Hidden fields that name the controls which send nothing if they are empty. */
export const shownInputs = (fields: Fields): string =>
  listSilentFields(fields)
    .map(name => html`<input type="hidden" name="${shownField}" value="${name}">`)
    .join('')

const listSilentFields = (fields: Fields): readonly string[] =>
  Object.entries(fields)
    .filter(
      ([, { kind, readOnly, child, choices, relation }]) =>
        !readOnly && (kind.isCheckbox || child?.choices || (kind.hasItems && (choices || relation))),
    )
    .map(([name]) => name)

function fieldForm(method: string, formContext: FormContext, contents: FormContents): string {
  const { pageUrl, csrfToken, match, words, createsObject } = formContext
  const { controlsHtml, shownHtml, errors } = contents
  const isPost = method === 'POST'
  const action = isPost
    ? createsObject
      ? formatNewUrl(pageUrl, false)
      : pageUrl
    : formatMethodUrl(pageUrl, method, match)
  return html`<form method="post" action="${action}" data-method="${method}" !${method === 'PUT' ? html`data-conflict="${words('page.conflict')}"` : ''} data-attention="${words('page.attention')}" enctype="multipart/form-data" autocomplete="off" novalidate>
!${enterButton(formContext)}!${tokenInput(csrfToken)}!${isPost ? '' : shownHtml}<div role="alert"><ul class="errors" data-errors tabindex="-1" !${errors.length > 0 ? '' : 'hidden'}>!${errors.map(error => html`<li>${error}</li>`)}</ul></div>
!${controlsHtml}!${isPost ? (createsObject ? createButtons(pageUrl, words) : '<p class="send"><button class="primary">POST</button></p>') : saveButton(pageUrl, words)}
</form>
`
}

// Without the script, the address of the second button leads to the next form; the script goes there itself.
function createButtons(pageUrl: string, words: Words): string {
  const next = formatNewUrl(pageUrl, false)
  return html`<p class="send"><button class="primary">${words('page.create')}</button> <button formaction="${formatNewUrl(pageUrl, true)}" data-next="${next}">${words('page.create_another')}</button> <a class="button" href="${pageUrl.split('?', 1)[0]!}">${words('page.cancel')}</a></p>`
}

const saveButton = (pageUrl: string, words: Words): string =>
  html`<p class="send save"><button class="primary">${words('page.save')}</button> <a class="button" href="${pageUrl.split('?', 1)[0]!}">${words('page.cancel')}</a> <span class="help" role="status" data-changes="${words('page.changes')}" data-change="${words('page.change')}"></span></p>`

/** The hidden field of a form with the CSRF token; empty if the caller has no session. */
export const tokenInput = (csrfToken: string | undefined): string =>
  csrfToken === undefined ? '' : html`<input type="hidden" name="${csrfField}" value="${csrfToken}">`

/** The first button of a form, which Enter in any text presses. The other ones may search or add a row. */
export function enterButton({ rejected }: FormSource): string {
  const body = rejected?.body
  const texts = body?.kind === 'form' || body?.kind === 'upload' ? listSearchTexts(body.form) : ''
  return html`<button name="${enterField}" value="${texts}" hidden></button>`
}

/** The URL to which a form posts a method that HTML forms do not have. */
export function formatMethodUrl(pageUrl: string, method: string, match: string | undefined): string {
  const [path, query] = pageUrl.split('?', 2) as [string, string?]
  const parameters = new URLSearchParams(query)
  parameters.set(methodParameter, method)
  if (match !== undefined) parameters.set(matchParameter, match)
  return `${path}?${parameters}`
}

// The URL, relative to the page, to which a form is sent to search related objects.
function formatSearchUrl(method: string, match: string | undefined): string {
  const parameters = new URLSearchParams({ [methodParameter]: method, [searchParameter]: '' })
  if (match !== undefined && method !== 'POST') parameters.set(matchParameter, match)
  return `?${parameters}`
}

/** The values of a form as data. */
type Example = Readonly<Record<string, unknown>>

/** An example body for a method; undefined if it has none, or exceeds `maxExampleLength`. */
export function createExampleBody(method: string, form: Form, formContext: FormContext): Example | undefined {
  const formFields = selectFormFields(method, form, formContext)
  const all = formFields === undefined ? {} : createExample(formFields.fields, formFields.formValues)
  const example = method === 'PATCH' && formContext.rejected?.method !== method ? pickOne(all, form) : all
  return Object.keys(example).length === 0 || formatJson(example).length > maxExampleLength
    ? undefined
    : wrapExample(example, formContext)
}

// A PATCH sends what changes: its example is one field.
function pickOne(example: Example, { fields }: Form): Example {
  const entries = Object.entries(example).filter(([name]) => fields[name]?.writeOnly === false)
  const isShortText = ([, value]: readonly [string, unknown]) =>
    typeof value === 'string' && value.length < maxShortText
  const one = entries.find(isShortText) ?? entries[0]
  return one === undefined ? {} : { [one[0]]: one[1] }
}

const wrapExample = (example: Example, { objectName }: FormContext): Example =>
  objectName === undefined || Object.keys(example).length === 0 ? example : { [objectName]: example }

function createExample(fields: Fields, formValues: FormValues): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => !field.readOnly && !field.file)
      .map(([name, field]) => {
        const parts = field.parts && formValues.parts?.(name)
        const hasParts = parts && Object.keys(field.parts!).some(part => parts.values(part).some(text => text !== ''))
        return [name, hasParts ? createExample(field.parts!, parts) : toExampleValue(field, formValues.values(name))]
      }),
  )
}

function toExampleValue(field: Field, values: readonly string[]): unknown {
  const { kind, choices, child, relation, nullable } = field
  const hasItems = kind.hasItems
  if (hasItems && (relation ?? choices ?? child?.choices)) return values
  const [value] = values
  if (value === undefined) return field.default ?? (hasItems ? [] : kind.isFreeText && !nullable ? '' : null)
  if (kind.isCheckbox) return value === 'true' || value === 'on'
  if (choices) return findChoice(choices, value) ?? value
  if (kind.input === 'number') return Number.isFinite(Number(value || NaN)) ? Number(value) : null
  return hasParts(field.kind) ? parseJsonOrText(value) : value
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text || 'null')
  } catch {
    return text
  }
}
