// Files in a bucket of an S3-compatible service (decision 076). The size of an upload is unknown until it ends, so the file is
// sent in parts, each held in memory until the service has it.

import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { S3mini, UploadPart } from 's3mini'
import { InsufficientStorage, ServiceUnavailable } from '../errors/exceptions.ts'
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
 * Stores files in a bucket. Needs the package s3mini: `npm install s3mini`.
 *
 * @example
 * const store = s3({
 *   endpoint: 'https://s3.eu-central-1.amazonaws.com/invoices',
 *   region: 'eu-central-1',
 *   credentials: { accessKeyId: process.env.S3_KEY!, secretAccessKey: process.env.S3_SECRET! },
 * })
 */
export function s3({ endpoint, region = 'auto', credentials, prefix = '', redirect = false }: S3Options): FileStore {
  let connecting: Promise<S3mini> | undefined
  const connect = () => {
    connecting ??= load().then(({ S3mini: Client }) => new Client({ endpoint, region, ...credentials }))
    return connecting
  }
  const findName = (key: string) => `${prefix}${key}`
  return Object.freeze<FileStore>({
    place: `s3 ${endpoint}/${prefix}`,
    async write(key, content, { type }) {
      const client = await connect()
      await upload(client, { name: findName(key), type }, content)
    },
    async read(key, range) {
      const client = await connect()
      const end = range && range.last + 1
      const response = await client
        .getObjectRaw(findName(key), range === undefined, range?.first, end)
        .catch(error => throwTranslated(error, key))
      return Readable.fromWeb(response.body as ReadableStream)
    },
    async remove(key) {
      const client = await connect()
      await client.deleteObject(findName(key)).catch(ignoreMissing)
    },
    async *list() {
      const client = await connect()
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
        const client = await connect()
        return client.getPresignedUrl('GET', findName(key), redirectedFor, {
          'response-content-disposition': disposition,
          'response-content-type': type,
        })
      },
    }),
  })
}

const load = () =>
  import('s3mini').catch((cause: unknown) => {
    throw new Error('s3() needs the package s3mini: npm install s3mini@1', { cause })
  })

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
