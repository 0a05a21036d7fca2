// Names a new step after its number and its changes: `0002_article_state`.

import type { Change } from './change.ts'

const maxLength = 40

/** The name of the step after those with these names. `label` replaces what the changes say. */
export function nameStep(earlier: readonly string[], changes: readonly Change[], label?: string): string {
  const numbers = earlier.map(name => Number.parseInt(name, 10)).filter(number => !Number.isNaN(number))
  const number = String(Math.max(0, ...numbers) + 1).padStart(4, '0')
  return `${number}_${label ?? (earlier.length === 0 ? 'first' : findLabel(changes))}`
}

// The first of these that the step does says what it is about; of two that it does, both.
const labels: readonly ((change: Change) => string | undefined)[] = [
  change => ('addColumn' in change ? join(change.table, change.addColumn) : undefined),
  change => ('createTable' in change ? change.createTable : undefined),
  change => ('renameTable' in change ? change.to : undefined),
  change => ('renameColumn' in change ? join(change.table, change.to) : undefined),
  change => ('dropTable' in change ? `without_${change.dropTable}` : undefined),
  change => ('dropColumn' in change ? join(change.table, `without_${change.dropColumn}`) : undefined),
  change => ('alterColumn' in change ? join(change.table, change.alterColumn) : undefined),
  change => ('table' in change ? change.table : undefined),
  change => ('createView' in change ? change.createView : undefined),
  change => ('dropView' in change ? `without_${change.dropView}` : undefined),
]

function findLabel(changes: readonly Change[]): string {
  const found = labels.map(find => new Set(changes.flatMap(change => find(change) ?? []))).find(({ size }) => size > 0)
  const words = [...(found ?? ['change'])].slice(0, 2).map(toWord)
  return words.join('_and_').slice(0, maxLength).replace(/_+$/, '')
}

const join = (table: string, column: string): string => `${toSingular(table)}_${column}`

const toSingular = (name: string): string =>
  name.endsWith('ies') ? `${name.slice(0, -3)}y` : /[^s]s$/.test(name) ? name.slice(0, -1) : name

// Letters with accents lose them; a name of other letters is only a number.
const toWord = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '') || 'change'
