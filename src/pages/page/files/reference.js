// Sends the requests of the reference: as the user who is logged in, or with a token, which is not stored.

import { describeAnswer } from './answer.js'
import { createElement, findElement, findElements, listen, send } from './pages.js'

const texts = findElement('.reference').dataset
const [tokenField, ...keyword] = (texts.field ?? '').split(': ')
// All requests of the page use it.
let token = ''

const labelled = (textContent, control) => createElement('p', {}, createElement('label', {}, textContent, control))

function createForm({ dataset: { try: method, url } }, code) {
  const address = createElement('input', { value: url, required: true, spellcheck: false, dir: 'ltr' })
  const secret = createElement('input', { type: 'password', value: token, autocomplete: 'off', title: texts.session })
  const body = createElement('textarea', { rows: 6, spellcheck: false, value: code?.replaceAll("'\\''", "'") })
  const result = createElement('div', { className: 'result', role: 'status' })
  const form = createElement(
    'form',
    { className: 'try' },
    labelled(texts.url, address),
    ...(texts.field
      ? [labelled(texts.token, secret), createElement('p', { className: 'help', textContent: texts.session })]
      : []),
    ...(code === undefined ? [] : [labelled(texts.body, body)]),
    createElement(
      'p',
      { className: 'send' },
      createElement('button', { className: 'primary', textContent: `${texts.send} ${method}` }),
    ),
    result,
  )
  listen(form, 'submit', async event => {
    event.preventDefault()
    if (form.ariaBusy) return
    form.ariaBusy = true
    result.textContent = texts.waiting
    token = secret.value.trim()
    const answer = await send(method, address.value, {
      accept: 'application/json, */*;q=0.5',
      ...(code !== undefined && { body: body.value, type: 'application/json' }),
      ...(token && { headers: { [tokenField]: [...keyword, token].join(' ') }, credentials: 'omit' }),
    })
    result.replaceChildren(...describeAnswer(answer, texts.headers))
    form.ariaBusy = null
  })
  return form
}

for (const button of findElements('[data-try]'))
  listen(button, 'click', () => {
    const code = findElement('[data-body]', button.closest('section'))
    const form = createForm(button, code?.textContent)
    button.parentElement.replaceWith(form)
    findElement('input', form).focus()
  })
