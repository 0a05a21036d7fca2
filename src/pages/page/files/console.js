// The console: requests as code and as JSON that follow the form of fields, and the form them; requests that are sent without leaving
// the page; and those that this tab has sent.

import { describeAnswer } from './answer.js'
import { createFormBody, findField, isFormChanged, listControls, writeControl } from './forms.js'
import { createElement, findElement, findElements, send } from './pages.js'

const texts = findElement('.console')?.dataset ?? {}
const editors = findElements('[data-editor]')
const findEditor = method => editors.find(({ dataset }) => dataset.editor === method)
const bodyOf = editor => editor.elements.namedItem('body')
const fieldsOf = ({ dataset }) => JSON.parse(dataset.fields ?? findEditor('PATCH')?.dataset.fields ?? '{}')
const mask = '********'
const multipart = 'multipart/form-data'
const typeOf = editor => editor.elements.namedItem('type')
const formOf = ({ dataset }) => findElement(`form[data-method="${dataset.editor.replace('PUT', 'PATCH')}"]`)

// The page shows no secrets that were typed.
const hideSecrets = (text, editor) => editCode(text, editor, () => mask)

function editCode(text, editor, replace) {
  const fields = fieldsOf(editor)
  const isSecret = (name, value) => /^secret/.test(fields[name]) && typeof value === 'string' && value !== ''
  try {
    const change = (name, value) => (isSecret(name, value) ? replace(name, value) : value)
    return JSON.stringify(JSON.parse(text, change), null, 2)
  } catch {
    return text
  }
}

// The body as the code of each language has it: curl, and the client.
const [closed, parts] = [/(?<![[{])(\n\s*[\]}])/g, /"((?:[^"\\]|\\.)*)"(:?)/g]
const formatters = [
  json => json.replaceAll("'", "'\\''"),
  json =>
    json
      .replace(closed, ',$1')
      .replace(parts, (_, inner, colon) =>
        colon && inner !== '__proto__' && /^[a-z_$][\w$]*$/i.test(inner)
          ? inner + colon
          : `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'${colon}`,
      ),
]

