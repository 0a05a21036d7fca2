// The CREATE TABLE statement of a table, split into its columns and constraints. What is not changed stays as it was written, such as
// collations, STRICT and constraints that a state cannot say.

import { quote } from '../../catalogue.ts'
import { findClosing, parseName, type Token, tokenize } from '../sqlite-definitions.ts'

export interface TableText {
  readonly columns: readonly ColumnText[]
  readonly constraints: readonly ConstraintText[]
  /** What follows the parentheses, such as `STRICT`. */
  readonly options: string
}

export interface ColumnText {
  readonly name: string
  readonly type: string
  readonly clauses: readonly Clause[]
}

/** A constraint of a column, or its default, collation or generated value. */
export interface Clause {
  /** Its first word, in lower case, apart from `constraint` and a name. */
  readonly kind: string
  readonly text: string
  /** The name of the constraint, if it has one. */
  readonly name?: string | undefined
  /** The SQL in the parentheses of CHECK, of a default or of a generated value. */
  readonly inner?: string | undefined
}

export interface ConstraintText extends Clause {
  /** The words that may name columns, in lower case. */
  readonly words: ReadonlySet<string>
  /** The columns of UNIQUE, PRIMARY KEY and FOREIGN KEY. */
  readonly columns: readonly string[]
}

export function parseTable(text: string): TableText {
  const tokens = tokenize(text)
  const open = tokens.findIndex(token => token.text === '(')
  const close = findClosing(tokens, open)
  const items = splitItems(tokens, open + 1, close)
  const isConstraint = (item: readonly Token[]) => constraintStart.test(item[0]!.text)
  return {
    columns: items.filter(item => !isConstraint(item)).map(item => parseColumn(text, item)),
    constraints: items.filter(isConstraint).map(item => parseConstraint(text, item)),
    options: text.slice(tokens[close]!.start + 1),
  }
}

const constraintStart = /^(?:constraint|primary|unique|check|foreign)$/i

export const formatTable = (quotedName: string, { columns, constraints, options }: TableText): string =>
  `create table ${quotedName} (${[...columns.map(formatColumn), ...constraints.map(each => each.text)].join(', ')})${options}`

export const formatColumn = ({ name, type, clauses }: ColumnText): string =>
  [quote(name), type, ...clauses.map(clause => clause.text)].filter(part => part !== '').join(' ')

function splitItems(tokens: readonly Token[], start: number, end: number): readonly (readonly Token[])[] {
  const items: Token[][] = [[]]
  let depth = 0
  for (const token of tokens.slice(start, end)) {
    if (token.text === '(') depth++
    if (token.text === ')') depth--
    if (token.text === ',' && depth === 0) items.push([])
    else items.at(-1)!.push(token)
  }
  return items.filter(item => item.length > 0)
}

const slice = (text: string, tokens: readonly Token[]): string =>
  tokens.length === 0 ? '' : text.slice(tokens[0]!.start, tokens.at(-1)!.start + tokens.at(-1)!.text.length)

function parseConstraint(text: string, item: readonly Token[]): ConstraintText {
  const rest = /^constraint$/i.test(item[0]!.text) ? item.slice(2) : item
  const open = rest.findIndex(token => token.text === '(')
  const inside = open < 0 ? [] : rest.slice(open + 1, findClosing(rest, open))
  return {
    ...createClause(text, item),
    words: new Set(item.filter(token => !token.text.startsWith("'")).map(token => parseName(token).toLowerCase())),
    columns: splitItems(inside, 0, inside.length).map(([first]) => parseName(first!)),
  }
}

function parseColumn(text: string, item: readonly Token[]): ColumnText {
  let index = 1
  while (index < item.length && !clauseStart.test(item[index]!.text))
    index = item[index]!.text === '(' ? findClosing(item, index) + 1 : index + 1
  const type = slice(text, item.slice(1, index))
  const clauses: Clause[] = []
  while (index < item.length) {
    const end = findClauseEnd(item, index)
    clauses.push(createClause(text, item.slice(index, end)))
    index = end
  }
  return { name: parseName(item[0]!), type, clauses }
}

const clauseStart = /^(?:constraint|primary|not|null|unique|check|default|collate|references|generated|as)$/i

function createClause(text: string, tokens: readonly Token[]): Clause {
  const isNamed = /^constraint$/i.test(tokens[0]!.text)
  const rest = isNamed ? tokens.slice(2) : tokens
  const open = rest.findIndex(token => token.text === '(')
  return {
    kind: rest[0]!.text.toLowerCase(),
    text: slice(text, tokens),
    name: isNamed ? parseName(tokens[1]!) : undefined,
    inner: open < 0 ? undefined : slice(text, rest.slice(open + 1, findClosing(rest, open))),
  }
}

/** What may follow the first words of a clause: SQLite's grammar of columns. */
const continuations: Readonly<Record<string, RegExp>> = {
  primary: /^(?:key|asc|desc|on|conflict|rollback|abort|fail|ignore|replace|autoincrement)$/i,
  not: /^(?:null|on|conflict|rollback|abort|fail|ignore|replace)$/i,
  null: /^(?:on|conflict|rollback|abort|fail|ignore|replace)$/i,
  unique: /^(?:on|conflict|rollback|abort|fail|ignore|replace)$/i,
  check: /^\($/,
  references:
    /^(?:\(|on|delete|update|set|null|default|cascade|restrict|no|action|match|deferrable|initially|deferred|immediate|simple|partial|full)$/i,
  generated: /^(?:always|as|\(|stored|virtual)$/i,
  as: /^(?:\(|stored|virtual)$/i,
}

function findClauseEnd(item: readonly Token[], start: number): number {
  const word = item[start]!.text.toLowerCase()
  if (word === 'constraint') return findClauseEnd(item, start + 2)
  if (word === 'collate') return start + 2
  if (word === 'default') return findDefaultEnd(item, start + 1)
  let end = start + (word === 'references' ? 2 : 1)
  for (; end < item.length; end++) {
    const { text } = item[end]!
    const isNotDeferrable =
      word === 'references' && /^not$/i.test(text) && /^deferrable$/i.test(item[end + 1]?.text ?? '')
    if (isNotDeferrable) continue
    // `on delete set null`, but `references t null`.
    const isNull = word === 'references' && /^(?:null|default)$/i.test(text) && !/^set$/i.test(item[end - 1]!.text)
    if (isNull || !continuations[word]!.test(text)) break
    if (text === '(') end = findClosing(item, end)
  }
  return end
}

function findDefaultEnd(item: readonly Token[], start: number): number {
  const { text } = item[start]!
  if (text === '(') return findClosing(item, start) + 1
  const isSigned = text === '-' || text === '+'
  const isBlob = /^x$/i.test(text) && item[start + 1]?.text.startsWith("'")
  return start + (isSigned || isBlob ? 2 : 1)
}
