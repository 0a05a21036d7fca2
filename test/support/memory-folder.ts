// A folder in memory for the temporary files of the tests. On a disk, each commit to SQLite and each new database of
// PostgreSQL waits for it, which takes more time than most tests.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// Linux keeps the files of this folder in memory.
const memory = '/dev/shm'

/** Four times the bytes that the tests use at the same time. */
const enough = 2 ** 30

/** Creates a folder; undefined if the system has no memory for it, or lets no program in it start. */
export function createMemoryFolder(): string | undefined {
  if (process.platform !== 'linux' || countFreeBytes() < enough) return undefined
  const folder = mkdtempSync(join(memory, 'resource-api-tests-'))
  // As a folder for temporary files usually is: root's tests start programs as other users.
  chmodSync(folder, 0o1777)
  if (canStartPrograms(folder)) return folder
  rmSync(folder, { recursive: true })
  return undefined
}

function countFreeBytes(): number {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return Math.min(bavail * bsize, process.availableMemory())
  } catch {
    return 0
  }
}

// Containers often do not allow it.
function canStartPrograms(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  try {
    execFileSync(program)
    return true
  } catch {
    return false
  } finally {
    rmSync(program)
  }
}
