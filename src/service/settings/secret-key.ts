// The secrets that encrypt tokens and sign values that clients send back, such as cursors: the current one, and earlier
// ones that are still accepted. If none is configured in development, a secret is generated once and stored in a file
// beside the database.

import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type SecretRecord, type Secrets, UnknownSecret } from '#accounts'
import { findSqliteFile } from '#core'
import { type ReadySettings, type Settings, SettingsError } from './settings.ts'

/** The secrets in the order in which they are tried. */
export const listServiceSecrets = ({ secretKey, secretKeyFallbacks }: ReadySettings): Secrets => [
  secretKey,
  ...secretKeyFallbacks,
]

/** The folder of the service's own files: the folder of the SQLite file, or `data` if there is no such file. */
export function dataFolder({ databaseUrl }: Pick<Settings, 'databaseUrl'>): string {
  const file = findSqliteFile(databaseUrl)
  return file === undefined ? 'data' : dirname(file)
}

/**
 * Returns the configured secret, or else the secret in the file beside the database. Creates the file if it is missing,
 * and calls `report` then.
 */
export function readOrCreateSecret(settings: Settings, report: (line: string) => void): string {
  if (settings.secretKey !== undefined) return settings.secretKey
  const file = join(dataFolder(settings), 'secret-key')
  try {
    const isNew = createFileOnce(file, () => randomBytes(32).toString('base64url'))
    if (isNew) report(`SECRET_KEY is not set: made one for development, in ${file}`)
    return readSecret(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new SettingsError(`SECRET_KEY: is not set, and ${file} cannot be made or read (${code}): set it`)
  }
}

/** Turns UnknownSecret into a SettingsError that says what to do; leaves other errors as they are. */
function explainSecret(error: unknown): unknown {
  if (!(error instanceof UnknownSecret)) return error
  return new SettingsError(
    `SECRET_KEY: ${error.message}: set the earlier key; to change it on purpose, list the earlier key in SECRET_KEY_FALLBACKS, start, and run "resource-api rotate-secret"; if the earlier key is lost, run "resource-api rotate-secret --lost"`,
    { cause: error },
  )
}

/** Wraps a secret record so that its errors say what to do. */
export const withExplainedErrors = (record: SecretRecord): SecretRecord => {
  const explained = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch(error => {
      throw explainSecret(error)
    })
  return {
    check: () => explained(record.check()),
    claim: () => explained(record.claim()),
    rotate: options => explained(record.rotate(options)),
  }
}

/** Writes the file unless it exists, with access for its owner alone. Returns true if it was written. */
export function createFileOnce(file: string, createText: () => string): boolean {
  mkdirSync(dirname(file), { recursive: true })
  try {
    writeFileSync(file, `${createText()}\n`, { flag: 'wx', mode: 0o600, flush: true })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    // If the disk is full, the file was created, but is empty.
    rmSync(file, { force: true })
    throw error
  }
}

const maxWait = 1000

// Waits for a complete secret, because another process may be writing the file. If that process was killed, the file
// stays incomplete, so the wait has a limit.
function readSecret(file: string): string {
  for (const deadline = performance.now() + maxWait; ; sleep(20)) {
    const text = readFileSync(file, 'utf8')
    if (text.endsWith('\n') && text.trim().length >= 32) return text.trim()
    if (performance.now() > deadline)
      throw new SettingsError(`SECRET_KEY: is not set, and ${file} holds no whole secret: set it, or remove the file`)
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
