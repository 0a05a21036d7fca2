// The URL of a file, below that of its object: `/orders/7/invoice/`. It shows the file to callers who may read the object, and
// with a valid signature to everyone.

import { NotFound, PermissionDenied } from '../../errors/exceptions.ts'
import { isMet } from '../../fields/field-visibility.ts'
import { storageColumn } from '../../fields/storage.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type { HandlerContext } from '../../http/context.ts'
import { createFileResponse } from '../../http/files/file-response.ts'
import type { FileRules } from '../../http/files/file-rules.ts'
import { isSigned } from '../../http/files/file-signer.ts'
import { type FileStore, MissingFile } from '../../http/files/file-store.ts'
import type { StoredFile } from '../../http/files/stored-file.ts'
import type { ApiResponse } from '../../http/response.ts'
import { frameworkMessages } from '../../messages/english.ts'
import { formatTitle } from '../../messages/title.ts'
import {
  checkObjectPermissions,
  findRefusal,
  listObjectColumns,
  type Permission,
} from '../../policy/permissions/permission.ts'
import { type RowFilter, readFilterValues } from '../../policy/permissions/row-filter.ts'
import type { Handler, ViewOptions } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import type { ResourceLocation } from '../bind/resource-location.ts'
import { readObjectId } from '../read/retrieve.ts'
import { compileColumns } from '../sql/select.ts'
import { describeDownload } from './operations/download-operation.ts'

/** A view below an object, and the last segment of its path. */
export interface Download {
  readonly segment: string
  readonly view: ViewOptions
}

/** Creates the views of the files of an object. */
export function createDownloads(location: ResourceLocation): readonly Download[] {
  const { objects } = location
  const { resource, plans, files } = objects
  if (!resource.actions.includes('retrieve') && !resource.actions.includes('list')) return []
  return files
    .filter(([name]) => !resource.fields[name]!.writeOnly)
    .map(([name, rules]) => {
      const segment = nameOnWire(name, resource.fields[name]!)
      const readFile = createReader(objects, name, rules.store)
      const view: ViewOptions = {
        id: `${resource.name}-${segment}`,
        name: `${resource.title} ${formatTitle(segment)}`,
        lenientAccept: true,
        permissions: rules.signedFor === undefined ? plans.retrieve.permissions : [],
        operations: { GET: describeDownload(location, segment, rules) },
        handlers: {
          GET: rules.signedFor === undefined ? readFile : createSignedReader(objects, name, rules, readFile),
        },
      }
      return { segment, view }
    })
}

function createReader(objects: BoundResource, name: string, store: FileStore): Handler {
  const { resource, plans } = objects
  const find = createFinder(objects, name, plans.retrieve)
  const { visible } = resource.fields[name]!
  return context => {
    if (visible !== undefined && !isMet(visible, context)) throw new NotFound()
    return respond(context, store, 'private, no-cache', find)
  }
}

// Without a signature, the permissions are checked here instead of in the view.
function createSignedReader(objects: BoundResource, name: string, { store }: FileRules, readFile: Handler): Handler {
  const find = createFinder(objects, name, { permissions: [], filter: objects.rows })
  return async context => {
    const query = new URL(context.request.url, 'http://localhost').searchParams
    if (!isSigned(query)) {
      const refusal = await findRefusal(context, objects.plans.retrieve.permissions)
      if (refusal !== undefined) throw refusal
      return readFile(context)
    }
    const { key } = await find(context)
    const remaining = context.view.fileSigner?.findRemaining(query, key)
    if (remaining === undefined) throw new PermissionDenied(frameworkMessages('permission_denied.signature'))
    return respond(context, store, `private, max-age=${remaining}`, find)
  }
}

/** Finds the file of the object of a request; rejects with NotFound, NotAuthenticated or PermissionDenied. */
type FindFile = (context: HandlerContext) => Promise<StoredFile>

interface Restrictions {
  readonly permissions: readonly Permission[]
  readonly filter: RowFilter | undefined
}

function createFinder(objects: BoundResource, name: string, { permissions, filter }: Restrictions): FindFile {
  const { database, resource } = objects
  const column = storageColumn(name, resource.fields[name]!)!
  const columns = [...new Set([column, ...(listObjectColumns(permissions) ?? [])])]
  const statement = compileColumns(database, resource, columns, filter)
  return async context => {
    const id = await readObjectId(objects, context)
    const row = await database.first(statement, { id, ...(await readFilterValues(filter, context)) })
    if (row === undefined) throw new NotFound()
    const object = JSON.parse(row[0]) as Readonly<Record<string, unknown>>
    await checkObjectPermissions(context, permissions, object)
    if (object[column] === null) throw new NotFound()
    return object[column] as StoredFile
  }
}

async function respond(
  context: HandlerContext,
  store: FileStore,
  cacheControl: string,
  find: FindFile,
): Promise<ApiResponse> {
  const request = { headers: context.request.headers, isHead: context.method === 'HEAD', cacheControl }
  const file = await find(context)
  try {
    return await createFileResponse(file, store, request)
  } catch (error) {
    if (!(error instanceof MissingFile)) throw error
    // Another request may have replaced the file in the meantime.
    const current = await find(context)
    if (current.key === file.key) throw error
    return createFileResponse(current, store, request)
  }
}
