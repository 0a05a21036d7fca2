// The secrets that encrypt tokens and sign what clients bring back: the current one, and earlier ones that are still
// accepted. Without a secret, development makes one beside the database and keeps it.

import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Secrets } from '../../accounts/encryption.ts'
import { type SecretRecord, UnknownSecret } from '../../accounts/secret-record.ts'
import { findSqliteFile } from '../../framework/database/open.ts'
import { type ReadySettings, type Settings, SettingsError } from './settings.ts'

/** The secrets in the order in which they are tried. */
export const listServiceSecrets = ({ secretKey, secretKeyFallbacks }: ReadySettings): Secrets => [
  secretKey,
  ...secretKeyFallbacks,
]

/** The folder of the service's own files: the database's, or `data` where the database is elsewhere. */
export function dataFolder({ databaseUrl }: Pick<Settings, 'databaseUrl'>): string {
  const file = findSqliteFile(databaseUrl)
  return file === undefined ? 'data' : dirname(file)
}

/** The secret of the settings, or that of the file beside the database; `say` is told when the file is made. */
export function readOrCreateSecret(settings: Settings, say: (line: string) => void): string {
  if (settings.secretKey !== undefined) return settings.secretKey
  const file = join(dataFolder(settings), 'secret-key')
  try {
    const made = createFileOnce(file, () => randomBytes(32).toString('base64url'))
    if (made) say(`SECRET_KEY is not set: made one for development, in ${file}`)
    return readWhole(file)
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

/** A record whose refusals say what to do. */
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

/** Writes the file, readable by its owner alone, unless it exists; answers whether it was written. */
export function createFileOnce(file: string, make: () => string): boolean {
  mkdirSync(dirname(file), { recursive: true })
  try {
    writeFileSync(file, `${make()}\n`, { flag: 'wx', mode: 0o600, flush: true })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    // On a full disk it is there, and empty.
    rmSync(file, { force: true })
    throw error
  }
}

const longestWait = 1000

// Another process may be writing it at this moment; if that was killed, it stays as it is.
function readWhole(file: string): string {
  for (const deadline = performance.now() + longestWait; ; sleep(20)) {
    const text = readFileSync(file, 'utf8')
    if (text.endsWith('\n') && text.trim().length >= 32) return text.trim()
    if (performance.now() > deadline)
      throw new SettingsError(`SECRET_KEY: is not set, and ${file} holds no whole secret: set it, or remove the file`)
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
