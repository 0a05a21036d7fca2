// Replaces each `<select data-combobox>` with an editable combobox (WAI-ARIA Authoring Practices): typing narrows the list,
// arrows, Enter and Escape use it, and each of several selected options is a chip. The select stays the control of its form.

import { createElement, findElements, listen, parsePage, send } from './pages.js'

let comboboxCount = 0

function enableCombobox(select) {
  const { search, once, results, found, none, remove, hint = '' } = select.dataset
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

  let active = -1
  let timer
  // All options of a list that is loaded once.
  let loaded
  const listSelected = () => [...select.selectedOptions].filter(({ value }) => value !== '')
  const isOpen = () => !list.hidden

  const showText = () => {
    input.value = multiple ? '' : (listSelected()[0]?.text ?? '')
  }
  const showSelected = () => {
    showText()
    chips.replaceChildren(...listSelected().map(createChip))
  }
  const createChip = option => {
    const { text } = option
    const chip = createElement('li', { className: 'chip' })
    const button = createElement('button', {
      type: 'button',
      textContent: '×',
      ariaLabel: remove.replace('{name}', text),
    })
    listen(button, 'click', () => {
      change(option, false)
      input.focus()
    })
    chip.append(createElement('span', { textContent: text, dir: 'auto', title: text }), button)
    return chip
  }
  const change = (option, isSelected) => {
    const sameOption = [...select.options].find(({ value }) => value === option.value)
    const own = sameOption ?? select.appendChild(new Option(option.text, option.value))
    own.selected = isSelected
    close()
    showSelected()
    status.textContent = ''
    select.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const close = () => {
    clearTimeout(timer)
    list.hidden = true
    activate(-1)
    input.ariaExpanded = 'false'
  }
  const activate = index => {
    list.children[active]?.removeAttribute('data-active')
    active = index
    const item = list.children[index]
    input.setAttribute('aria-activedescendant', item?.id ?? '')
    item?.setAttribute('data-active', '')
    item?.scrollIntoView({ block: 'nearest' })
  }
  const show = (all, text) => {
    const offered = all.filter(
      ({ value }) => value !== '' && !(multiple && listSelected().some(o => o.value === value)),
    )
    list.replaceChildren(...offered.map(createItem))
    list.hidden = offered.length === 0
    input.ariaExpanded = String(isOpen())
    status.textContent = isOpen() ? found.replace('{count}', offered.length) : none
    activate(text === '' ? -1 : 0)
  }
  const createItem = (option, index) => {
    const isSelected = listSelected().some(({ value }) => value === option.value)
    const item = createElement('li', {
      id: `${id}-${index}`,
      role: 'option',
      dir: 'auto',
      textContent: option.text,
      option,
    })
    item.ariaSelected = String(isSelected)
    listen(item, 'pointerdown', event => event.preventDefault())
    listen(item, 'click', () => change(option, true))
    return item
  }
  // Those that begin with the text are first.
  const findLocal = text => {
    const typed = text.toLowerCase()
    const words = typed.split(/\s+/)
    const startsWith = option => +option.text.toLowerCase().startsWith(typed)
    return [...(loaded ?? select.options)]
      .filter(option => words.every(word => option.text.toLowerCase().includes(word)))
      .toSorted((a, b) => startsWith(b) - startsWith(a))
  }
  const open = text => {
    clearTimeout(timer)
    if (search === undefined || loaded) show(findLocal(text), text)
    else timer = setTimeout(() => findRemote(text), once === undefined ? 150 : 0)
  }
  const findRemote = async text => {
    const url = new URL(search, location.href)
    url.searchParams.set('_text', once === undefined ? text : '')
    const { response, text: page, data } = await send('GET', url, { accept: 'text/html' })
    const options = findElements('option', parsePage(page))
    if (response.ok && once !== undefined) loaded = options
    // Ignores a response that arrives after the input has changed.
    if (document.activeElement !== input || (!loaded && text !== readText())) return
    if (response.ok) show(loaded ? findLocal(readText()) : options, readText())
    else status.textContent = data.detail ?? none
  }
  // The name of the selected option is no search.
  const readText = () => (!multiple && input.value === listSelected()[0]?.text ? '' : input.value.trim())
  const move = step => {
    if (!isOpen()) return open(readText())
    const { length } = list.children
    activate(active === -1 && step < 0 ? length - 1 : (active + step + length) % length)
  }

  listen(input, 'input', event => {
    event.stopPropagation()
    open(readText())
  })
  listen(input, 'click', () => {
    if (!isOpen()) open(readText())
  })
  listen(input, 'focus', () => input.select())
  listen(input, 'blur', () => {
    close()
    status.textContent = ''
    const empty = input.value === '' && [...select.options].find(({ value }) => value === '')
    if (!multiple && empty && !empty.selected) change(empty, true)
    // The chips stay, because one of them may be what is clicked.
    else showText()
  })
  listen(input, 'keydown', event => {
    const { key } = event
    const [last] = listSelected().slice(-1)
    if (key === 'ArrowDown') move(1)
    else if (key === 'ArrowUp') move(-1)
    else if (key === 'Enter' && isOpen()) {
      if (active !== -1) change(list.children[active].option, true)
    } else if (key === 'Escape' && isOpen()) close()
    else if (key === 'Backspace' && multiple && input.value === '' && last) {
      change(last, false)
      status.textContent = remove.replace('{name}', last.text)
    } else return
    event.preventDefault()
  })
  // Other parts of the script change the select.
  listen(select, 'change', showSelected)
  // Errors are shown at the select.
  listen(select, 'focus', () => input.focus())
  const showInvalid = () => {
    input.ariaInvalid = select.ariaInvalid
  }
  new MutationObserver(showInvalid).observe(select, { attributeFilter: ['aria-invalid'] })

  showInvalid()
  close()
  showSelected()
}

for (const select of findElements('[data-combobox]')) enableCombobox(select)
