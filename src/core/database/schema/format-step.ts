// Writes the file of a step, as Biome and Prettier would format it with lines of 120 characters and single quotation marks.

import type { Change } from './change.ts'

/** What the file of a step says. */
export interface StepText {
  readonly after?: readonly string[]
  readonly uses?: readonly string[]
  readonly change?: readonly Change[]
  readonly state?: readonly Change[]
  readonly replaces?: readonly string[]
  readonly formerNames?: readonly string[]
}

/** The text of the file; properties that are empty are left out. */
export function formatStep(step: StepText): string {
  const properties = Object.entries(step).filter(([, value]) => value.length > 0)
  return `import { step } from 'resource-api/migrations'

export default step(${properties.length === 0 ? '{}' : formatLines(Object.fromEntries(properties), '')})
`
}

const lineWidth = 120
const indentation = '  '

/** Formats a value that begins at `column` of a line, if `suffix` characters follow it. */
function formatValue(value: unknown, indent: string, column: number, suffix: number): string {
  const inOneLine = formatInOneLine(value)
  const fits = column + countColumns(inOneLine) + suffix <= lineWidth
  return typeof value !== 'object' || value === null || (fits && !isBroken(value))
    ? inOneLine
    : formatLines(value, indent)
}

function formatLines(value: object, indent: string): string {
  const inner = indent + indentation
  const isList = Array.isArray(value)
  const lines = isList
    ? value.map(item => `${inner}${formatValue(item, inner, inner.length, 1)},\n`)
    : listEntries(value).map(([name, item]) => `${inner}${formatProperty(name, item, inner)},\n`)
  return `${isList ? '[' : '{'}\n${lines.join('')}${indent}${isList ? ']' : '}'}`
}

function formatProperty(name: string, value: unknown, indent: string): string {
  const start = `${formatName(name)}:`
  const column = indent.length + start.length + 1
  const formatted = formatValue(value, indent, column, 1)
  // A long text moves to the next line, unless its name is not longer than the indentation.
  const isTooLong = typeof value === 'string' && column + countColumns(formatted) + 1 > lineWidth && start.length > 5
  return isTooLong ? `${start}\n${indent}${indentation}${formatted}` : `${start} ${formatted}`
}

function formatInOneLine(value: unknown): string {
  if (typeof value === 'string') return formatText(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map(formatInOneLine).join(', ')}]`
  const entries = listEntries(value)
  if (entries.length === 0) return '{}'
  return `{ ${entries.map(([name, item]) => `${formatName(name)}: ${formatInOneLine(item)}`).join(', ')} }`
}

// A list of several objects, each with several properties, has a line for each.
const isBroken = (value: object): boolean =>
  Array.isArray(value)
    ? (value.length > 1 && value.every(item => typeof item === 'object' && Object.keys(item).length > 1)) ||
      value.some(item => typeof item === 'object' && isBroken(item))
    : Object.values(value).some(item => typeof item === 'object' && item !== null && isBroken(item))

const listEntries = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).filter(([, item]) => item !== undefined)

const formatName = (name: string): string => {
  if (name === '__proto__') return "['__proto__']"
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? name : formatText(name)
}

// The quotation mark that the text has less often, which then needs fewer backslashes.
function formatText(text: string): string {
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
