// What the pages do beyond HTML: methods that forms do not have, errors beside their fields, relations as one types.

const csrfCookie = 'csrftoken'

for (const element of document.querySelectorAll('[data-script]')) element.hidden = false

// What was done on the page before.
const done = sessionStorage.getItem('done')
if (done !== null) {
  sessionStorage.removeItem('done')
  const notice = document.querySelector('[data-notice]')
  notice.hidden = false
  notice.textContent = done
}

/** The answer to a request of this page; `undefined` data where there was none. */
async function send(method, url, { body, type, accept = 'application/json' } = {}) {
  const token = new RegExp(`(?:^|; )${csrfCookie}=([^;]*)`).exec(document.cookie)?.[1]
  const headers = {
    Accept: accept,
    ...(token && { 'X-CSRFToken': token }),
    ...(type && { 'Content-Type': type }),
  }
  try {
    const response = await fetch(url, { method, headers, body, credentials: 'same-origin' })
    const text = await response.text()
    return { response, text, data: parse(text) }
  } catch {
    return { response: { ok: false, status: 0 }, text: '', data: { detail: 'The service cannot be reached.' } }
  }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

for (const form of document.querySelectorAll('form[data-method]')) {
  form.addEventListener('submit', async event => {
    event.preventDefault()
    const method = event.submitter?.dataset.method ?? form.dataset.method
    const isRaw = 'raw' in form.dataset
    const sent = isRaw
      ? { body: form.elements.namedItem('body').value, type: form.elements.namedItem('type').value }
      : { body: formBody(form, method === 'PATCH') }
    form.setAttribute('aria-busy', 'true')
    const { response, text, data } = await send(method, form.getAttribute('action'), sent)
    form.removeAttribute('aria-busy')
    if (response.ok) await leave(method, form, response, text)
    else showErrors(form, data)
  })
}

// Empty rows of a relation to many name nothing.
function formBody(form, isPartial) {
  const data = new FormData(form)
  for (const row of form.querySelectorAll('.many')) {
    const [{ name }] = row.querySelectorAll('input')
    const values = data.getAll(name).filter(value => value !== '')
    data.delete(name)
    for (const value of values.length > 0 || !isPartial ? values : ['']) data.append(name, value)
  }
  if (isPartial) keepChanges(form, data)
  return data
}

// What is not sent stays as it is; of a box that is not checked, a form says nothing.
function keepChanges(form, data) {
  for (const field of form.querySelectorAll('[data-field]')) {
    const controls = [...field.querySelectorAll('input, select, textarea')]
    const [{ name, type, checked }] = controls
    if (!controls.some(isChanged)) data.delete(name)
    else if (type === 'checkbox') data.set(name, String(checked))
  }
}

function isChanged(control) {
  if (control.type === 'checkbox') return control.checked !== control.defaultChecked
  if (control.options) return [...control.options].some(option => option.selected !== option.defaultSelected)
  return control.value !== control.defaultValue
}

const doneBy = { POST: 'Created.', PUT: 'Saved.', PATCH: 'Saved.', DELETE: 'Deleted.' }

async function leave(method, form, response, text) {
  const location = response.headers.get('location')
  if (method === 'POST' && (location === null || (await isSaidOnce(parse(text), location))))
    return showAnswer(method, form.getAttribute('action'), response, text)
  sessionStorage.setItem('done', doneBy[method])
  if (method === 'POST') window.location.assign(location)
  else window.location.reload()
}

// What an object's own page does not show, such as the key of a token, would be lost on the way there.
async function isSaidOnce(said, location) {
  const { data } = await send('GET', location)
  return Object.keys(Object(said)).some(name => !(name in Object(data)))
}

function showAnswer(method, url, response, text) {
  const data = parse(text)
  const answer = document.querySelector('.answer')
  answer.querySelector('.request code').textContent = `${method} ${url}`
  answer.querySelector('.head').textContent = `HTTP ${response.status}`
  const body = answer.querySelector('.body')
  body.textContent = typeof data === 'string' ? data : JSON.stringify(data, null, 2)
  body.closest('details')?.setAttribute('open', '')
  answer.focus()
}

function showErrors(form, data) {
  const errors = typeof data === 'object' && data !== null ? data : { detail: String(data) }
  const rest = []
  for (const field of form.querySelectorAll('[data-field]')) setErrors(field, [])
  for (const [name, messages] of Object.entries(errors)) {
    const field = form.querySelector(`[data-field="${CSS.escape(name)}"]`)
    if (field === null) rest.push(...linesOf(messages))
    else setErrors(field, linesOf(messages))
  }
  const general = form.querySelector('[data-errors]')
  list(general, rest)
  const first = form.querySelector('[aria-invalid="true"]') ?? general
  first.focus()
  first.scrollIntoView({ block: 'center' })
}

function setErrors(field, messages) {
  const control = field.querySelector('input, select, textarea')
  list(field.querySelector('.errors'), messages)
  if (messages.length > 0) control.setAttribute('aria-invalid', 'true')
  else control.removeAttribute('aria-invalid')
}

function list(element, lines) {
  element.replaceChildren(...lines.map(line => Object.assign(document.createElement('li'), { textContent: line })))
  element.hidden = lines.length === 0
}

function linesOf(errors) {
  if (Array.isArray(errors)) return errors.flatMap(linesOf)
  if (typeof errors !== 'object' || errors === null) return [String(errors)]
  return Object.entries(errors).flatMap(([key, inner]) => linesOf(inner).map(line => `${key}: ${line}`))
}

for (const button of document.querySelectorAll('[data-open]')) {
  button.addEventListener('click', () => document.getElementById(button.dataset.open).showModal())
}

for (const button of document.querySelectorAll('[data-delete]')) {
  button.addEventListener('click', async () => {
    const { response, data } = await send('DELETE', button.dataset.delete)
    if (!response.ok) return showErrors(button.closest('form'), data)
    sessionStorage.setItem('done', doneBy.DELETE)
    window.location.assign(button.dataset.delete.replace(/[^/]+\/$/, ''))
  })
}

// The answer as its own page shows it.
for (const button of document.querySelectorAll('[data-options]')) {
  button.addEventListener('click', async () => {
    const url = button.dataset.options
    const { response, text } = await send('OPTIONS', url, { accept: 'text/html' })
    const shown = new DOMParser().parseFromString(text, 'text/html').querySelector('.answer')
    if (shown === null) return showAnswer('OPTIONS', url, response, text)
    document.querySelector('.answer').replaceWith(shown)
    shown.focus()
  })
}

for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    await copy(button.parentElement.querySelector('code'))
    const label = button.textContent
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = label
    }, 1500)
  })
}

