// Suggestions below the search of the header. The script is loaded when the search gets the focus.

import { listOpened } from './pages.js'

{
  const form = document.querySelector('header form.find')
  const input = form.querySelector('input')
  const list = document.createElement('div')
  list.id = 'suggestions'
  list.className = 'suggestions'
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', input.getAttribute('aria-label'))
  list.hidden = true
  form.append(list)
  for (const [name, value] of [
    ['role', 'combobox'],
    ['aria-controls', list.id],
    ['aria-autocomplete', 'list'],
    ['aria-expanded', 'false'],
    ['autocomplete', 'off'],
  ])
    input.setAttribute(name, value)

  const listOptions = () => [...list.querySelectorAll('[role=option]')]
  const show = isShown => {
    list.hidden = !isShown
    input.setAttribute('aria-expanded', String(isShown))
    if (!isShown) select(undefined)
  }
  let selected
  const select = option => {
    selected?.setAttribute('aria-selected', 'false')
    selected = option
    selected?.setAttribute('aria-selected', 'true')
    selected?.scrollIntoView({ block: 'nearest' })
    if (selected) input.setAttribute('aria-activedescendant', selected.id)
    else input.removeAttribute('aria-activedescendant')
  }

  // The objects that the reader has opened last are before those that the reader has changed.
  const showOpened = () => {
    const template = list.querySelector('template')
    if (!template) return
    for (const [index, { href, text }] of listOpened().entries()) {
      if (href === location.pathname) continue
      listOptions()
        .find(other => other.getAttribute('href') === href)
        ?.remove()
      const option = template.content.firstElementChild.cloneNode(true)
      option.querySelector('bdi').textContent = text
      template.before(Object.assign(option, { id: `opened-${index}`, href }))
    }
    template.remove()
  }

  let [timer, request] = []
  const suggest = async () => {
    const text = input.value.trim()
    request?.abort()
    if (text.length === 1) return show(false)
    request = new AbortController()
    try {
      const url = `${form.getAttribute('action')}?${new URLSearchParams({ q: text, _suggest: '' })}`
      const response = await fetch(url, { headers: { Accept: 'text/html' }, signal: request.signal })
      if (!response.ok || input.value.trim() !== text) return
      select(undefined)
      list.innerHTML = await response.text()
      showOpened()
      show(listOptions().length > 0)
    } catch {
      show(false)
    }
  }
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(suggest, 150)
  })
  input.addEventListener('keydown', event => {
    const options = listOptions()
    if (event.key === 'Escape') show(false)
    if (list.hidden || options.length === 0) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const at = selected ? options.indexOf(selected) + step : step > 0 ? 0 : options.length - 1
      select(options[(at + options.length) % options.length])
    } else if (event.key === 'Enter' && selected) {
      event.preventDefault()
      selected.click()
    }
  })
  input.addEventListener('focus', () => input.value.trim() === '' && suggest())
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!form.contains(relatedTarget)) show(false)
  })
  // Somebody may have typed before the script was there.
  suggest()
}
