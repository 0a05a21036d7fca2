// Lines for people on standard error, output for programs on standard output. Both are written with plain system calls,
// because Node's own streams end the process when a disk is full or a reader has gone.

import { writeSync } from 'node:fs'

/** A pipe that is full is written again after this pause, in milliseconds. */
const pause = 10

/** Writes a line for people to standard error; a line that cannot be written is lost. */
export function warn(line: string): void {
  try {
    writeSync(2, `${line}\n`)
  } catch {
    // There is no other place to report to.
  }
}

/**
 * Writes the output of a command to standard output. A reader that has gone, such as `head`, is not an error; throws if
 * the disk is full.
 */
export function print(text: string): void {
  try {
    for (let rest: Uint8Array = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSome(rest))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPIPE') throw new Error(`standard output cannot be written (${code})`, { cause: error })
  }
}

function writeSome(bytes: Uint8Array): number {
  try {
    return writeSync(1, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause)
    return 0
  }
}
