// The files of written objects. A file is in its store before the transaction begins; a replaced file is removed after the
// commit, and a new one if nothing was committed. A process that is killed in between leaves at most an unused file, which
// `removeUnusedFiles` finds (decision 075).

import type { Database } from '../../database/database.ts'
import { findTransaction } from '../../database/transaction.ts'
import { ServiceUnavailable } from '../../errors/exceptions.ts'
import type { Values } from '../../fields/declared-fields.ts'
import type { Field, Fields } from '../../fields/field.ts'
import { receiveFiles, removeFiles } from '../../fields/files/receive-files.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type { HandlerContext } from '../../http/context.ts'
import { type StoredFile, UploadedFile } from '../../http/files/stored-file.ts'
import type { FileLimits, Parser } from '../../http/parsers/parser.ts'
import type { RequestBody } from '../../http/parsers/request-body.ts'
import { logError } from '../../view/errors/log-error.ts'
import { loggableError } from '../../view/errors/loggable-error.ts'
import type { Handler } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { seenBy } from '../bind/seen-resource.ts'
import { isMissing } from '../names/missing-request.ts'

/** A write that accepts files, if a field takes some. `check` runs before anything is stored; it rejects as the write would. */
export function acceptFiles(
  bound: BoundResource,
  action: 'create' | 'update',
  handle: Handler,
  check: (context: HandlerContext) => Promise<unknown>,
): Handler {
  if (bound.files.length === 0) return handle
  return async context => {
    const { requestBody } = context
    if (requestBody.kind !== 'upload') return handle(context)
    await check(context)
    const form = await receiveFiles(requestBody, nameFields(seenBy(bound, context).plans[action].takes))
    let isOutcomeKnown = true
    try {
      return await handle({ ...context, requestBody: form })
    } catch (error) {
      // If the connection was lost, the write may have been committed.
      isOutcomeKnown = !(error instanceof ServiceUnavailable)
      throw error
    } finally {
      if (isOutcomeKnown && form.files !== undefined) await removeOrLog(context, removeFiles(form.files.values()))
    }
  }
}

const nameFields = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [nameOnWire(name, field), field]))

/**
 * The parsers of a write of a resource with files. Files of fields that are not in `fields`, those that the write takes, are
 * skipped, as other values are. Throws if a field takes files and no parser reads forms.
 */
export function addFileParser(
  { resource, files }: Pick<BoundResource, 'resource' | 'files'>,
  parsers: readonly Parser[],
  fields: Fields,
): readonly Parser[] {
  if (files.length === 0) return parsers
  const limits: FileLimits = {
    maxFiles: files.length + furtherFiles,
    maxSize: files.reduce((size, [, { maxSize }]) => size + maxSize, 0),
  }
  const withFiles = parsers.map(parser => parser.withFiles?.(limits) ?? parser)
  const takesFiles = Object.values(fields).some(({ file, readOnly }: Field) => file !== undefined && !readOnly)
  if (takesFiles && withFiles.every((parser, index) => parser === parsers[index]))
    throw new Error(
      `resource "${resource.name}": a file arrives in a body of the type multipart/form-data: add multipartParser() to "parsers"`,
    )
  return withFiles
}

// They are skipped.
const furtherFiles = 10

/** The stored values of an object before and after a committed write; undefined if there is no object. */
export interface FileChange {
  readonly before?: Values | undefined
  readonly after?: Values | undefined
}

/**
 * Keeps the files of a request, and removes those that the writes of a resource's objects replaced. Call it after the writes;
 * inside a transaction, the files are removed after its commit.
 */
export async function settleFiles(
  { database, files }: Pick<BoundResource, 'database' | 'files'>,
  context: HandlerContext,
  changes: readonly FileChange[],
): Promise<void> {
  if (files.length === 0) return
  const replaced = changes.flatMap(change => listReplaced(files, change))
  const storedKeys = new Set(changes.flatMap(({ after = {} }) => files.map(([name]) => findKey(after[name]))))
  await afterCommit(database, async () => {
    keepFiles(context.requestBody, storedKeys)
    for (const remove of replaced) await removeOrLog(context, remove())
  })
}

const listReplaced = (files: BoundResource['files'], { before = {}, after }: FileChange) =>
  files.flatMap(([name, { store }]) => {
    const old = before[name] as StoredFile | null | undefined
    const isKept = after !== undefined && (!Object.hasOwn(after, name) || findKey(after[name]) === old?.key)
    return old && !isKept ? [() => store.remove(old.key)] : []
  })

const findKey = (stored: unknown): string | undefined => (stored as StoredFile | null | undefined)?.key

// `normalize` may have left out the field of a file, which is then not kept.
function keepFiles(body: RequestBody, storedKeys: ReadonlySet<string | undefined>): void {
  const files = body.kind === 'form' ? body.files?.values() : undefined
  for (const found of files ?? []) if (found instanceof UploadedFile && storedKeys.has(found.file.key)) found.keep()
}

async function afterCommit(database: Database, work: () => Promise<void>): Promise<void> {
  const transaction = findTransaction(database, database)
  if (transaction === undefined) await work()
  else transaction.onCommit(() => void work())
}

// The write is committed, so its response must not be an error. What is left over is an unused file.
async function removeOrLog({ request }: HandlerContext, removing: Promise<void>): Promise<void> {
  try {
    await removing
  } catch (error) {
    if (!isMissing(request)) logError('error', request, loggableError(error), 'a file could not be removed')
  }
}
