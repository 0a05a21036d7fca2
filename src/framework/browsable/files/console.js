// The console: requests as code and as JSON that follow the form of fields, and the form them; requests that are sent without leaving
// the page; and those that this tab has sent.

import { createFormBody, listControls, send, writeControl } from './pages.js'

const texts = document.querySelector('.console')?.dataset ?? {}
const editors = [...document.querySelectorAll('[data-editor]')]
const findEditor = method => editors.find(({ dataset }) => dataset.editor === method)
const bodyOf = editor => editor.elements.namedItem('body')
const fieldsOf = editor => JSON.parse(editor.dataset.fields ?? '{}')
const mask = '********'

// The page shows no secrets that were typed.
const hideSecrets = (text, editor) => editCode(text, editor, () => mask)

function editCode(text, editor, replace) {
  const fields = fieldsOf(editor)
  const isSecret = (name, value) => fields[name]?.startsWith('secret') && typeof value === 'string' && value !== ''
  try {
    const change = (name, value) => (isSecret(name, value) ? replace(name, value) : value)
    return JSON.stringify(JSON.parse(text, change), null, 2)
  } catch {
    return text
  }
}

// The body as the code of each language has it: curl, fetch, the client, Python.
const [closed, parts] = [/(?<![[{])(\n\s*[\]}])/g, /"((?:[^"\\]|\\.)*)"(:?)|true|false|null/g]
const formatters = [
  json => json.replaceAll("'", "'\\''"),
  json => json.replaceAll('\n', '\n  '),
  json =>
    json
      .replace(closed, ',$1')
      .replace(parts, (text, inner, colon) =>
        inner === undefined
          ? text
          : colon && inner !== '__proto__' && /^[a-z_$][\w$]*$/i.test(inner)
            ? inner + colon
            : `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'${colon}`,
      ),
  json =>
    json
      .replace(closed, ',$1')
      .replace(/^ +/gm, '$&$&')
      .replace(parts, text => ({ true: 'True', false: 'False', null: 'None' })[text] ?? text)
      .replaceAll('\n', '\n    '),
]

function showCode(editor) {
  const spans = editor.parentElement.querySelectorAll('[data-body]')
  try {
    const json = JSON.stringify(JSON.parse(hideSecrets(bodyOf(editor).value, editor)), null, 2)
    for (const [index, span] of spans.entries()) span.textContent = formatters[index](json)
  } catch {
    // The code keeps the last body that was JSON.
  }
}

const readers = {
  number: text => (text.trim() === '' || Number.isNaN(Number(text)) ? text || null : Number(text)),
  key: text => (/^\d{1,15}$/.test(text) ? Number(text) : text),
  boolean: text => text === 'true',
  secret: text => text && mask,
  json(text) {
    try {
      return JSON.parse(text || 'null')
    } catch {
      return text
    }
  },
}

// The values of a form as JSON. FormData has no entry for an unchecked checkbox or an empty list.
function readForm(form, editor) {
  const isPartial = editor.dataset.editor === 'PATCH'
  const data = createFormBody(form, isPartial)
  const values = {}
  for (const [name, kind] of Object.entries(fieldsOf(editor))) {
    const [type, nullable] = kind.split(/(?=\?)/)
    const texts = data.getAll(name).map(text => text.replaceAll('\r\n', '\n'))
    if (type === 'list') {
      if (!isPartial || data.has(name)) values[name] = texts.filter(Boolean).map(readers.key)
    } else if (data.has(name)) values[name] = nullable && texts[0] === '' ? null : (readers[type] ?? String)(texts[0])
    else if (type === 'boolean' && !isPartial && form.querySelector(`[data-field="${CSS.escape(name)}"]`))
      values[name] = false
  }
  return values
}

// Writes what was typed as JSON into the controls of simple fields.
function writeForm(form, editor) {
  let data
  try {
    data = JSON.parse(bodyOf(editor).value)
  } catch {
    return
  }
  const values = Object(data?.[editor.dataset.envelope] ?? data)
  for (const [name, kind] of Object.entries(fieldsOf(editor))) {
    const field = form.querySelector(`[data-field="${CSS.escape(name)}"]`)
    const value = values[name]
    if (field !== null && value !== undefined && value !== mask) writeField(field, kind, value)
  }
}

function writeField(field, kind, value) {
  const controls = listControls(field)
  for (const control of controls)
    if (field.dataset.saved) control.checked = [value].flat().includes(control.value)
    else if (controls.length > 1) return
    else if (control.type === 'checkbox') control.checked = value === true
    else if (control.options) selectValues(control, [value ?? (control.multiple ? [] : '')].flat().map(String))
    else control.value = kind.startsWith('json') ? JSON.stringify(value, null, 2) : String(value ?? '')
}

function selectValues(select, values) {
  const texts = values.map(value => [value, [...select.options].find(option => option.value === value)?.text ?? value])
  writeControl(select, texts)
  // A combobox shows what is selected.
  select.dispatchEvent(new Event('change'))
}

for (const editor of editors.filter(bodyOf)) {
  const method = editor.dataset.editor
  const form = document.querySelector(`form[data-method="${method === 'PUT' ? 'PATCH' : method}"]`)
  const update = () => {
    const values = readForm(form, editor)
    if (Object.keys(values).length === 0) return
    const { envelope } = editor.dataset
    bodyOf(editor).value = JSON.stringify(envelope ? { [envelope]: values } : values, null, 2)
    showCode(editor)
  }
  form?.addEventListener('input', event => event.detail !== editor && update())
  form?.addEventListener('change', update)
  bodyOf(editor).addEventListener('input', () => {
    showCode(editor)
    if (form === null) return
    writeForm(form, editor)
    form.dispatchEvent(new CustomEvent('input', { detail: editor }))
  })
}

