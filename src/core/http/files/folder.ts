// Files in a folder of the server's file system. All processes of a service must see the same folder.

import { createReadStream, createWriteStream, open as openWithCallback } from 'node:fs'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { APIException, InsufficientStorage, ServiceUnavailable } from '../../errors/exceptions.ts'
import { isFileKey } from './file-key.ts'
import { type ByteRange, type FileStore, MissingFile } from './file-store.ts'
import { resolveFolder } from './folder-path.ts'

// Streams of a descriptor take less processor time than those of a FileHandle.
const openDescriptor = promisify(openWithCallback)

/** Bytes that may wait for the disk. */
const bufferSize = 1024 * 1024

/**
 * Stores files below a folder, which is created when the first file is stored. The path is relative to the working directory.
 * A file is on the disk before the database refers to it. Throws for a folder of the operating system or of the program.
 *
 * @example
 * const invoice = file({ store: folder('data/invoices'), types: ['application/pdf'], nullable: true })
 */
export function folder(path: string): FileStore {
  const root = resolveFolder(path)
  const findPath = (key: string) => join(root, key.slice(0, 2), key)
  return Object.freeze<FileStore>({
    place: `folder ${root}`,
    async write(key, content) {
      const file = findPath(key)
      try {
        await mkdir(dirname(file), { recursive: true })
        // If the content fails, the file exists already, so that it is removed below.
        const fd = await openDescriptor(file, 'wx')
        await pipeline(content, createWriteStream('', { fd, flush: true, highWaterMark: bufferSize }))
        await flushFolder(dirname(file))
      } catch (error) {
        await rm(file, { force: true }).catch(() => undefined)
        throw translate(error)
      }
    },
    read: (key, range) => openFile(findPath(key), key, range),
    async remove(key) {
      await rm(findPath(key), { force: true }).catch(throwTranslated)
    },
    async *list() {
      for (const part of await readFolder(root)) {
        if (!/^[0-9a-f]{2}$/.test(part)) continue
        for (const key of await readFolder(join(root, part))) {
          if (!isFileKey(key)) continue
          const found = await stat(findPath(key)).catch(ignoreMissing)
          if (found !== undefined) yield { key, modified: found.mtime }
        }
      }
    },
  })
}

// A new name is safe after a power failure only once its folder is flushed. Windows cannot open folders.
async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using folderHandle = await open(path)
  await folderHandle.sync()
}

async function openFile(path: string, key: string, range?: ByteRange): Promise<Readable> {
  try {
    const fd = await openDescriptor(path, 'r')
    return createReadStream('', {
      fd,
      highWaterMark: bufferSize,
      ...(range && { start: range.first, end: range.last }),
    })
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new MissingFile(key, { cause: error }) : translate(error)
  }
}

const readFolder = async (path: string): Promise<readonly string[]> => (await readdir(path).catch(ignoreMissing)) ?? []

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw translate(error)
}

const throwTranslated = (error: unknown): never => {
  throw translate(error)
}

const fullCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

// Errors of the content, such as a client that disconnects, are not those of the disk.
function translate(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (error instanceof APIException || syscall === undefined) return error
  return Object.assign(fullCodes.includes(code) ? new InsufficientStorage() : new ServiceUnavailable(), {
    cause: error,
  })
}