function showCode(editor) {
  const spans = findElements('[data-body]', editor.parentElement)
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

// The values of a form as JSON. FormData has no entry for an unchecked checkbox or an empty list; `isWhole`: it means one.
function readValues(data, kinds, isWhole) {
  const values = {}
  for (const [name, kind] of Object.entries(kinds)) {
    const texts = data.getAll(name).map(text => text.replaceAll('\r\n', '\n'))
    const [type, empty] = String(kind).split(/(?=[?-])/)
    const value =
      typeof kind === 'object'
        ? data.has(name)
          ? readers.json(texts[0])
          : readRows(data, name, kind)
        : type === 'list'
          ? data.has(name) || isWhole(name)
            ? texts.filter(Boolean).map(readers.key)
            : undefined
          : !data.has(name)
            ? type === 'boolean' && isWhole(name)
              ? false
              : undefined
            : empty && texts[0] === ''
              ? { '?': null }[empty]
              : (readers[type] ?? String)(texts[0])
    if (value !== undefined) values[name] = value
  }
  return values
}

// The children in rows, without those that are removed, and without rows into which nothing was typed: a list has
// `lines[0]product`, one child `invoice.number`, and a list in a list `lines[0]notes[1]text`.
function readRows(data, name, kinds) {
  const [fields] = [kinds].flat()
  const isList = fields !== kinds
  const rows = {}
  for (const [key, value] of data) {
    const [, index, part] = (key.startsWith(name) && /^\[?(\d*)[\].](.+)/.exec(key.slice(name.length))) || []
    if (!part) continue
    rows[index] ??= new FormData()
    rows[index].append(part, value)
  }
  const place = ([index, row]) => {
    const own = +index + 1
    const at = +(row.get('_place') || own)
    return at + Math.sign(at - own) / 2
  }
  const sorted = Object.entries(rows).sort((a, b) => place(a) - place(b))
  const shown = sorted.map(([, row]) => row)
  const kept = shown.filter(
    row =>
      !row.has('_remove') &&
      Object.keys(fields).some(
        part => fields[part] !== 'boolean' && (row.get(part) || readRows(row, part, fields[part])),
      ),
  )
  const children = kept.map(row => readValues(row, fields, () => true))
  const isRemoved = shown.some(row => row.has('_remove'))
  if (children.length > 0 || isRemoved) return isList ? children : (children[0] ?? null)
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
    const field = findField(form, name)
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
    else control.value = /^json|object/.test(kind) ? JSON.stringify(value, null, 2) : String(value ?? '')
}

const bodyOfForm = (form, editor) => createFormBody(form, editor.dataset.editor === 'PATCH')

// Files are sent as a form; the code of each language has a line for each part.
function formatPart(name, value, index) {
  const isFile = value instanceof File
  const text = isFile ? value.name : typeof value === 'string' ? value : JSON.stringify(value)
  return [
    `-F '${formatters[0](`${name}=${isFile ? '@' : ''}${text}`)}'`,
    `  '${name}': ${isFile ? 'file' : JSON.stringify(text)},`,
  ][index]
}

function showParts(editor, values, data) {
  const files = [...data].filter(([, value]) => value.name)
  for (const [index, code] of findElements('[data-form]', editor.parentElement).entries()) {
    code.hidden = !files[0]
    code.previousElementSibling.hidden = files[0]
    code.firstElementChild.textContent = [...Object.entries(values), ...files]
      .map(([name, value]) => formatPart(name, value, index))
      .join(index ? '\n' : ' \\\n  ')
    typeOf(editor).value = files[0] ? multipart : 'application/json'
  }
}

function selectValues(select, values) {
  const texts = values.map(value => [value, [...select.options].find(option => option.value === value)?.text ?? value])
  writeControl(select, texts)
  // A combobox shows what is selected.
  select.dispatchEvent(new Event('change'))
}

for (const editor of editors.filter(bodyOf)) {
  const method = editor.dataset.editor
  const form = formOf(editor)
  const update = () => {
    const data = bodyOfForm(form, editor)
    const values = readValues(data, fieldsOf(editor), name => method !== 'PATCH' && findField(form, name))
    showParts(editor, values, data)
    if (Object.keys(values).length === 0) return
    const { envelope } = editor.dataset
    bodyOf(editor).value = JSON.stringify(envelope ? { [envelope]: values } : values, null, 2)
    showCode(editor)
  }
  form?.addEventListener('input', event => event.detail !== editor && update())
  form?.addEventListener('change', update)
  const body = bodyOf(editor)
  const follow = () => {
    showCode(editor)
    if (form === null) return
    writeForm(form, editor)
    form.dispatchEvent(new CustomEvent('input', { detail: editor }))
  }
  body.addEventListener('input', follow)
  // Somebody may have typed before the script was there.
  if (body.value !== body.defaultValue) follow()
  else if (form !== null && isFormChanged(form)) update()
}

for (const editor of editors) {
  editor.addEventListener('submit', async event => {
    event.preventDefault()
    if (editor.getAttribute('aria-busy') === 'true') return
    const method = editor.dataset.editor
    findResult(editor).replaceChildren(createElement('p', { className: 'help', textContent: texts.waiting }))
    editor.setAttribute('aria-busy', 'true')
    const content = bodyOf(editor) ? createContent(editor) : {}
    const answer = await send(method, editor.action, content)
    editor.removeAttribute('aria-busy')
    if (!bodyOf(editor)) remember(method, editor.action, answer)
    showAnswer(answer, editor)
  })
}

function createContent(editor) {
  const { value } = typeOf(editor)
  const form = formOf(editor)
  return form && value === multipart ? { body: bodyOfForm(form, editor) } : { body: fillSecrets(editor), type: value }
}

// A masked secret is the one in the form.
function fillSecrets(editor) {
  const form = formOf(editor)
  const find = (name, value) => (value === mask ? (form?.elements.namedItem(name)?.value ?? value) : value)
  const { value } = bodyOf(editor)
  return value.includes(mask) ? editCode(value, editor, find) : value
}

function findResult(editor) {
  if (!editor.nextElementSibling?.matches('.result'))
    editor.after(createElement('div', { className: 'result', role: 'status' }))
  return editor.nextElementSibling
}

const showAnswer = (answer, editor) => findResult(editor).replaceChildren(...describeResult(answer, editor))

function describeResult(answer, editor) {
  const { response, data } = answer
  const [outcome, ...parts] = describeAnswer(answer, texts.headers)
  const href = response.headers?.get('location') ?? location.href
  const next = createElement('p', {}, createElement('a', { href, textContent: texts.reload }))
  const errors = response.status === 400 ? listErrors(data) : []
  return [
    outcome,
    ...(response.ok && bodyOf(editor) ? [next] : []),
    ...(errors.length > 0
      ? [createElement('ul', { className: 'errors' }, ...errors.map(error => errorItem(error, editor)))]
      : []),
    ...parts,
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
  if (names.length === 0) return createElement('li', { textContent: text })
  const button = createElement('button', { type: 'button', textContent: names.join('.') })
  button.addEventListener('click', () => {
    const body = bodyOf(editor)
    let start = 0
    for (const name of names) start = Math.max(start, body.value.indexOf(`"${name}"`, start))
    body.focus()
    body.setSelectionRange(start, start + names.at(-1).length + 2)
  })
  return createElement('li', {}, button, ` ${text}`)
}

// The requests of this tab. Those of another user are dropped.
const user = findElement('.account bdi')?.textContent ?? ''
const listSent = () => {
  const stored = JSON.parse(sessionStorage.getItem('sent') ?? '{}')
  return stored.user === user ? stored.list : []
}

function remember(method, url, { response, ms }, body) {
  const entry = { method, url, status: response.status, ms, body }
  try {
    sessionStorage.setItem('sent', JSON.stringify({ user, list: [entry, ...listSent()].slice(0, 20) }))
  } catch {
    // The storage is full.
  }
  showSent()
}

// What a form sends is the request of the panel too.
document.addEventListener('sent', ({ detail: { method, url, answer } }) => {
  const editor = findEditor(method)
  const isOwn = editor && url.pathname === new URL(editor.action).pathname
  const body = isOwn && hideSecrets(bodyOf(editor).value, editor).slice(0, 20_000)
  remember(method, isOwn ? editor.action : url.href, answer, body)
  if (isOwn) showAnswer(answer, editor)
})

function showSent() {
  const section = findElement('[data-sent]')
  const entries = listSent()
  if (section === null || entries.length === 0) return
  section.hidden = false
  section.querySelector('ol').replaceChildren(
    ...entries.map(entry => {
      const { method, url, status, ms } = entry
      const { pathname, search } = new URL(url)
      const button = createElement(
        'button',
        { type: 'button' },
        createElement('b', { className: `method ${method.toLowerCase()}`, textContent: method }),
        createElement('span', { textContent: pathname + search }),
        createElement('small', { textContent: `${status || '–'} · ${ms} ms` }),
      )
      button.addEventListener('click', () => open(entry))
      return createElement('li', {}, button)
    }),
  )
}

// Opens a request again: on the page of its URL.
function open({ method, url, body }) {
  const editor = findEditor(method)
  if (editor?.action !== url) {
    sessionStorage.setItem('open', JSON.stringify({ method, url, body }))
    location.assign(url)
    return
  }
  editor.closest('.panel')?.setAttribute('open', '')
  editor.closest('details').open = true
  if (body) {
    bodyOf(editor).value = body
    showCode(editor)
  }
  editor.querySelector('textarea, button').focus()
}

const opened = JSON.parse(sessionStorage.getItem('open') ?? 'null')
sessionStorage.removeItem('open')
if (opened !== null && findEditor(opened.method)?.action === opened.url) open(opened)
showSent()
