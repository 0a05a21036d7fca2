// Mounts file systems for one fault. run.ts runs each fault in a mount namespace, so the mounts disappear with it.

import { execFile } from 'node:child_process'
import { chmod, cp, rm, truncate, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { Skip } from '../fault.ts'
import { newFolder } from './service.ts'

export const isRoot = process.getuid?.() === 0

/**
 * Mounts a new, empty file system of this size in memory, and returns its folder. Throws Skip if this user cannot
 * mount.
 */
export async function mountSmallDisk(size: number): Promise<string> {
  const folder = await newFolder()
  await mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder)
  return folder
}

/** Makes a folder read-only, for root too. */
export async function makeReadOnly(folder: string): Promise<void> {
  // Root ignores file modes, so root needs a read-only mount.
  if (!isRoot) return chmod(folder, 0o555)
  await mount('--bind', folder, folder)
  await mount('-o', 'remount,bind,ro', folder)
}

async function mount(...args: readonly string[]): Promise<void> {
  if (!isRoot) throw new Skip('mounting a disk needs root or unprivileged user namespaces')
  await promisify(execFile)('mount', args).catch(error => {
    throw new Skip(`this machine does not allow mounts: ${(error as { stderr?: string }).stderr ?? error}`)
  })
}

/** A disk that can lose its power. */
export interface PowerDisk {
  readonly folder: string
  /**
   * Loses everything that has not been flushed, as in a power failure; the folder then contains the state of the disk.
   * No process may have a file in it open.
   */
  cutPower(): Promise<void>
}

/**
 * Mounts a new ext4 file system from an image file. The kernel writes only flushed data to the image, so a copy of it
 * is the disk after a power cut. Throws Skip if this machine has no loop devices, or this user cannot mount them.
 */
export async function mountPowerDisk(size: number): Promise<PowerDisk> {
  const [folder, images] = [await newFolder(), await newFolder()]
  let number = 0
  const image = () => `${images}/${number}`
  // Without `commit=300`, the file system would flush every 5 s.
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
