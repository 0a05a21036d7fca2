// Writes the log. Requests go on whatever happens to the file or pipe that it goes to: no call blocks for long or throws.
// Lines that cannot be written wait in a bounded buffer; when it is full, further lines are dropped and counted.

import { fstatSync, writeSync } from 'node:fs'
import { warn } from './standard-streams.ts'

/** Where the lines of the log go, each with the end of the line. */
export interface LogStream {
  write(line: string): void
}

export interface LogOutput extends LogStream {
  /** How many lines have been dropped so far. */
  readonly dropped: number
}

/** The size of the buffer in bytes. */
export const mostWaitingBytes = 1024 * 1024
/** Milliseconds until the next attempt: a pipe is read soon, space on a disk takes longer. */
const [pipePause, diskPause] = [10, 1000]
/** Milliseconds for which the end of the process waits for the reader of a pipe. */
const longestEnd = 500

/** The log on an open file, by default standard output. */
export const createLogOutput = (descriptor = 1): LogOutput => new FileLog(descriptor)

class FileLog implements LogOutput {
  dropped = 0
  readonly #descriptor: number
  /** Lines that wait. The beginning of the first one may have been written. */
  readonly #waiting: Uint8Array[] = []
  #size = 0
  /** The code of the error that writing fails with; undefined while it works. */
  #failure: string | undefined
  #droppedBefore = 0
  #hasFailed = false

  constructor(descriptor: number) {
    this.#descriptor = descriptor
    // Node makes a pipe or a socket non-blocking when it opens its stream: a reader that hangs must not stop the process.
    if (descriptor === 1 && isPipe(descriptor)) void process.stdout
  }

  write(line: string): void {
    const bytes = Buffer.from(line)
    if (this.#failure !== undefined && this.#size + bytes.length > mostWaitingBytes) {
      this.dropped += 1
      return
    }
    this.#waiting.push(bytes)
    this.#size += bytes.length
    if (this.#failure === undefined) this.#writeWaiting()
  }

  #writeWaiting(): void {
    try {
      for (let line = this.#waiting[0]; line !== undefined; line = this.#waiting[0]) {
        const written = writeSync(this.#descriptor, line)
        this.#size -= written
        if (written < line.length) this.#waiting[0] = line.subarray(written)
        else this.#waiting.shift()
      }
      if (this.#failure !== undefined) this.#recover()
    } catch (error) {
      this.#fail((error as NodeJS.ErrnoException).code ?? String(error))
    }
  }

  #fail(code: string): void {
    if (!this.#hasFailed) process.once('exit', () => this.#end())
    this.#hasFailed = true
    this.#failure = code
    setTimeout(() => this.#writeWaiting(), code === 'EAGAIN' ? pipePause : diskPause).unref()
  }

  #recover(): void {
    this.#reportLost(this.dropped - this.#droppedBefore)
    this.#failure = undefined
    this.#droppedBefore = this.dropped
  }

  // Runs when the process exits: the last attempt.
  #end(): void {
    if (this.#failure === undefined) return
    const deadline = performance.now() + longestEnd
    do this.#writeWaiting()
    while (this.#failure === 'EAGAIN' && performance.now() < deadline && wait(pipePause))
    const isGone = this.#failure === undefined || this.#failure === 'EPIPE'
    if (!isGone) this.#reportLost(this.dropped - this.#droppedBefore + this.#waiting.length)
  }

  #reportLost(lines: number): void {
    if (lines > 0) warn(`log: ${lines} lines are lost, because the log could not be written (${this.#failure})`)
  }
}

function isPipe(descriptor: number): boolean {
  const stats = fstatSync(descriptor)
  return stats.isFIFO() || stats.isSocket()
}

function wait(milliseconds: number): true {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
  return true
}
