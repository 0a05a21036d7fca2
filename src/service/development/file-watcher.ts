// Waits for the first change of any of a set of files. It watches folders, because editors often replace a file with a
// new one, and because an imported file may not exist yet.

import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { warn } from '../logging/standard-streams.ts'
import { readVersion, type WatchedFile } from './file-versions.ts'

export interface FileWatcher {
  /** Adds a file with the version that was read. A change since then counts too. */
  add(file: WatchedFile): void
  /** Resolves with the path of a file that has changed. */
  readonly changed: Promise<string>
  close(): void
}

/** Milliseconds to wait after a change, because an editor may save several files, or one file in several steps. */
const settlingTime = 50

export function createFileWatcher(): FileWatcher {
  const { promise: changed, resolve } = Promise.withResolvers<string>()
  const versions = new Map<string, string>()
  const folders = new Map<string, FSWatcher | undefined>()
  const check = (path: string) => {
    if (versions.get(path) !== readVersion(path)) setTimeout(() => resolve(path), settlingTime)
  }
  // The name of the changed file is not reliable on every system, so all files of the folder are checked.
  const checkFolder = (folder: string) => {
    for (const path of versions.keys()) if (dirname(path) === folder) check(path)
  }
  return {
    add({ path, version }) {
      versions.set(path, version)
      const folder = dirname(path)
      if (!folders.has(folder))
        folders.set(
          folder,
          watchFolder(folder, () => checkFolder(folder)),
        )
      check(path)
    },
    changed,
    close() {
      for (const watcher of folders.values()) watcher?.close()
    },
  }
}

function watchFolder(folder: string, onChange: () => void): FSWatcher | undefined {
  try {
    return watch(folder, onChange).on('error', () => undefined)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') warn(`warning: dev: changes in ${folder} are not noticed (${code})`)
    return undefined
  }
}
