// Choices with a grid: a table of checkboxes in forms, and a line per row for readers.

import { html } from 'ghtml'
import { arrangeValues, type ChoiceGrid, type Field, formatChoice, formatListTitle, type GridRow } from '#core'
import type { Words } from '../html/words.ts'
import { shortText } from './list-cells.ts'

/** The checkboxes of a field. */
interface GridControl {
  /** The id of the fieldset; those of the checkboxes begin with it. */
  readonly id: string
  readonly name: string
  readonly selected: readonly string[]
  readonly errors: readonly string[]
  readonly words: Words
}

/** The fieldset; `notesHtml`: the help text and the errors. */
export function choiceGridField(
  field: Field,
  control: GridControl,
  { describedBy, notesHtml }: { readonly describedBy: string; readonly notesHtml: string },
): string {
  const { id, name, selected, words } = control
  const saved = formatGridValues(field, selected, words).join('; ')
  return html`<fieldset class="field choice-grid" id="${id}" data-field="${name}" data-saved="!${saved ? html`${saved}` : '&ndash;'}" aria-describedby="${describedBy}"><legend>${words.label(name, field)}</legend>
!${checkboxes(field, control)}
!${notesHtml}
</fieldset>
`
}

// The table, and the choices without a cell. A selected value that is no choice has a checkbox too.
function checkboxes({ child, choiceGrid: grid }: Field, control: GridControl): string {
  const { words, selected } = control
  const choices = child!.choices!
  const values = [...new Set([...[...choices.keys()].map(String), ...selected.filter(value => value !== '')])]
  const { rows, others } = arrangeValues(values, grid!)
  const invalid = findInvalid(values, control)
  const checkbox = (value: string, label = '') =>
    html`<input type="checkbox" id="${control.id}-${encodeURIComponent(value)}" name="${control.name}" value="${value}" !${label && html`aria-label="${label}"`} !${selected.includes(value) ? 'checked' : ''} !${invalid.has(value) ? 'aria-invalid="true"' : ''}>`
  const columns = Object.entries(grid!.columns).map(([column, text]) => [column, words.text(text)] as const)
  const cells = ([row, cellValues]: GridRow) =>
    columns.map(([column, text]) => {
      const value = cellValues.get(column)
      return html`<td>!${value === undefined ? '' : checkbox(value, `${nameRow(row, grid!, words)}: ${text}`)}</td>`
    })
  return html`<div class="table multiple"><table><thead><tr><td></td>!${columns.map(([, text]) => html`<th scope="col">${formatListTitle(text)}</th>`)}</tr></thead><tbody>!${rows.map(row => html`<tr><th scope="row">${shortText(nameRow(row[0], grid!, words))}</th>!${cells(row)}</tr>`)}</tbody></table>!${others.map(value => html`<label>!${checkbox(value)} ${shortText(words.text(formatChoice(choices, value)))}</label>`)}</div>`
}

// The selected values that the messages name; the first checkbox if they name none.
function findInvalid(values: readonly string[], { selected, errors }: GridControl): ReadonlySet<string> {
  if (errors.length === 0) return new Set()
  const named = selected.filter(value => value !== '' && errors.some(error => error.includes(value)))
  return new Set(named.length > 0 ? named : values.slice(0, 1))
}

/** The selected values in words, grouped by row: "Orders: view, add". */
export function formatGridValues(
  { child, choiceGrid: grid }: Field,
  selected: readonly string[],
  words: Pick<Words, 'text'>,
): readonly string[] {
  const choices = child!.choices!
  const { rows, others } = arrangeValues(selected, grid!)
  const format = ([row, values]: GridRow) =>
    `${nameRow(row, grid!, words)}: ${listTexts(values, grid!, words).join(', ')}`
  return [...rows.map(format), ...others.map(value => words.text(formatChoice(choices, value)))]
}

const nameRow = (row: string, { rows = {} }: ChoiceGrid, words: Pick<Words, 'text'>): string =>
  words.text(Object.hasOwn(rows, row) ? rows[row]! : formatListTitle(row))

const listTexts = (values: GridRow[1], { columns }: ChoiceGrid, words: Pick<Words, 'text'>): readonly string[] =>
  Object.entries(columns)
    .filter(([column]) => values.has(column))
    .map(([, text]) => words.text(text))
