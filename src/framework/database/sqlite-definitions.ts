// What no pragma of SQLite tells stands in the texts that made its tables and indexes: the CHECK constraints, and the
// columns of an index over expressions.

import type { Constraint } from './catalogue.ts'

// Texts, names in quotes, comments, words, and single characters.
const token =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[\p{L}_][\p{L}\p{N}_$]*|\S/gu

interface Token {
  readonly text: string
  readonly start: number
}

/**
 * The CHECK constraints in the text of a `create table`; `columns` are those of the table. An error names a constraint by
 * its name, or else by the text between its parentheses.
 */
export function parseChecks(text: string, columns: readonly string[]): readonly Constraint[] {
  const tokens = tokensOf(text)
  return tokens.flatMap(({ text: word }, index) => {
    if (!/^check$/i.test(word) || tokens[index + 1]?.text !== '(') return []
    const end = closing(tokens, index + 1)
    const inner = tokens.slice(index + 2, end)
    const isNamed = /^constraint$/i.test(tokens[index - 2]?.text ?? '')
    const expression = text.slice(tokens[index + 1]!.start + 1, tokens[end]?.start).trim()
    return {
      kind: 'check' as const,
      label: isNamed ? nameOf(tokens[index - 1]!) : labelOf(expression, inner[0]),
      columns: namedIn(inner, columns),
    }
  })
}

/** The columns that the text of a `create index` names between its first parentheses. */
export function parseIndexColumns(text: string, columns: readonly string[]): readonly string[] {
  const tokens = tokensOf(text)
  const open = tokens.findIndex(part => part.text === '(')
  return namedIn(tokens.slice(open + 1, closing(tokens, open)), columns)
}

const tokensOf = (text: string): readonly Token[] =>
  [...text.matchAll(token)]
    .map(({ 0: found, index: start }) => ({ text: found, start }))
    .filter(({ text: found }) => !/^(?:--|\/\*)/.test(found))

function closing(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let index = open; index < tokens.length; index++) {
    const { text } = tokens[index]!
    if (text === '(') depth++
    if (text === ')' && --depth === 0) return index
  }
  return tokens.length
}

const namedIn = (tokens: readonly Token[], columns: readonly string[]): readonly string[] => {
  const names = new Set(tokens.filter(({ text }) => !text.startsWith("'")).map(part => nameOf(part).toLowerCase()))
  return columns.filter(column => names.has(column.toLowerCase()))
}

// SQLite takes a text that begins with a quote for a name in quotes, and drops what follows it.
const labelOf = (expression: string, first: Token | undefined): string =>
  first !== undefined && /^["'`[]/.test(first.text) ? nameOf(first) : expression

function nameOf({ text }: Token): string {
  const quote = text[0]
  if (quote === '"' || quote === '`' || quote === "'") return text.slice(1, -1).replaceAll(quote + quote, quote)
  return quote === '[' ? text.slice(1, -1) : text
}
