// Writes messages to standard error and command output to standard output. Both use synchronous system calls, because
// Node's streams end the process if the disk is full or the reader has closed the pipe.

import { writeSync } from 'node:fs'

/** Milliseconds to wait before a write to a full pipe is retried. */
const retryDelay = 10

/** Writes a line to standard error. A line that cannot be written is lost. */
export function warn(line: string): void {
  try {
    writeSync(2, `${line}\n`)
  } catch {
    // There is no other place to report to.
  }
}

/**
 * Writes the output of a command to standard output. It is not an error if the reader, such as `head`, has closed the
 * pipe. Throws if the disk is full.
 */
export function print(text: string): void {
  try {
    for (let unwritten: Uint8Array = Buffer.from(text); unwritten.length > 0; )
      unwritten = unwritten.subarray(writeSome(unwritten))
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
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryDelay)
    return 0
  }
}
