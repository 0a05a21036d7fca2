// The log for people: one readable line per request and event, instead of JSON. The fields of a warning or an error, and
// its stack, are indented below it. Its guarantees are those of the output that it writes to.

import { styleText } from 'node:util'
import { escapeControls, formatErrorLines, type LoggableError } from '#core'
import type { AccessLine } from './access-log.ts'
import { createLogOutput, type LogOutput } from './log-output.ts'

export interface TextLogOptions {
  /** Default: whether standard output is a terminal that shows colours, unless `NO_COLOR` is set. */
  readonly colors?: boolean
}

/**
 * Creates a destination for JSON lines of pino that writes them as text; default output: standard output. Control
 * characters are escaped, so a value that a client sent cannot start a line of its own.
 *
 * @example
 * const app = Fastify(serverOptions({ log: createTextLog() }))
 */
export function createTextLog(output?: LogOutput, options: TextLogOptions = {}): LogOutput {
  // Created with the first line, because a silent log needs neither.
  let [opened, style] = [output, undefined as AddStyle | undefined]
  return {
    write(line) {
      opened ??= createLogOutput()
      style ??= (options.colors ?? hasColors()) ? addStyle : (_style, text) => text
      opened.write(`${formatLine(line, style)}\n`)
    },
    get dropped() {
      return opened?.dropped ?? 0
    },
  }
}

const hasColors = (): boolean => process.stdout.isTTY === true && process.stdout.hasColors()

type Style = 'dim' | 'red' | 'yellow' | 'green'
type AddStyle = (style: Style, text: string) => string

const addStyle: AddStyle = (style, text) => styleText(style, text, { validateStream: false })

/** A line of pino, and the fields that the logging code added. */
interface LogRecord {
  readonly level: number
  readonly time: number
  readonly msg?: unknown
  readonly [field: string]: unknown
}

function formatLine(line: string, style: AddStyle): string {
  try {
    return formatRecord(JSON.parse(line) as LogRecord, style)
  } catch {
    // Not a line of pino.
    return escapeControls(line.trimEnd())
  }
}

function formatRecord(record: LogRecord, style: AddStyle): string {
  const { level, time, msg = '', pid: _, hostname: __, err, ...others } = record
  const error = isLoggable(err) ? err : undefined
  const fields = error === undefined && err !== undefined ? { ...others, err } : others
  const start = style('dim', new Date(time).toTimeString().slice(0, 8))
  if (isAccessLine(record)) return `${start}  ${formatAccessLine(record, style)}`
  const message = escapeControls(String(msg))
  if (level < warningLevel && error === undefined) return [`${start}  ${message}`, ...listFields(fields)].join('  ')
  const title = level < errorLevel ? style('yellow', 'WARNING') : style('red', 'ERROR')
  const details = [...listFields(fields, listAll), ...(error === undefined ? [] : formatErrorLines(error))]
  return [`${start}  ${title}  ${message}`, ...details.map(detail => `    ${styleFrame(detail, style)}`)].join('\n')
}

const [warningLevel, errorLevel] = [40, 50]

function isAccessLine(record: LogRecord): record is LogRecord & AccessLine {
  const { msg, method, path, status, milliseconds } = record
  return (
    msg === 'request' &&
    [method, path].every(value => typeof value === 'string') &&
    [status, milliseconds].every(value => typeof value === 'number')
  )
}

const isLoggable = (err: unknown): err is LoggableError => typeof (err as LoggableError | undefined)?.stack === 'string'

function formatAccessLine({ method, path, status, milliseconds, user }: AccessLine, style: AddStyle): string {
  const color = status < 400 ? 'green' : status < 500 ? 'yellow' : 'red'
  const parts = [
    `${method} ${escapeControls(path)}`,
    style(color, String(status)),
    style('dim', `${milliseconds.toFixed(1)} ms`),
    ...(user === null ? [] : [formatValue(user)]),
  ]
  return parts.join('  ')
}

/** These connect the lines of a request, which a person sees anyway: the lines follow each other. */
const idFields = new Set(['reqId', 'requestId'])
const listAll = () => true

// The fields of objects, such as `audit`, are listed without the name of the object.
function listFields(fields: object, isListed = (name: string) => !idFields.has(name)): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (name === 'level' || name === 'event' || value === null || !isListed(name)) return []
    const isObject = typeof value === 'object' && !Array.isArray(value)
    return isObject ? listFields(value as object, isListed) : [`${escapeControls(name)}: ${formatValue(value)}`]
  })
}

// A text with more than single spaces inside is quoted, so it does not look like several fields.
const formatValue = (value: unknown): string =>
  escapeControls(typeof value === 'string' && /^[^\s"]+(?: [^\s"]+)*$/.test(value) ? value : JSON.stringify(value))

// Frames of Node and of packages are less interesting than those of the application.
const styleFrame = (line: string, style: AddStyle): string =>
  /^ *at .*(?:\(node:|at node:|node_modules)/.test(line) ? style('dim', line) : line
