// Forms of objects: sends methods that HTML forms cannot send, shows errors beside the fields, says what has changed, and keeps what
// was typed.

import { createElement, findElement, findElements, listen, parseJsonOrText, send, setPrecondition } from './pages.js'

let isSent = false

for (const form of findElements('form[data-method]')) {
  listen(form, 'submit', async event => {
    // The button for one more row sends the form as without the script.
    isSent = event.submitter?.formNoValidate
    if (isSent) return
    event.preventDefault()
    if (form.ariaBusy) return
    const method = event.submitter?.dataset.method ?? form.dataset.method
    const url = new URL(form.getAttribute('action'), location.href)
    for (const name of ['_method', '_match']) url.searchParams.delete(name)
    form.ariaBusy = true
    const { response, text, data } = await send(method, url, { body: createFormBody(form, method === 'PATCH') })
    if (!response.ok) showFailure(form, response, data)
    form.ariaBusy = null
    if (!response.ok) return
    showErrors(form, {})
    form.dataset.saved = true
    await showResult(form, method, { url, response, text, next: event.submitter?.dataset.next })
  })
}

export const findField = (form, name) => findElement(`[data-field="${CSS.escape(name)}"]`, form)
const listFields = form => findElements('[data-field]', form)
export const listControls = field => findElements('input:not([role], [data-local]), select, textarea', field)
// What was typed into a form that was rejected is not saved yet.
const isFieldChanged = field => field.dataset.typed || listControls(field).some(isChanged)
export const isFormChanged = form => listFields(form).some(isFieldChanged)

const findDraftName = form => `draft ${form.dataset.method} ${location.pathname}`
const listTyped = form =>
  listFields(form)
    .flatMap(listControls)
    .filter(({ id, type }) => id && type !== 'password' && type !== 'file')

// Says how many fields differ from the saved object.
for (const form of findElements('form[data-method]')) {
  const status = findElement('[data-changes]', form)
  const update = () => {
    const count = listFields(form).filter(isFieldChanged).length
    if (status === null) return
    status.textContent = ['', status.dataset.change][count] ?? status.dataset.changes.replace('{count}', count)
  }
  restoreDraft(form)
  listen(form, 'input', update)
  update()
  listen(window, 'pagehide', () => storeDraft(form))
  // The browser asks whether to leave what was typed.
  listen(window, 'beforeunload', event => {
    if (!isSent && !form.dataset.saved && isFormChanged(form)) event.preventDefault()
  })
}

// Going back brings back what was typed, because browsers do not keep it for pages that they may not store.
function storeDraft(form) {
  const changed = form.dataset.saved ? [] : listTyped(form).filter(isChanged)
  if (changed.length === 0) return sessionStorage.removeItem(findDraftName(form))
  const values = changed.map(control => [control.id, readControl(control)])
  sessionStorage.setItem(findDraftName(form), JSON.stringify(values))
}

function restoreDraft(form) {
  const draft = new Map(JSON.parse(sessionStorage.getItem(findDraftName(form)) ?? '[]'))
  if (performance.getEntriesByType('navigation')[0]?.type !== 'back_forward') return
  for (const control of listTyped(form)) if (draft.has(control.id)) writeControl(control, draft.get(control.id))
}

// A time is in UTC in its control, and in the zone of the reader in an input beside it.
function showLocalTimes() {
  for (const control of findElements('[data-utc]')) {
    const local = createElement('input', { type: 'datetime-local', step: control.step, id: `${control.id}-local` })
    local.dataset.local = ''
    local.setAttribute('aria-describedby', control.getAttribute('aria-describedby'))
    for (const label of [...control.labels]) label.htmlFor = local.id
    Object.assign(control, { type: 'text', tabIndex: -1, ariaHidden: 'true', className: 'replaced' })
    control.after(local)
    const show = () => {
      const date = new Date(`${control.value}Z`)
      local.value = Number.isNaN(+date) ? '' : formatTime(+date - date.getTimezoneOffset() * 60_000)
    }
    listen(local, 'input', () => {
      control.value = local.value && formatTime(new Date(local.value))
    })
    listen(control, 'change', show)
    listen(control, 'focus', () => local.focus())
    show()
  }
}

const formatTime = time => new Date(time).toISOString().replace(/(:00)?\.000Z$|Z$/, '')

const readControl = control =>
  control.type === 'checkbox'
    ? control.checked
    : control.options
      ? [...control.selectedOptions].map(({ value, text }) => [value, text])
      : control.value

export function writeControl(control, value) {
  if (control.type === 'checkbox') control.checked = value
  else if (control.options) writeOptions(control, new Map(value))
  else control.value = value
}

// A search has found options that the page does not have.
function writeOptions(select, selected) {
  const values = [...select.options].map(({ value }) => value)
  for (const [value, text] of selected) if (!values.includes(value)) select.append(new Option(text, value))
  for (const option of select.options) option.selected = selected.has(option.value)
}

export const createFormBody = (form, isPartial) => shorten(form, new FormData(form), isPartial)

function shorten(form, data, isPartial) {
  data.delete('_shown')
  if (isPartial) removeUnchanged(form, data)
  return data
}

