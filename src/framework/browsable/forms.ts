// The forms of a page: one per method that this caller may call. If the request was rejected, its form shows the
// submitted values and the errors.

import { html } from 'ghtml'
import { csrfField } from '../authentication/csrf.ts'
import { formatJson } from '../exact-json.ts'
import { findChoice } from '../fields/choices.ts'
import type { Field, Fields } from '../fields/field.ts'
import type { Form } from '../metadata.ts'
import type { RequestBody } from '../parsers/request-body.ts'
import { type ControlContext, type FormValues, fieldControls, isJsonField } from './field-controls.ts'

/** Shared by all forms of a page. */
export interface FormContext {
  /** Path and query of the page. */
  readonly pageUrl: string
  /** The CSRF token; undefined if the caller has no session. */
  readonly csrfToken: string | undefined
  /** The accepted media types of request bodies. */
  readonly mediaTypes: readonly string[]
  /** The object that the page shows; empty for an error. */
  readonly object: Readonly<Record<string, unknown>>
  /** The name around an object in a JSON body; undefined if there is none. */
  readonly objectName: string | undefined
  /** Whether the object of the page does not exist: a PUT creates it. */
  readonly isMissing: boolean
  /** The `ETag` of the object that the page shows; undefined for an error. */
  readonly etag: (() => string) | undefined
  /** The rejected request and its errors; undefined if the request was valid. */
  readonly rejected:
    | { readonly method: string; readonly body: RequestBody; readonly errors: Readonly<Record<string, unknown>> }
    | undefined
  readonly listUrl: ControlContext['listUrl']
}

type Forms = Readonly<Record<string, Form>>

/** Maximum length of an example body, in characters of JSON. */
const maxExampleLength = 2000
/** Maximum size of a form that shows the page's object, in bytes of HTML. */
const maxFormSize = 36 * 1024

/** The forms for POST and PUT (or PATCH, if that is the same). */
export const formSections = (forms: Forms, formContext: FormContext): string =>
  listFormMethods(forms)
    .map(method => formSection(method, forms, formContext))
    .join('')

/** Forms with which the same methods send a body of any media type, beside the form of fields. They need the script. */
export const rawForms = (forms: Forms, formContext: FormContext): string =>
  listFormMethods(forms)
    .filter(method => !forms[method]!.takesAny && hasFields(forms[method]!))
    .map(method => rawForm(method, forms, formContext, createContents(method, forms[method]!, formContext)))
    .join('')

const listFormMethods = (forms: Forms): readonly string[] =>
  ['POST', forms.PUT && !forms.PUT.isPartial ? 'PUT' : 'PATCH'].filter(method => forms[method] !== undefined)

const hasFields = ({ fields }: Form): boolean => Object.values(fields).some(field => !field.readOnly)

function formSection(method: string, forms: Forms, formContext: FormContext): string {
  const { takesAny } = forms[method]!
  const idPrefix = method.toLowerCase()
  const heading = (takesAny || hasFields(forms[method]!)) && (formContext.isMissing ? 'Create' : forms[method]!.heading)
  const contents = createContents(method, forms[method]!, formContext)
  const form = contents && fieldForm(method, forms, formContext, contents)
  const isTooLarge = form === undefined || (formContext.rejected === undefined && Buffer.byteLength(form) > maxFormSize)
  // Without JavaScript, a browser can send only GET and POST, so the other forms are hidden until the script runs.
  return html`<section class="page-section" aria-labelledby="heading-${idPrefix}" !${method === 'POST' ? '' : 'data-needs-script hidden'}>
<h2 id="heading-${idPrefix}">${heading || 'Send'}</h2>
!${takesAny ? rawForm(method, forms, formContext, contents) : isTooLarge ? '<p>This object is too large to be edited here.</p>\n' : form}</section>
`
}

/** The contents of a form. */
interface FormContents {
  readonly controlsHtml: string
  /** The errors that belong to no field. */
  readonly errors: readonly string[]
  /** The values of the form as data, and as indented JSON. */
  readonly example: Readonly<Record<string, unknown>>
  readonly exampleText: string
}

