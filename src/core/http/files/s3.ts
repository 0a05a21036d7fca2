// Files in a bucket of an S3-compatible service (decision 076). The size of an upload is unknown until it ends, so the file is
// sent in parts, each held in memory until the service has it.

import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type * as S3miniPackage from 's3mini'
import type { S3mini, UploadPart } from 's3mini'
import { InsufficientStorage, ServiceUnavailable } from '../../errors/exceptions.ts'
import { isFileKey } from './file-key.ts'
import { type FileStore, MissingFile } from './file-store.ts'

export interface S3Options {
  /** The URL of the bucket: `https://s3.eu-central-1.amazonaws.com/invoices`. */
  readonly endpoint: string
  /** Default `auto`, which several services accept. */
  readonly region?: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** Precedes the keys in the bucket: `invoices/`. Default: none. */
  readonly prefix?: string
  /** True: downloads are redirected to URLs of the service that are valid for five minutes. Default: they are passed through. */
  readonly redirect?: boolean
}

/** A part of an upload in bytes. Services accept 5 MiB or more, and 10,000 parts. */
const partSize = 8 * 1024 * 1024
/** Keys in one page of a list. */
const pageSize = 1000
/** Seconds. */
const redirectedFor = 300

/**
 * Stores files in a bucket. Throws without the package s3mini (`npm install s3mini`), and for malformed options.
 *
 * @example
 * const store = s3({
 *   endpoint: 'https://s3.eu-central-1.amazonaws.com/invoices',
 *   region: 'eu-central-1',
 *   credentials: { accessKeyId: process.env.S3_KEY!, secretAccessKey: process.env.S3_SECRET! },
 * })
 */
export function s3(options: S3Options): FileStore {
  checkS3Options(options)
  const { endpoint, region = 'auto', credentials, prefix = '', redirect = false } = options
  const { S3mini: Client } = loadPackage()
  const client = new Client({ endpoint, region, ...credentials })
  const findName = (key: string) => `${prefix}${key}`
  return Object.freeze<FileStore>({
    place: `s3 ${endpoint}/${prefix}`,
    async write(key, content, { type }) {
      await upload(client, { name: findName(key), type }, content)
    },
    async read(key, range) {
      const end = range && range.last + 1
      const response = await client
        .getObjectRaw(findName(key), range === undefined, range?.first, end)
        .catch(error => throwTranslated(error, key))
      return Readable.fromWeb(response.body as ReadableStream)
    },
    async remove(key) {
      await client.deleteObject(findName(key)).catch(ignoreMissing)
    },
    async *list() {
      let token: string | undefined
      do {
        const page = await client.listObjectsPaged('/', prefix, pageSize, token).catch(error => throwTranslated(error))
        for (const { Key, LastModified } of page?.objects ?? []) {
          const key = Key.slice(prefix.length)
          if (isFileKey(key)) yield { key, modified: new Date(LastModified) }
        }
        token = page?.nextContinuationToken
      } while (token)
    },
    ...(redirect && {
      async createUrl(key, { disposition, type }) {
        return client.getPresignedUrl('GET', findName(key), redirectedFor, {
          'response-content-disposition': disposition,
          'response-content-type': type,
        })
      },
    }),
  })
}

// Node runs TypeScript without checking types, and a variable of the environment may be missing.
function checkS3Options(options: S3Options | undefined): void {
  const { endpoint, credentials, prefix = '' } = options ?? {}
  if (typeof endpoint !== 'string' || !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new Error("s3(): endpoint must be the URL of the bucket: 'https://s3.eu-central-1.amazonaws.com/invoices'")
  for (const name of ['accessKeyId', 'secretAccessKey'] as const)
    if (typeof credentials?.[name] !== 'string' || credentials[name] === '')
      throw new Error(`s3(): credentials.${name} is missing: set the variable that it is read from`)
  if (typeof prefix !== 'string') throw new Error("s3(): prefix must be a text, such as 'invoices/'")
}

// Loaded on demand, because other stores do not need it.
function loadPackage(): typeof S3miniPackage {
  try {
    return createRequire(import.meta.url)('s3mini')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw new Error('s3() needs the package s3mini: npm install s3mini@1', { cause: error })
  }
}

interface UploadedObject {
  readonly name: string
  readonly type: string
}

async function upload(client: S3mini, object: UploadedObject, content: AsyncIterable<Uint8Array>): Promise<void> {
  const parts = splitParts(content)
  const first = await parts.next()
  const second = await parts.next()
  if (second.done) {
    await client.putObject(object.name, first.value ?? Buffer.alloc(0), object.type).catch(throwTranslated)
    return
  }
  const id = await client.getMultipartUploadId(object.name, object.type).catch(throwTranslated)
  try {
    const sent: UploadPart[] = []
    const send = async (part: Buffer) => {
      sent.push(await client.uploadPart(object.name, id, part, sent.length + 1).catch(throwTranslated))
    }
    await send(first.value!)
    await send(second.value)
    for await (const part of parts) await send(part)
    await client.completeMultipartUpload(object.name, id, sent).catch(throwTranslated)
  } catch (error) {
    await client.abortMultipartUpload(object.name, id).catch(() => undefined)
    throw error
  }
}

async function* splitParts(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined, undefined> {
  let chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of content) {
    chunks.push(chunk)
    size += chunk.length
    if (size < partSize) continue
    yield Buffer.concat(chunks)
    chunks = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(chunks)
}

/** An error of the service; network errors have no status. */
interface ServiceError {
  readonly status?: number
}

const fullStatus = 507

function throwTranslated(cause: unknown, key?: string): never {
  const { status } = cause as ServiceError
  if (status === 404 && key !== undefined) throw new MissingFile(key, { cause })
  throw Object.assign(status === fullStatus ? new InsufficientStorage() : new ServiceUnavailable(), { cause })
}

function ignoreMissing(error: unknown): void {
  if ((error as ServiceError).status !== 404) throwTranslated(error)
}
