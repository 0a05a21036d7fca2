// Values of a TypeScript program as text.

/** A part of a program. */
export interface Code {
  readonly code: string
}

export const code = (text: string): Code => ({ code: text })

export interface CodeObject {
  readonly [name: string]: unknown
}

/** Formats an object, with a line for each property; inner objects are in one line if they are short. */
export function formatCode(value: unknown, indent: string): string {
  const short = formatShort(value)
  if (typeof value !== 'object' || value === null || isCode(value)) return short
  if (indent !== '' && short.length + indent.length <= 110) return short
  const inner = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map(item => `${inner}${formatCode(item, inner)},\n`)
    : Object.entries(value).map(([name, item]) => `${inner}${formatName(name)}: ${formatCode(item, inner)},\n`)
  return Array.isArray(value) ? `[\n${lines.join('')}${indent}]` : `{\n${lines.join('')}${indent}}`
}

function formatShort(value: unknown): string {
  if (typeof value === 'string') return formatText(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (isCode(value)) return value.code
  if (Array.isArray(value)) return `[${value.map(formatShort).join(', ')}]`
  const entries = Object.entries(value)
  return entries.length === 0
    ? '{}'
    : `{ ${entries.map(([name, item]) => `${formatName(name)}: ${formatShort(item)}`).join(', ')} }`
}

const isCode = (value: object): value is Code => typeof (value as Partial<Code>).code === 'string'

/** A text in the quotation marks that it does not contain. */
export const formatText = (text: string): string =>
  text.includes("'") ? JSON.stringify(text) : `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')}'`

const isIdentifier = (name: string): boolean => /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name)

const formatName = (name: string): string => (isIdentifier(name) ? name : formatText(name))

/** A constant for each table: `orderLines` for `order_lines`. */
export function nameConstants(tables: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(['table', 'tables', 'schema', 'sql', ...reserved])
  const names = new Map<string, string>()
  for (const table of tables) {
    const words = table.split(/[^\p{ID_Continue}]+|_/u).filter(word => word !== '')
    const joined = words
      .map((word, index) => (index === 0 ? word[0]!.toLowerCase() : word[0]!.toUpperCase()) + word.slice(1))
      .join('')
    const wanted = isIdentifier(joined) ? joined : `table${joined}`
    let name = taken.has(wanted) ? `${wanted}Table` : wanted
    for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`
    taken.add(name)
    names.set(table, name)
  }
  return names
}

const reserved = (
  'await break case catch class const continue debugger default delete do else enum export extends false finally for function if ' +
  'import in instanceof interface let new null package private protected public return static super switch this throw true try typeof ' +
  'var void while with yield boolean choice date dateTime decimal duration integer json key number text time uuid uuidKey textKey ' +
  'reference generated'
).split(' ')