// An empty form is the same on all pages of its view, so it is rendered once.
const emptyFormCache = new WeakMap<Form, FormContents>()

/** Creates the contents; undefined if the object's values exceed `maxFormSize`, because escaping them takes long. */
function createContents(method: string, form: Form, formContext: FormContext): FormContents | undefined {
  const isEmpty = method === 'POST' && formContext.rejected?.method !== method
  const cached = isEmpty ? emptyFormCache.get(form) : undefined
  if (cached !== undefined) return cached
  const { fields } = form
  const formValues = createFormValues(method, fields, formContext)
  if (formContext.rejected === undefined && measureLength(fields, formValues) > maxFormSize) return undefined
  const example = createExample(fields, formValues)
  const contents = {
    controlsHtml: fieldControls(fields, formValues, { idPrefix: method.toLowerCase(), listUrl: formContext.listUrl }),
    errors: formValues.errors(''),
    example,
    exampleText: formatJson(wrapExample(example, formContext), 2),
  }
  if (isEmpty) emptyFormCache.set(form, contents)
  return contents
}

function measureLength(fields: Fields, formValues: FormValues): number {
  let length = 0
  for (const name in fields)
    if (!fields[name]!.readOnly) for (const value of formValues.values(name)) length += value.length
  return length
}

function fieldForm(
  method: string,
  forms: Forms,
  formContext: FormContext,
  { controlsHtml, errors }: FormContents,
): string {
  const hasPatch = method === 'PUT' && forms.PATCH !== undefined
  return html`<form method="post" action="${formContext.pageUrl}" data-method="${method}" enctype="multipart/form-data" autocomplete="off" novalidate>
!${formContext.csrfToken === undefined ? '' : html`<input type="hidden" name="${csrfField}" value="${formContext.csrfToken}">`}<ul class="errors" data-errors role="alert" tabindex="-1" !${errors.length > 0 ? '' : 'hidden'}>!${errors.map(error => html`<li>${error}</li>`)}</ul>
!${controlsHtml}<p class="send"><button class="primary">${method}</button>!${hasPatch ? ' <button class="secondary" data-method="PATCH">PATCH</button> <span class="help">PATCH sends only the changed fields.</span>' : ''}</p>
</form>
`
}

// Sends a body of any media type, which HTML forms cannot, so it needs the script.
function rawForm(method: string, forms: Forms, formContext: FormContext, contents: FormContents | undefined): string {
  const { exampleText = '' } = contents ?? {}
  const idPrefix = `raw-${method.toLowerCase()}`
  const hasPatch = method === 'PUT' && forms.PATCH !== undefined
  return html`<details class="raw" data-needs-script hidden><summary>Raw data</summary>
<form action="${formContext.pageUrl}" data-method="${method}" data-raw>
<p class="field"><label for="${idPrefix}-type">Media type</label>
<select id="${idPrefix}-type" name="type">!${formContext.mediaTypes.map(type => html`<option>${type}</option>`)}</select></p>
<p class="field"><label for="${idPrefix}-body">Content</label>
<textarea id="${idPrefix}-body" name="body" rows="10" spellcheck="false">${exampleText.length > 4 * maxExampleLength ? '' : exampleText}</textarea></p>
<ul class="errors" data-errors role="alert" tabindex="-1" hidden></ul>
<p class="send"><button>${method}</button>!${hasPatch ? ' <button class="secondary" data-method="PATCH">PATCH</button>' : ''}</p>
</form>
</details>
`
}

/** An example body for a method; undefined if it exceeds `maxExampleLength`. */
export function createExampleBody(
  method: string,
  form: Form,
  formContext: FormContext,
): FormContents['example'] | undefined {
  const example = createContents(method, form, formContext)?.example
  return example === undefined || formatJson(example).length > maxExampleLength
    ? undefined
    : wrapExample(example, formContext)
}

const wrapExample = (example: FormContents['example'], { objectName }: FormContext): FormContents['example'] =>
  objectName === undefined || Object.keys(example).length === 0 ? example : { [objectName]: example }