// FormData has no entry for an unchecked checkbox or an empty list, so a changed one is set here.
function removeUnchanged(form, data) {
  for (const field of listFields(form)) {
    const controls = listControls(field)
    const [{ name, type, multiple }] = controls
    if (!isFieldChanged(field)) for (const { name } of controls) data.delete(name)
    else if ((multiple || type === 'checkbox') && !data.has(name))
      data.set(name, multiple || field.dataset.saved ? '' : 'false')
  }
}

function isChanged(control) {
  if (control.type === 'checkbox') return control.checked !== control.defaultChecked
  if (control.options) return [...control.options].some(option => option.selected !== option.defaultSelected)
  return control.value !== control.defaultValue
}

async function showResult(form, method, { url, response, text, next }) {
  const location = response.headers.get('location')
  const isNew = method === 'POST'
  if (isNew && (location === null || (await hasOneTimeFields(parseJsonOrText(text), location))))
    return showResponse(method, url.pathname, response, text)
  const names = listFields(form).filter(isFieldChanged).slice(0, 50)
  const about = isNew ? [new URL(location, url).pathname] : names.map(({ dataset }) => dataset.field)
  // The next page says what has been done.
  const notice = [isNew ? 'created' : 'saved', ...about].join(':')
  // biome-ignore lint/suspicious/noDocumentCookie: not all browsers have the Cookie Store API
  document.cookie = `notice=${encodeURIComponent(notice)}; path=/; max-age=20; samesite=lax`
  // The page may be the response to a form, which must not be sent again.
  window.location.assign(isNew ? (next ?? location) : url)
}

// Whether the response has fields that the created object's page does not show, such as a token's secret.
async function hasOneTimeFields(created, location) {
  const { data } = await send('GET', location)
  const shown = unwrap(data)
  return Object.keys(unwrap(created)).some(name => !(name in shown))
}

// An object that is the only member of a body has a name around it.
function unwrap(data) {
  const values = Object.values(Object(data))
  return Object(values.length === 1 ? values[0] : data)
}

function showResponse(method, url, response, text) {
  const data = parseJsonOrText(text)
  const section = findElement('.response')
  findElement('.request code', section).textContent = `${method} ${url}`
  findElement('.head', section).textContent = `HTTP ${response.status}`
  const body = findElement('.body', section)
  body.textContent = typeof data === 'string' ? data : JSON.stringify(data, null, 2)
  section.closest('details')?.setAttribute('open', '')
  section.focus()
}

function showErrors(form, data) {
  const errors = typeof data === 'object' && data !== null ? data : { detail: String(data) }
  const formErrors = []
  let count = 0
  for (const field of listFields(form)) setFieldErrors(field, [])
  for (const [name, messages] of Object.entries(errors)) {
    const field = findField(form, name)
    if (field) {
      count += 1
      setFieldErrors(field, toLines(messages))
    } else formErrors.push(...toLines(['detail', 'non_field_errors'].includes(name) ? messages : { [name]: messages }))
  }
  if (count) formErrors.unshift(form.dataset.attention.replace('{count}', count))
  const formErrorList = findElement('[data-errors]', form)
  setLines(formErrorList, formErrors)
  const firstInvalid = findElement('[aria-invalid="true"]', form) ?? formErrorList
  if (firstInvalid === formErrorList && formErrors.length === 0) return
  firstInvalid.focus()
  firstInvalid.scrollIntoView({ block: 'center' })
}

function showFailure(form, { status }, data) {
  // Only the response as a page shows a conflict, and errors at the rows of children.
  const { conflict } = form.dataset
  if (status === 412 && conflict) {
    // Others have created the object. The next attempt changes it.
    setPrecondition({ 'If-Match': '*' })
    return showErrors(form, { detail: conflict })
  }
  if (status !== 412 && !(status === 400 && findElement('.rows', form))) return showErrors(form, data)
  isSent = true
  listen(form, 'formdata', ({ formData }) => shorten(form, formData, form.dataset.method === 'PATCH'))
  form.submit()
}

// Marks the controls whose values the messages name; the first control if they name none.
function setFieldErrors(field, messages) {
  const controls = listControls(field)
  const { choose } = field.dataset
  if (choose && messages.length && !controls.some(({ value }) => value)) messages = [choose]
  setLines(findElement('.errors', field), messages)
  const named = controls.filter(({ value }) => value !== '' && messages.some(message => message.includes(value)))
  const invalid = findElement('.multiple', field) && named.length > 0 ? named : [controls[0]]
  for (const control of controls) control.ariaInvalid = (messages.length > 0 && invalid.includes(control)) || null
}

function setLines(list, lines) {
  list.replaceChildren(...lines.map(line => createElement('li', { textContent: line })))
  list.hidden = lines.length === 0
}

function toLines(errors) {
  if (Array.isArray(errors)) return errors.flatMap(toLines)
  if (typeof errors !== 'object' || errors === null) return [String(errors)]
  return Object.entries(errors).flatMap(([key, nested]) => toLines(nested).map(line => `${key}: ${line}`))
}

showLocalTimes()