// Without HTTPS there is no clipboard, but what is selected can be copied.
async function copy(element) {
  try {
    await navigator.clipboard.writeText(element.textContent)
  } catch {
    window.getSelection().selectAllChildren(element)
    document.execCommand('copy')
  }
}

let searches = 0

// Relations: what one types is searched in the list of the other resource.
for (const input of document.querySelectorAll('[data-search]')) makeSearch(input)

function makeSearch(input) {
  const options = document.createElement('datalist')
  options.id = `options-${++searches}`
  input.after(options)
  input.setAttribute('list', options.id)
  let waiting
  input.addEventListener('input', () => {
    addRow(input)
    clearTimeout(waiting)
    waiting = setTimeout(() => search(input, options), 150)
  })
  input.addEventListener('focus', () => search(input, options), { once: true })
}

// Of several, one more can always be added.
function addRow(input) {
  const row = input.closest('.many')
  if (row === null || input !== [...row.querySelectorAll('input')].at(-1) || input.value === '') return
  const another = input.cloneNode()
  another.removeAttribute('id')
  another.value = ''
  another.setAttribute('aria-label', row.dataset.another)
  row.append(another)
  makeSearch(another)
}

async function search(input, options) {
  const url = new URL(input.dataset.search, window.location.href)
  const asked = input.value
  url.searchParams.set('search', asked)
  const { response, data } = await send('GET', url)
  // What was asked before may be answered later.
  if (!response.ok || input.value !== asked) return
  const items = Array.isArray(data) ? data : (data.results ?? [])
  options.replaceChildren(
    ...items
      .filter(item => input.dataset.key in item)
      .slice(0, 20)
      .map(item => {
        const { url: _, id: __, ...rest } = item
        const name = Object.values(rest).find(value => typeof value === 'string') ?? ''
        return Object.assign(document.createElement('option'), { value: item[input.dataset.key], label: name })
      }),
  )
}

// Several objects of a list: each is deleted by a request of its own, so that what may not go stays.
for (const section of document.querySelectorAll('[data-bulk]')) {
  const [all, ...boxes] = section.querySelectorAll('.choice input')
  const [open, confirm, count, result] = ['open', 'delete-chosen', 'count', 'result'].map(name =>
    section.querySelector(`[data-${name}]`),
  )
  const chosen = () => boxes.filter(box => box.checked && box.isConnected)
  const show = () => {
    const [some, most] = [chosen().length, boxes.filter(box => box.isConnected).length]
    count.textContent = some
    open.disabled = some === 0
    all.checked = some > 0 && some === most
    all.indeterminate = some > 0 && some < most
  }
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked
    show()
  })
  for (const box of boxes) box.addEventListener('change', show)
  confirm.addEventListener('click', async () => {
    confirm.disabled = true
    const refused = []
    let deleted = 0
    for (const box of chosen()) {
      const { response, data } = await send('DELETE', box.value)
      if (response.ok || response.status === 404) {
        box.closest('tr').remove()
        deleted++
      } else refused.push(`${box.getAttribute('aria-label')}: ${linesOf(data.detail ?? data).join(' ')}`)
    }
    confirm.disabled = false
    confirm.closest('dialog').close()
    result.textContent = [`${deleted} deleted.`, ...refused].join(' ')
    show()
  })
}
