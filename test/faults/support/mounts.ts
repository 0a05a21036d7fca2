// File systems of a fault's own. run.ts has each fault in a mount namespace, so that they go with it.

import { execFile } from 'node:child_process'
import { chmod, cp, rm, truncate, writeFile } from 'node:fs/promises'
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

/** A disk that can lose its power. */
export interface PowerDisk {
  readonly folder: string
  /**
   * Loses everything that no process has flushed, as a machine without power does; the folder then shows what was on the
   * disk. Nobody may have a file open in it.
   */
  cutPower(): Promise<void>
}

/**
 * A new ext4 in a file. The kernel writes to that file only what was flushed, so a copy of it is the disk after a power
 * cut. Throws Skip where this machine has no loop devices, or this user cannot mount them.
 */
export async function powerDisk(size: number): Promise<PowerDisk> {
  const [folder, images] = [await newFolder(), await newFolder()]
  let number = 0
  const image = () => `${images}/${number}`
  // The file system's own timer would flush every 5 s otherwise.
  const attach = () => mount('-o', 'loop,commit=300', image(), folder)
  await writeFile(image(), '')
  await truncate(image(), size)
  await runTool('mkfs.ext4', '-q', '-F', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image())
  await attach()
  await runTool('sync', '-f', folder)
  return {
    folder,
    async cutPower() {
      const before = image()
      number++
      await cp(before, image())
      await runTool('umount', folder)
      await rm(before)
      await attach()
    },
  }
}

async function runTool(name: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)(name, args).catch(error => {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new Skip(`this machine has no ${name}`) : error
  })
}
