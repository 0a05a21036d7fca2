// Formats SQL over several lines, so that the diff of a golden file shows where a statement changed.

const width = 100
const clauses = new Set(['from', 'where', 'order', 'limit', 'returning', 'set', 'values', 'cross', 'on', 'group'])

/** Puts each clause on its own line, and breaks lines that are too long. */
export function formatSql(text: string): string {
  return breakLines(parseTokens(text), '')
}

/** A word, a quoted text, a space, a comma, or the tokens between two parentheses. */
type Token = string | { readonly within: readonly Token[] }

function parseTokens(text: string): readonly Token[] {
  const pieces = text.match(/'(?:[^']|'')*'|"(?:[^"]|"")*"|[(),]|\s+|[^\s'"(),]+/g) ?? []
  const levels: Token[][] = [[]]
  for (const piece of pieces) {
    if (piece === '(') levels.push([])
    else if (piece === ')') {
      const inner = levels.pop()!
      levels.at(-1)!.push({ within: inner })
    } else levels.at(-1)!.push(/^\s/.test(piece) ? ' ' : piece)
  }
  return levels[0]!
}

const oneLine = (tokens: readonly Token[]): string =>
  tokens.map(token => (typeof token === 'string' ? token : `(${oneLine(token.within)})`)).join('')

function breakLines(tokens: readonly Token[], indent: string): string {
  const line = oneLine(tokens).trim()
  if (line.length + indent.length <= width) return line
  const inner = `${indent}  `
  let text = ''
  for (const token of tokens) {
    if (typeof token !== 'string') {
      const broken = breakLines(token.within, inner)
      text +=
        broken.includes('\n') || oneLine(token.within).length > width
          ? `(\n${inner}${broken}\n${indent})`
          : `(${broken})`
    } else if (clauses.has(token)) text = `${text.trimEnd()}\n${indent}${token}`
    else if (token === ',') text += `,\n${indent}`
    else if (token !== ' ' || !text.endsWith(`\n${indent}`)) text += token
  }
  return text.trim()
}
