// Lists: a selection that survives paging, ranges with Shift, the keyboard, new objects, and actions for many objects in parts.

import { createElement, findElement, findElements, listen, parsePage } from './pages.js'

// Says how many objects are new in the list. A hidden page holds no connection, because browsers have few for a server.
const news = findElement('[data-feed]')
if (news) {
  const keys = new Set()
  let source
  let position = ''
  const receive = ({ data, lastEventId }) => {
    position = `&since=${lastEventId}`
    const { key } = JSON.parse(data)
    // The first event, which says that the feed is open, has none.
    if (key) keys.add(key)
    news.hidden = !keys.size
    findElement('b', news).textContent = keys.size
  }
  const follow = () => {
    if (document.hidden) return source?.close()
    source = new EventSource(news.dataset.feed + position)
    for (const type of ['ready', 'created', 'visible']) listen(source, type, receive)
  }
  listen(document, 'visibilitychange', follow)
  follow()
}

// The selected objects of each list are kept until the tab is closed, for their user. An action needs a selected object.
const owner = findElement('.account bdi')?.textContent ?? ''
const selectedName = `selected ${location.pathname}`
const maxSelected = 10_000

function readSelected() {
  const stored = JSON.parse(sessionStorage.getItem(selectedName) ?? '{}')
  return new Set(stored.user === owner ? stored.paths : [])
}

function storeSelected(paths) {
  if (paths.size === 0) sessionStorage.removeItem(selectedName)
  else sessionStorage.setItem(selectedName, JSON.stringify({ user: owner, paths: [...paths].slice(0, maxSelected) }))
}

for (const form of findElements('[data-bulk]')) {
  const [selectAll, ...checkboxes] = findElements('.selection input', form)
  const status = findElement('[data-selected]', form)
  const clear = findElement('[data-clear]', form)
  const selected = readSelected()
  // A page without the script has sent its selection.
  for (const { value } of [...checkboxes.filter(box => box.defaultChecked), ...findElements('[data-kept]', form)])
    for (const path of value.split(' ')) selected.add(path)
  for (const kept of findElements('[data-kept]', form)) kept.remove()
  let last
  const update = () => {
    const shown = checkboxes.filter(({ value }) => selected.has(value)).length
    for (const checkbox of checkboxes) checkbox.checked = selected.has(checkbox.value)
    selectAll.checked = shown > 0 && shown === checkboxes.length
    selectAll.indeterminate = shown > 0 && !selectAll.checked
    findElement('.bulk', form).hidden = selected.size === 0
    const { selected: text, others } = status.dataset
    const count = selected.size - shown
    status.textContent =
      text.replace('{count}', selected.size) + (count > 0 ? ` (${others.replace('{count}', count)})` : '')
    storeSelected(selected)
  }
  const select = (boxes, isChecked) => {
    for (const { value } of boxes) selected[isChecked ? 'add' : 'delete'](value)
    update()
  }
  // With Shift, a range from the last box to this one.
  listen(form, 'click', ({ target, shiftKey }) => {
    if (target === selectAll) return select(checkboxes, selectAll.checked)
    const index = checkboxes.indexOf(target)
    if (index === -1) return
    const [start, end] = shiftKey && last !== undefined ? [last, index].sort((a, b) => a - b) : [index, index]
    select(checkboxes.slice(start, end + 1), target.checked)
    last = index
  })
  listen(clear, 'click', () => {
    selected.clear()
    update()
  })
  listen(form, 'formdata', ({ formData }) => {
    const { name } = checkboxes[0] ?? {}
    if (!name) return
    formData.delete(name)
    formData.set(name, [...selected].join(' '))
  })
  update()
  // A page that comes back may have been left for an action that ended the selection.
  listen(window, 'pageshow', ({ persisted }) => {
    if (!persisted) return
    selected.clear()
    for (const path of readSelected()) selected.add(path)
    update()
  })
}

// A confirmed action ends the selection.
for (const form of findElements('[data-ends-selection]'))
  listen(form, 'submit', () => sessionStorage.removeItem(selectedName))

// Runs an action for many objects in parts, until a person stops it. Without a network, a button continues.
const parts = findElement('[data-continue]')
if (parts) runParts(parts)

async function runParts(form) {
  const [next, stop] = findElements('button', form)
  let isRunning = true
  next.hidden = true
  listen(form, 'submit', event => {
    if (!isRunning) return
    event.preventDefault()
    stop.disabled = true
  })
  while (isRunning) {
    // The response to the last part of an import is its result.
    if (findElement('[data-last]', form)) return form.submit()
    const body = new URLSearchParams(new FormData(form))
    const options = { method: 'POST', headers: { Accept: 'text/html' }, body, redirect: 'manual' }
    const response = await fetch(form.action, options).catch(() => null)
    if (response?.type === 'opaqueredirect') return location.assign(form.dataset.continue)
    const part = findElement('[data-continue] > div', parsePage(await response?.text()))
    if (part !== null) form.firstElementChild.replaceChildren(...part.childNodes)
    else if (response !== null) return form.submit()
    isRunning = part !== null && !stop.disabled
  }
  const isStopped = stop.disabled
  next.hidden = stop.disabled = false
  if (isStopped) form.requestSubmit(stop)
}

// The keyboard: a letter does nothing while somebody types.
const keys = findElement('[data-keys]')
const rows = () => findElements('.list [scope="row"] a')

function moveRow(step) {
  const links = rows()
  const index = links.indexOf(document.activeElement)
  const next = index === -1 ? (step > 0 ? 0 : links.length - 1) : Math.min(Math.max(index + step, 0), links.length - 1)
  links[next]?.focus()
}

const findSearch = () => findElement('#list-search') ?? findElement('.find input')

const keyActions = {
  '/': () => findSearch()?.focus(),
  j: () => moveRow(1),
  k: () => moveRow(-1),
  x: () => findElement('.selection input', document.activeElement.closest('tr') ?? createElement('p'))?.click(),
  '?': () => keys?.showModal(),
}

listen(document, 'keydown', event => {
  const { key, target, ctrlKey, metaKey, altKey } = event
  const isTyping = target.closest('input:not([type="checkbox"]), select, textarea, dialog, [contenteditable]')
  if (isTyping || ctrlKey || metaKey || altKey || !Object.hasOwn(keyActions, key)) return
  event.preventDefault()
  keyActions[key]()
})

// An import takes long: a bar moves until the next page is there, and the form is sent once.
for (const form of findElements('form[data-wait]')) {
  let status
  listen(form, 'submit', event => {
    if (status) return event.preventDefault()
    const text = form.dataset.wait
    const bar = createElement('progress', { ariaLabel: text })
    status = createElement('p', { className: 'lead', role: 'status' }, text, ' ', bar)
    form.prepend(status)
    status.scrollIntoView({ block: 'nearest' })
  })
  // The page again, after the button *Back*.
  listen(window, 'pageshow', () => {
    status?.remove()
    status = undefined
  })
}
