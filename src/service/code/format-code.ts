// Writes values as TypeScript, as Biome and Prettier format it with lines of 120 characters and single quotation marks.

const head = Symbol('head')

/** Code in a value: `head` alone, a call of it, or an arrow function `head` that returns the code `body`. */
export interface Code {
  readonly [head]: string
  readonly args?: readonly unknown[]
  readonly body?: Code
}

export const code = (text: string): Code => ({ [head]: text })

/** A call; options without properties are left out. */
export const call = (name: string, ...args: readonly unknown[]): Code => ({
  [head]: name,
  args: args.filter(arg => formatInOneLine(arg) !== '{}'),
})

export const lazy = (body: Code): Code => ({ [head]: '() =>', body })

/** The names of the functions, and of the objects of methods, that the code in a value calls. */
export function listFunctions(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = isCode(value) && value.args !== undefined ? [value[head].split('.')[0]!] : []
  return [...own, ...Object.values(value).flatMap(listFunctions)]
}

const isCode = (value: object): value is Code => head in value

const lineWidth = 120
const indentation = '  '

/** Formats an object or a list, with a line for each property or item. A property that is undefined is left out. */
export function formatLines(value: object, indent = ''): string {
  const inner = indent + indentation
  const isList = Array.isArray(value)
  const lines = isList
    ? value.map(item => formatItem(item, inner))
    : listEntries(value).map(([name, item]) => `${inner}${formatProperty(name, item, inner)},\n`)
  return `${isList ? '[' : '{'}\n${lines.join('')}${indent}${isList ? ']' : '}'}`
}

const formatItem = (item: unknown, indent: string): string => `${indent}${formatValue(item, indent, indent.length)},\n`

/** A property whose name begins with `...` spreads its value. */
function formatProperty(name: string, value: unknown, indent: string): string {
  if (name.startsWith('...')) return `...${formatValue(value, indent, indent.length + 3)}`
  const start = `${formatName(name)}:`
  const column = indent.length + countColumns(start) + 1
  const formatted = formatValue(value, indent, column)
  // A long text moves to the next line, unless its name is not longer than the indentation.
  const isTooLong = typeof value === 'string' && column + countColumns(formatted) + 1 > lineWidth && start.length > 5
  return isTooLong ? `${start}\n${indent}${indentation}${formatted}` : `${start} ${formatted}`
}

/** Formats a value that begins at `column` of a line, and before a comma. */
function formatValue(value: unknown, indent: string, column: number): string {
  const inOneLine = formatInOneLine(value)
  if (typeof value !== 'object' || value === null) return inOneLine
  if (column + countColumns(inOneLine) + 1 <= lineWidth && !isBroken(value)) return inOneLine
  return isCode(value) ? formatCode(value, indent, column) : formatLines(value, indent)
}

function formatCode(value: Code, indent: string, column: number): string {
  const inner = indent + indentation
  const { [head]: name, args = [], body } = value
  if (body !== undefined) return `${name}\n${inner}${formatValue(body, inner, inner.length)}`
  if (args.length === 0) return formatInOneLine(value)
  const last = args.at(-1)
  const start = `${name}(${args
    .slice(0, -1)
    .map(arg => `${formatInOneLine(arg)}, `)
    .join('')}`
  // If the other arguments fit, only the last one has several lines.
  if (typeof last !== 'object' || last === null || column + countColumns(start) + 5 > lineWidth)
    return `${name}(\n${args.map(arg => formatItem(arg, inner)).join('')}${indent})`
  return isCode(last) ? `${start}${formatCode(last, indent, 0)},\n${indent})` : `${start}${formatLines(last, indent)})`
}

function formatInOneLine(value: unknown): string {
  if (typeof value === 'string') return formatText(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map(formatInOneLine).join(', ')}]`
  if (isCode(value)) {
    const { [head]: name, args, body } = value
    if (body !== undefined) return `${name} ${formatInOneLine(body)}`
    return args === undefined ? name : `${name}(${args.map(formatInOneLine).join(', ')})`
  }
  const entries = listEntries(value)
  if (entries.length === 0) return '{}'
  const properties = entries.map(([name, item]) =>
    name.startsWith('...') ? `...${formatInOneLine(item)}` : `${formatName(name)}: ${formatInOneLine(item)}`,
  )
  return `{ ${properties.join(', ')} }`
}

// A list of several objects, each with several properties, has a line for each.
const isBroken = (value: object): boolean =>
  Array.isArray(value)
    ? (value.length > 1 && value.every(item => typeof item === 'object' && Object.keys(item).length > 1)) ||
      value.some(item => typeof item === 'object' && isBroken(item))
    : Object.values(value).some(item => typeof item === 'object' && item !== null && isBroken(item))

const listEntries = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).filter(([, item]) => item !== undefined)

function formatName(name: string): string {
  if (name === '__proto__') return "['__proto__']"
  return isIdentifier(name) ? name : formatText(name)
}

export const isIdentifier = (name: string): boolean => /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name)

// The quotation mark that the text has less often, which then needs fewer backslashes.
export function formatText(text: string): string {
  const count = (quote: string) => text.split(quote).length
  const quote = count("'") > count('"') ? '"' : "'"
  const escaped = text.replaceAll(/[\\\p{Cc}\p{Cs}\u2028\u2029]/gu, escapeCharacter).replaceAll(quote, `\\${quote}`)
  return quote + escaped + quote
}

const shortEscapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escapeCharacter = (character: string): string =>
  shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

// Characters of East Asia and emoji are two columns wide.
function countColumns(text: string): number {
  const wide = text.match(
    /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu,
  )
  return [...text].length + (wide?.length ?? 0)
}
