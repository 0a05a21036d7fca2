// File systems of a fault's own. run.ts has each fault in a mount namespace, so that they go with it.

import { execFile } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { promisify } from 'node:util'
import { Skip } from '../fault.ts'
import { newFolder } from './service.ts'

export const isRoot = process.getuid?.() === 0

/** A new, empty file system in memory of so many bytes; answers its folder. Throws Skip where this user cannot mount. */
export async function smallDisk(size: number): Promise<string> {
  const folder = await newFolder()
  await mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder)
  return folder
}

/** Nobody can write below the folder any more, root neither. */
export async function makeReadOnly(folder: string): Promise<void> {
  // Root writes whatever the modes are.
  if (!isRoot) return chmod(folder, 0o555)
  await mount('--bind', folder, folder)
  await mount('-o', 'remount,bind,ro', folder)
}

async function mount(...args: readonly string[]): Promise<void> {
  if (!isRoot) throw new Skip('a disk of its own takes root, or user namespaces for everyone')
  await promisify(execFile)('mount', args).catch(error => {
    throw new Skip(`this machine lets nobody mount: ${(error as { stderr?: string }).stderr ?? error}`)
  })
}
