// What the pages do beyond HTML: methods that forms do not have, errors beside their fields, relations as one types.

const csrfCookie = 'csrftoken'

for (const element of document.querySelectorAll('[data-script]')) element.hidden = false

/** The answer to a request of this page, as JSON. */
async function send(method, url, body, type) {
  const token = new RegExp(`(?:^|; )${csrfCookie}=([^;]*)`).exec(document.cookie)?.[1]
  const headers = {
    Accept: 'application/json',
    ...(token && { 'X-CSRFToken': token }),
    ...(type && { 'Content-Type': type }),
  }
  const response = await fetch(url, { method, headers, body, credentials: 'same-origin' })
  const text = await response.text()
  return { response, data: parse(text) }
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
    const { method } = form.dataset
    const isRaw = 'raw' in form.dataset
    const body = isRaw ? form.elements.namedItem('body').value : formBody(form)
    const { response, data } = await send(
      method,
      form.getAttribute('action'),
      body,
      isRaw ? form.elements.namedItem('type').value : undefined,
    )
    if (response.ok) leave(response, method)
    else showErrors(form, data)
  })
}

// Empty rows of a relation to many name nothing.
function formBody(form) {
  const data = new FormData(form)
  for (const row of form.querySelectorAll('.many')) {
    const [{ name }] = row.querySelectorAll('input')
    const values = data.getAll(name).filter(value => value !== '')
    data.delete(name)
    for (const value of values) data.append(name, value)
  }
  return data
}

function leave(response, method) {
  const location = response.headers.get('location')
  if (method === 'POST' && location !== null) window.location.assign(location)
  else window.location.reload()
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
  list(form.querySelector('[data-errors]'), rest)
  const first = form.querySelector('[aria-invalid="true"]') ?? form.querySelector('[data-errors]')
  first?.focus?.()
  first?.scrollIntoView({ block: 'center' })
}

function setErrors(field, messages) {
  const control = field.querySelector('input, select, textarea')
  const errors = field.querySelector('.errors')
  list(errors, messages)
  if (messages.length > 0) {
    control.setAttribute('aria-invalid', 'true')
    control.setAttribute('aria-describedby', errors.id)
  } else control.removeAttribute('aria-invalid')
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
    if (response.ok) window.location.assign(button.dataset.delete.replace(/[^/]+\/$/, ''))
    else showErrors(button.closest('form'), data)
  })
}

for (const button of document.querySelectorAll('[data-options]')) {
  button.addEventListener('click', async () => {
    const { response, data } = await send('OPTIONS', button.dataset.options)
    document.querySelector('.answer .request code').textContent = `OPTIONS ${button.dataset.options}`
    document.querySelector('.answer .head').textContent = `HTTP ${response.status}`
    document.querySelector('.answer .body').textContent = JSON.stringify(data, null, 2)
  })
}

for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    const text = button.parentElement.querySelector('code').textContent
    await navigator.clipboard.writeText(text)
    const label = button.textContent
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = label
    }, 1500)
  })
}

// Relations: what one types is searched in the list of the other resource.
for (const input of document.querySelectorAll('[data-search]')) {
  const options = document.createElement('datalist')
  options.id = `${input.id || Math.random().toString(36).slice(2)}-options`
  input.after(options)
  input.setAttribute('list', options.id)
  let waiting
  input.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = setTimeout(() => search(input, options), 150)
  })
  input.addEventListener('focus', () => search(input, options), { once: true })
}

async function search(input, options) {
  const url = new URL(input.dataset.search, window.location.href)
  url.searchParams.set('search', input.value)
  const { response, data } = await send('GET', url)
  if (!response.ok) return
  const items = Array.isArray(data) ? data : (data.results ?? [])
  options.replaceChildren(
    ...items.slice(0, 20).map(item => {
      const { url: _, id: __, ...rest } = item
      const name = Object.values(rest).find(value => typeof value === 'string') ?? ''
      return Object.assign(document.createElement('option'), { value: item[input.dataset.key], label: name })
    }),
  )
}
