// Formats a logged error as readable lines, for the console.

import type { LoggableError } from './loggable-error.ts'

/**
 * Returns the name and the message of an error, its stack, and its causes, each cause indented by two spaces. No line
 * contains a control character, so a value that a client sent cannot start a line of its own or move the cursor.
 */
export function formatErrorLines(error: LoggableError): readonly string[] {
  const { type, message, stack, cause, ...properties } = error
  const lines = (stack === '' ? `${type}: ${message}` : stack).split('\n').map(escapeControls)
  const names = Object.entries(properties).map(([name, value]) => `  ${name}: ${escapeControls(String(value))}`)
  const [head = '', ...others] = lines
  const frames = others.map(line => (line.startsWith(frameStart) ? line : `  ${line}`))
  return [head, ...names, ...frames, ...(cause ? formatCause(cause) : [])]
}

const formatCause = (cause: LoggableError): readonly string[] => {
  const [head, ...others] = formatErrorLines(cause)
  return indent([`caused by ${head}`, ...others])
}

/** Each frame of a stack starts with this text. */
export const frameStart = '    at '

export const indent = (lines: readonly string[], width = 2): readonly string[] =>
  lines.map(line => ' '.repeat(width) + line)

/** Replaces control and invisible characters with escapes, such as `\n` and `\u001b`. */
export const escapeControls = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, character => {
    const quoted = JSON.stringify(character).slice(1, -1)
    return quoted.startsWith('\\') ? quoted : formatCodeUnits(character)
  })

const formatCodeUnits = (text: string): string =>
  text
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