const create = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

for (const editor of editors) {
  editor.addEventListener('submit', async event => {
    event.preventDefault()
    if (editor.getAttribute('aria-busy') === 'true') return
    const method = editor.dataset.editor
    const result = findResult(editor)
    result.replaceChildren(create('p', { className: 'help', textContent: texts.waiting }))
    editor.setAttribute('aria-busy', 'true')
    const content = bodyOf(editor) ? { body: fillSecrets(editor), type: editor.elements.namedItem('type').value } : {}
    const answer = await send(method, editor.action, content)
    editor.removeAttribute('aria-busy')
    if (method === 'GET') remember({ method, url: editor.action, status: answer.response.status, ms: answer.ms })
    result.replaceChildren(...describeAnswer(answer, editor))
  })
}

// A masked secret is the one in the form.
function fillSecrets(editor) {
  const form = document.querySelector('form[data-method]')
  const find = (name, value) => (value === mask ? (form?.elements.namedItem(name)?.value ?? value) : value)
  const { value } = bodyOf(editor)
  return value.includes(mask) ? editCode(value, editor, find) : value
}

function findResult(editor) {
  if (!editor.nextElementSibling?.matches('.result'))
    editor.after(create('div', { className: 'result', role: 'status' }))
  return editor.nextElementSibling
}

function describeAnswer({ response, text, ms, data }, editor) {
  if (response.status === 0) return [create('p', { className: 'errors', textContent: data.detail })]
  const outcome = create('b', {
    className: response.ok ? 'ok' : 'failed',
    textContent: `${response.status} ${response.statusText}`,
  })
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`)
  const body = typeof data === 'string' ? data : JSON.stringify(data, null, 2)
  const href = response.headers.get('location') ?? window.location.href
  const next = create('p', {}, create('a', { href, textContent: texts.reload }))
  const errors = response.status === 400 ? listErrors(data) : []
  return [
    create('p', { className: 'outcome' }, outcome, ` ${ms} ms · ${new Blob([text]).size} B`),
    ...(response.ok && editor.dataset.editor !== 'GET' ? [next] : []),
    ...(errors.length > 0
      ? [create('ul', { className: 'errors' }, ...errors.map(error => errorItem(error, editor)))]
      : []),
    create(
      'details',
      {},
      create('summary', { textContent: texts.headers }),
      create('pre', { textContent: lines.join('\n') }),
    ),
    create('pre', { className: 'body', tabIndex: 0, textContent: body.slice(0, 100_000) }),
  ]
}

// The errors with the paths of their fields: `size.width`.
function listErrors(data, path = []) {
  if (typeof data !== 'object' || data === null) return [{ path, text: String(data) }]
  return Object.entries(data).flatMap(([name, part]) =>
    listErrors(part, Array.isArray(data) && typeof part !== 'object' ? path : [...path, name]),
  )
}

// The path selects its line in the body.
function errorItem({ path, text }, editor) {
  const names = path.filter(name => name !== 'detail' && name !== 'non_field_errors')
  if (names.length === 0) return create('li', { textContent: text })
  const button = create('button', { type: 'button', textContent: names.join('.') })
  button.addEventListener('click', () => {
    const body = bodyOf(editor)
    let start = 0
    for (const name of names) start = Math.max(start, body.value.indexOf(`"${name}"`, start))
    body.focus()
    body.setSelectionRange(start, start + names.at(-1).length + 2)
  })
  return create('li', {}, button, ` ${text}`)
}

// The requests of this tab. Those of another user are dropped.
const user = document.querySelector('.account bdi')?.textContent ?? ''
const listSent = () => {
  const stored = JSON.parse(sessionStorage.getItem('sent') ?? '{}')
  return stored.user === user ? stored.list : []
}

function remember(entry) {
  try {
    sessionStorage.setItem('sent', JSON.stringify({ user, list: [entry, ...listSent()].slice(0, 20) }))
  } catch {
    // The storage is full.
  }
  showSent()
}

document.addEventListener('sent', ({ detail }) => {
  const editor = findEditor(detail.method)
  const url = new URL(detail.url, window.location.href).href
  const isOwn = editor && url === editor.action
  remember({ ...detail, url, ...(isOwn && { body: hideSecrets(bodyOf(editor).value, editor).slice(0, 20_000) }) })
})

function showSent() {
  const section = document.querySelector('[data-sent]')
  const entries = listSent()
  if (section === null || entries.length === 0) return
  section.hidden = false
  section.querySelector('ol').replaceChildren(
    ...entries.map(entry => {
      const { method, url, status, ms } = entry
      const { pathname, search } = new URL(url)
      const button = create(
        'button',
        { type: 'button' },
        create('b', { className: `method ${method.toLowerCase()}`, textContent: method }),
        create('span', { textContent: pathname + search }),
        create('small', { textContent: `${status || '–'} · ${ms} ms` }),
      )
      button.addEventListener('click', () => open(entry))
      return create('li', {}, button)
    }),
  )
}

// Opens a request again: on the page of its URL.
function open({ method, url, body }) {
  const editor = findEditor(method)
  if (editor?.action !== url) {
    sessionStorage.setItem('open', JSON.stringify({ method, url, body }))
    window.location.assign(url)
    return
  }
  editor.closest('.panel')?.setAttribute('open', '')
  editor.closest('details').open = true
  if (body !== undefined) {
    bodyOf(editor).value = body
    showCode(editor)
  }
  editor.querySelector('textarea, button').focus()
}

const opened = JSON.parse(sessionStorage.getItem('open') ?? 'null')
sessionStorage.removeItem('open')
if (opened !== null && findEditor(opened.method)?.action === opened.url) open(opened)
showSent()
