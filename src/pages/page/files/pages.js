// Enhances all pages: menus, times in the zone of the reader, and requests for the other scripts.

const csrfCookie = 'csrftoken'

export const findElement = (selector, root = document) => root.querySelector(selector)
export const parsePage = text => new DOMParser().parseFromString(text, 'text/html')
export const findElements = (selector, root = document) => [...root.querySelectorAll(selector)]

export const listen = (target, type, listener, options) => target.addEventListener(type, listener, options)

export function createElement(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

for (const element of findElements('[data-needs-script]')) element.hidden = false
for (const element of findElements('[data-without-script]')) element.remove()

// The menu and the request of a page are open on wide screens, unless the page or the reader has closed the request. Pages that begin
// with a closed request remember it apart from the others.
for (const [selector, width] of [
  ['.rail', 640],
  ['.fold', 640],
  ['.panel', 1100],
]) {
  const details = findElement(selector)
  if (!details) continue
  const isWide = matchMedia(`(min-width: ${width}px)`)
  const { classList } = details
  const isClosed = classList.contains('closed')
  const key = selector + isClosed
  const update = () => {
    details.open = isWide.matches && !classList.toggle('closed', (localStorage[key] ?? `${isClosed}`) === 'true')
  }
  listen(details, 'toggle', () => {
    if (isWide.matches) localStorage[key] = classList.toggle('closed', !details.open)
  })
  listen(isWide, 'change', update)
  update()
}

// A script is loaded when somebody first needs it: at the focus of the search; for the request of the page, when somebody enters it or a
// form that it follows, or if this tab has sent requests, which it lists.
for (const element of findElements('[data-script]')) {
  const script = createElement('script', { src: element.dataset.script })
  const load = () => script.isConnected || document.head.append(script)
  const panel = element.closest('.panel')
  listen(panel ?? element, 'focusin', load)
  if (!panel) continue
  listen(panel, 'pointerenter', load)
  listen(panel, 'click', load)
  for (const form of findElements('form:is([data-method], [data-editor])')) {
    listen(form, 'focusin', load)
    listen(form, 'submit', event => {
      load()
      if (!form.dataset.editor) return
      event.preventDefault()
      listen(script, 'load', () => form.requestSubmit())
    })
  }
  // It needs the scripts after this one.
  if (sessionStorage.sent || sessionStorage.open) listen(document, 'DOMContentLoaded', load)
}

// The objects that the reader has opened last, for the search. Only this browser knows them, until the logout or the next user.
const reader = findElement('.account bdi')?.textContent
export const listOpened = () => {
  const { user, list } = JSON.parse(localStorage.opened ?? '{}')
  return reader && user === reader ? list : []
}
const [openedObject] = findElements('[data-opened]')
const lastOpened = openedObject ? [{ href: location.pathname, text: openedObject.value }] : []
const others = listOpened().filter(({ href }) => href !== lastOpened[0]?.href)
localStorage.opened = JSON.stringify({ user: reader, list: [...lastOpened, ...others].slice(0, 7) })
for (const logout of findElements('.account form')) listen(logout, 'submit', () => localStorage.removeItem('opened'))

listen(document, 'keydown', event => {
  const input = findElement('header .find input')
  if (input === null || event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  input.focus()
  input.select()
})

// An open menu closes at a click elsewhere, and with Escape.
for (const menu of findElements('.menu')) {
  listen(document, 'click', ({ target }) => {
    if (!menu.contains(target)) menu.open = false
  })
  listen(menu, 'keydown', ({ key }) => {
    if (key !== 'Escape') return
    menu.open = false
    findElement('summary', menu).focus()
  })
}

// Counts the seconds down until a request may be repeated.
const countdown = findElement('[data-countdown]')
if (countdown) {
  const end = performance.now() + Number(countdown.dataset.countdown) * 1000
  const timer = setInterval(() => {
    const seconds = Math.ceil((end - performance.now()) / 1000)
    countdown.textContent = seconds > 0 ? countdown.dataset.text.replace('{seconds}', seconds) : countdown.dataset.over
    if (seconds <= 0) clearInterval(timer)
  }, 1000)
}

// Times are in UTC, and shown in the zone of the reader, as their region writes them.
const { lang } = document.documentElement
const isOfPage = language => language.split('-')[0] === lang.split('-')[0]
// Some systems name languages that are no language tags, such as `en-US@posix`.
const region = navigator.languages.find(language => /^[\w-]+$/.test(language) && isOfPage(language))
const timeParts = { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }
// In tables, the zone of all times would take the room of other columns.
const [inTable, elsewhere] = [{}, { timeZoneName: 'short' }].map(
  zone => new Intl.DateTimeFormat(region ?? lang, { ...timeParts, ...zone }),
)
for (const time of findElements('time[title]')) {
  const date = new Date(time.dateTime)
  if (!Number.isNaN(date.valueOf())) time.textContent = (time.closest('td') ? inTable : elsewhere).format(date)
}

// A change applies to the state of the object that the page shows, if its resource asks for it; otherwise to any state. The
// page of an object that does not exist creates it.
let precondition = findElement('[data-if-none-match]')
  ? { 'If-None-Match': '*' }
  : { 'If-Match': findElement('[data-if-match]')?.value ?? '*' }
export const setPrecondition = fields => {
  precondition = fields
}
const changes = ['PUT', 'PATCH', 'DELETE']
const { unreachable = 'The service cannot be reached.' } = findElement('[data-unreachable]')?.dataset ?? {}

/** Sends a request. Without a network, the response has status 0. */
export async function send(method, url, options = {}) {
  const { body, type, accept = 'application/json', headers: own, credentials = 'same-origin' } = options
  const token = new RegExp(`(?:^|; )${csrfCookie}=([^;]*)`).exec(document.cookie)?.[1]
  const headers = {
    Accept: accept,
    ...(token && { 'X-CSRFToken': token }),
    ...(type && { 'Content-Type': type }),
    ...(changes.includes(method) && precondition),
    ...own,
  }
  const start = performance.now()
  let [response, text] = [{ ok: false, status: 0 }, '']
  try {
    response = await fetch(url, { method, headers, body, credentials })
    text = await response.text()
  } catch {
    response = { ok: false, status: 0 }
  }
  const ms = Math.round(performance.now() - start)
  // A change by this page itself is no conflict.
  const tag =
    response.ok &&
    changes.includes(method) &&
    new URL(url, location.href).pathname === location.pathname &&
    response.headers.get('etag')
  if (tag) precondition = { 'If-Match': tag }
  const answer = { response, text, ms, data: response.status === 0 ? { detail: unreachable } : parseJsonOrText(text) }
  const detail = { method, url: new URL(url, location.href), answer }
  if (method === 'POST' || changes.includes(method)) document.dispatchEvent(new CustomEvent('sent', { detail }))
  return answer
}

export function parseJsonOrText(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

for (const button of findElements('[data-copy]')) {
  listen(button, 'click', async () => {
    await copyText(findElement('code', button.parentElement))
    const label = button.textContent
    button.textContent = button.dataset.copied
    setTimeout(() => {
      button.textContent = label
    }, 1500)
  })
}

// The clipboard API needs HTTPS; without it, the text is selected and copied.
async function copyText(element) {
  try {
    await navigator.clipboard.writeText(element.innerText)
  } catch {
    getSelection().selectAllChildren(element)
    document.execCommand('copy')
  }
}
