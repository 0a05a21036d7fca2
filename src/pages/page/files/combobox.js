// Replaces each `<select data-combobox>` with an editable combobox (WAI-ARIA Authoring Practices): typing narrows the list,
// arrows, Enter and Escape use it, and each of several selected options is a chip. The select stays the control of its form.

import { createElement, findElements, listen, parsePage, send } from './pages.js'

let comboboxCount = 0

function enableComboboxes(root) {
  for (const element of findElements('[data-without-script]', root)) element.remove()
  for (const select of findElements('[data-combobox]', root)) enableCombobox(select)
}

function enableCombobox(select) {
  const combobox = createCombobox(select)
  const { input } = combobox
  listenToInput(combobox)
  // Other parts of the script change the select.
  listen(select, 'change', () => showSelected(combobox))
  // Errors are shown at the select.
  listen(select, 'focus', () => input.focus())
  const showInvalid = () => {
    input.ariaInvalid = select.ariaInvalid
  }
  new MutationObserver(showInvalid).observe(select, { attributeFilter: ['aria-invalid'] })

  showInvalid()
  closeList(combobox)
  showSelected(combobox)
}

// The elements of a combobox, the index of its active item, and the timer of its next search.
function createCombobox(select) {
  const { results, hint = '' } = select.dataset
  const { multiple, required } = select
  const id = `combobox-${++comboboxCount}`
  const list = createElement('ul', { id: `${id}-list`, role: 'listbox', ariaLabel: results })
  const status = createElement('p', { role: 'status' })
  const chips = createElement('ul', { className: 'chips' })
  const input = createElement('input', {
    id,
    role: 'combobox',
    ariaAutoComplete: 'list',
    autocomplete: 'off',
    placeholder: hint,
    required,
    dir: 'auto',
  })
  input.setAttribute('aria-controls', list.id)
  input.setAttribute('aria-describedby', select.getAttribute('aria-describedby') ?? '')
  const box = createElement('div', { className: multiple ? 'combobox several' : 'combobox' })
  box.append(...(multiple ? [chips] : []), input, list, status)
  for (const label of [...select.labels]) label.htmlFor = id
  select.classList.add('replaced')
  select.tabIndex = -1
  select.ariaHidden = 'true'
  select.after(box)
  return { select, input, list, status, chips, active: -1, timer: undefined }
}

function listenToInput(combobox) {
  const { select, input, list, status } = combobox
  listen(input, 'input', event => {
    event.stopPropagation()
    search(combobox)
  })
  listen(input, 'click', () => {
    if (list.hidden) search(combobox)
  })
  listen(input, 'focus', () => input.select())
  listen(input, 'blur', () => {
    closeList(combobox)
    status.textContent = ''
    const empty = input.value === '' && [...select.options].find(({ value }) => value === '')
    if (!select.multiple && empty && !empty.selected) change(combobox, empty, true)
    // The chips stay, because one of them may be what is clicked.
    else showText(combobox)
  })
  listen(input, 'keydown', event => {
    if (pressKey(combobox, event.key)) event.preventDefault()
  })
}

// Returns whether the key has a meaning.
function pressKey(combobox, key) {
  const { select, input, list, status, active } = combobox
  const [last] = listSelected(select).slice(-1)
  if (key === 'ArrowDown') move(combobox, 1)
  else if (key === 'ArrowUp') move(combobox, -1)
  else if (key === 'Enter' && !list.hidden) {
    if (active !== -1) change(combobox, list.children[active].option, true)
  } else if (key === 'Escape' && !list.hidden) closeList(combobox)
  else if (key === 'Backspace' && select.multiple && input.value === '' && last) {
    change(combobox, last, false)
    status.textContent = select.dataset.remove.replace('{name}', last.text)
  } else return false
  return true
}

function move(combobox, step) {
  const { list, active } = combobox
  if (list.hidden) return search(combobox)
  const { length } = list.children
  activate(combobox, active === -1 && step < 0 ? length - 1 : (active + step + length) % length)
}

