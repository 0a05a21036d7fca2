// Parses CREATE TABLE and CREATE INDEX statements, because SQLite has no pragma for CHECK constraints or for the columns
// of an index over expressions.

import type { Constraint } from '../catalogue.ts'

// String literals, quoted names, comments, words, numbers, and single characters.
const token =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[\p{L}_][\p{L}\p{N}_$]*|0x[\da-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\S/gu

export interface Token {
  readonly text: string
  readonly start: number
}

/**
 * Finds the CHECK constraints in a CREATE TABLE statement; `columns` are the table's columns. The label is the text by
 * which SQLite's error identifies the constraint: its name, or else its expression.
 */
export function parseChecks(text: string, columns: readonly string[]): readonly Constraint[] {
  const tokens = tokenize(text)
  return tokens.flatMap(({ text: word }, index) => {
    if (!/^check$/i.test(word) || tokens[index + 1]?.text !== '(') return []
    const end = findClosing(tokens, index + 1)
    const inner = tokens.slice(index + 2, end)
    const isNamed = /^constraint$/i.test(tokens[index - 2]?.text ?? '')
    const expression = text.slice(tokens[index + 1]!.start + 1, tokens[end]?.start).trim()
    return {
      kind: 'check' as const,
      label: isNamed ? parseName(tokens[index - 1]!) : createLabel(expression, inner[0]),
      columns: findColumns(inner, columns),
    }
  })
}

/** Finds the columns that a CREATE INDEX statement names between its first parentheses. */
export function parseIndexColumns(text: string, columns: readonly string[]): readonly string[] {
  const tokens = tokenize(text)
  const open = tokens.findIndex(part => part.text === '(')
  return findColumns(tokens.slice(open + 1, findClosing(tokens, open)), columns)
}

/** The tokens of a statement, without its comments. */
export const tokenize = (text: string): readonly Token[] =>
  [...text.matchAll(token)]
    .map(({ 0: found, index: start }) => ({ text: found, start }))
    .filter(({ text: found }) => !/^(?:--|\/\*)/.test(found))

/** The index of the token that closes the parenthesis at `open`. */
export function findClosing(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let index = open; index < tokens.length; index++) {
    const { text } = tokens[index]!
    if (text === '(') depth++
    if (text === ')' && --depth === 0) return index
  }
  return tokens.length
}

const findColumns = (tokens: readonly Token[], columns: readonly string[]): readonly string[] => {
  const names = new Set(tokens.filter(({ text }) => !text.startsWith("'")).map(part => parseName(part).toLowerCase()))
  return columns.filter(column => names.has(column.toLowerCase()))
}

// If the expression begins with a quote, SQLite's error contains only the quoted text.
const createLabel = (expression: string, first: Token | undefined): string =>
  first !== undefined && /^["'`[]/.test(first.text) ? parseName(first) : expression

/** The name that a token is, without quotes. */
export function parseName({ text }: Pick<Token, 'text'>): string {
  const quote = text[0]
  if (quote === '"' || quote === '`' || quote === "'") return text.slice(1, -1).replaceAll(quote + quote, quote)
  return quote === '[' ? text.slice(1, -1) : text
}

/** The SQL of a condition or a value without spaces, comments, quotes of names, upper case and parentheses around all of it. */
export function normalizeSql(text: string): string {
  let tokens = tokenize(text)
  while (tokens[0]?.text === '(' && findClosing(tokens, 0) === tokens.length - 1) tokens = tokens.slice(1, -1)
  return tokens.map(normalizeToken).join(' ')
}

function normalizeToken(token: Token): string {
  const [first] = token.text
  if (first === "'") return token.text
  const name = parseName(token).toLowerCase()
  // The name of a column, and not the value.
  const isQuotedValue = name !== token.text.toLowerCase() && ['null', 'true', 'false'].includes(name)
  return isQuotedValue ? `"${name}"` : name
}