function createExample(fields: Fields, formValues: FormValues): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => !field.readOnly && !field.file)
      .map(([name, field]) => [name, toExampleValue(field, formValues.values(name))]),
  )
}

function toExampleValue(field: Field, values: readonly string[]): unknown {
  if (field.type === 'list' && (field.relation ?? field.choices ?? field.child?.choices)) return values
  const [value] = values
  if (value === undefined)
    return field.default ?? (field.type === 'list' ? [] : field.nullable ? null : field.type === 'string' ? '' : null)
  if (field.type === 'boolean') return value === 'true' || value === 'on'
  if (field.type === 'choice' && field.choices) return findChoice(field.choices, value) ?? value
  if (field.type === 'integer' || field.type === 'float')
    return Number.isFinite(Number(value || NaN)) ? Number(value) : null
  return isJsonField(field) ? parseJsonOrText(value) : value
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text || 'null')
  } catch {
    return text
  }
}

/**
 * The submitted values of a rejected request; otherwise the defaults of a new object, or the values of the page's
 * object. Values of write-only fields are never shown.
 */
function createFormValues(method: string, fields: Fields, { rejected, object, isMissing }: FormContext): FormValues {
  const formValues =
    rejected?.method === method
      ? submittedValues(fields, rejected)
      : objectValues(fields, method === 'POST' || isMissing ? listDefaults(fields) : object)
  return { ...formValues, values: name => (fields[name]!.writeOnly ? [] : formValues.values(name)) }
}

function submittedValues(fields: Fields, { body, errors }: NonNullable<FormContext['rejected']>): FormValues {
  const dataValues = body.kind === 'data' ? objectValues(fields, Object(body.data)) : undefined
  const form = body.kind === 'form' || body.kind === 'upload' ? body.form : undefined
  const findValues = (name: string) => (form ? listValues(name, form) : (dataValues?.values(name) ?? []))
  return {
    // A file is not sent twice.
    values: name => (fields[name]!.file ? [] : findValues(name)),
    errors: name => [...toLines(errors[name]), ...(name === '' ? listFormErrors(fields, errors) : [])],
  }
}

// Drops the empty inputs of a field with several values.
const listValues = (name: string, form: URLSearchParams): readonly string[] => {
  const values = form.getAll(name)
  return values.length > 1 ? values.filter(value => value !== '') : values
}

// Errors under names without a control, such as `non_field_errors`.
const listFormErrors = (fields: Fields, errors: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(errors)
    .filter(([name]) => name !== '' && (fields[name] === undefined || fields[name].readOnly))
    .flatMap(([, messages]) => toLines(messages))

const listDefaults = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.default]))

function objectValues(fields: Fields, object: Readonly<Record<string, unknown>>): FormValues {
  return {
    errors: () => [],
    values(name) {
      const field = fields[name]!
      const value = Object.hasOwn(object, name) ? toTaken(object[name], field) : undefined
      if (value === undefined || value === null) return []
      const hasSeveral = Array.isArray(value) && (field.relation ?? field.choices ?? field.child?.choices) !== undefined
      return hasSeveral ? value.map(toText) : [isJsonField(field) && !field.choices ? formatJson(value) : toText(value)]
    },
  }
}

// A relation can show objects and take their keys.
function toTaken(value: unknown, field: Field): unknown {
  if (field.relation === undefined) return value
  if (Array.isArray(value)) return value.map(item => toTaken(item, field))
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[field.relation.findValueField()]
    : value
}

const toText = (value: unknown): string => (typeof value === 'object' ? formatJson(value) : String(value))

/** Flattens nested errors to lines such as `address: city: This field is required.` */
function toLines(errors: unknown): readonly string[] {
  if (errors === undefined || errors === null) return []
  if (typeof errors !== 'object') return [String(errors)]
  if (Array.isArray(errors)) return errors.flatMap(toLines)
  return Object.entries(errors).flatMap(([key, nested]) => toLines(nested).map(line => `${key}: ${line}`))
}