function activate(combobox, index) {
  const { input, list } = combobox
  list.children[combobox.active]?.removeAttribute('data-active')
  combobox.active = index
  const item = list.children[index]
  input.setAttribute('aria-activedescendant', item?.id ?? '')
  item?.setAttribute('data-active', '')
  item?.scrollIntoView({ block: 'nearest' })
}

function change(combobox, option, isSelected) {
  const { select, status } = combobox
  const known = [...select.options].find(({ value }) => value === option.value)
  const own = known ?? select.appendChild(new Option(option.text, option.value))
  own.selected = isSelected
  closeList(combobox)
  showSelected(combobox)
  status.textContent = ''
  select.dispatchEvent(new Event('input', { bubbles: true }))
}

const listSelected = select => [...select.selectedOptions].filter(({ value }) => value !== '')

function showText({ select, input }) {
  input.value = select.multiple ? '' : (listSelected(select)[0]?.text ?? '')
}

function showSelected(combobox) {
  showText(combobox)
  combobox.chips.replaceChildren(...listSelected(combobox.select).map(option => createChip(combobox, option)))
}

function createChip(combobox, option) {
  const { text } = option
  const chip = createElement('li', { className: 'chip' })
  const button = createElement('button', {
    type: 'button',
    textContent: '×',
    ariaLabel: combobox.select.dataset.remove.replace('{name}', text),
  })
  listen(button, 'click', () => {
    change(combobox, option, false)
    combobox.input.focus()
  })
  chip.append(createElement('span', { textContent: text, dir: 'auto', title: text }), button)
  return chip
}

function search(combobox) {
  const text = readText(combobox)
  clearTimeout(combobox.timer)
  if (combobox.select.dataset.search === undefined) showList(combobox, findLocal(combobox, text), text)
  else combobox.timer = setTimeout(() => findRemote(combobox, text), 150)
}

// The name of the selected option is no search.
const readText = ({ select, input }) =>
  !select.multiple && input.value === listSelected(select)[0]?.text ? '' : input.value.trim()

function findLocal({ select }, text) {
  const words = text.toLowerCase().split(/\s+/)
  return [...select.options].filter(option => words.every(word => option.text.toLowerCase().includes(word)))
}

async function findRemote(combobox, text) {
  const { select, input, status } = combobox
  const url = new URL(select.dataset.search, location.href)
  url.searchParams.set('q', text)
  const { response, text: page, data } = await send('GET', url, { accept: 'text/html' })
  // Ignores a response that arrives after the input has changed.
  if (document.activeElement !== input || text !== readText(combobox)) return
  if (response.ok) showList(combobox, findElements('option', parsePage(page)), text)
  else status.textContent = data.detail ?? select.dataset.none
}

function showList(combobox, options, text) {
  const { select, input, list, status } = combobox
  const { found, none } = select.dataset
  const taken = select.multiple ? listSelected(select).map(({ value }) => value) : []
  const offered = options.filter(({ value }) => value !== '' && !taken.includes(value))
  list.replaceChildren(...offered.map((option, index) => createItem(combobox, option, index)))
  list.hidden = offered.length === 0
  input.ariaExpanded = String(!list.hidden)
  status.textContent = list.hidden ? none : found.replace('{count}', offered.length)
  activate(combobox, text === '' ? -1 : 0)
}

function createItem(combobox, option, index) {
  const { select, input } = combobox
  const isSelected = listSelected(select).some(({ value }) => value === option.value)
  const item = createElement('li', {
    id: `${input.id}-${index}`,
    role: 'option',
    dir: 'auto',
    textContent: option.text,
    option,
  })
  item.ariaSelected = String(isSelected)
  listen(item, 'pointerdown', event => event.preventDefault())
  listen(item, 'click', () => change(combobox, option, true))
  return item
}

function closeList(combobox) {
  clearTimeout(combobox.timer)
  combobox.list.hidden = true
  activate(combobox, -1)
  combobox.input.ariaExpanded = 'false'
}

enableComboboxes(document)
// A page replaces fields that others have changed.
listen(document, 'replaced', ({ target }) => enableComboboxes(target))
