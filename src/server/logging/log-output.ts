// Writes the log to a file or pipe. A full disk or a slow reader does not affect requests: no call throws or blocks for
// long. Lines that cannot be written wait in a bounded buffer; when it is full, further lines are dropped and counted.

import { fstatSync, writeSync } from 'node:fs'

/** The destination of log lines. Each line ends with a line feed. */
export interface LogStream {
  write(line: string): void
}

export interface LogOutput extends LogStream {
  /** The number of lines that have been dropped so far. */
  readonly dropped: number
}

/** The maximum size of the buffer in bytes. */
export const maxWaitingBytes = 1024 * 1024
/** Milliseconds between two attempts to write: a pipe is usually read soon, but a full disk stays full for longer. */
const [pipeRetryDelay, diskRetryDelay] = [10, 1000]
/** The exit of the process waits at most this many milliseconds for the reader of a pipe. */
const maxExitDelay = 500

/** Creates a log output for an open file descriptor; default: standard output. */
export const createLogOutput = (descriptor = 1): LogOutput => new FileLog(descriptor)

class FileLog implements LogOutput {
  dropped = 0
  readonly #descriptor: number
  /** Lines that wait to be written. The first may have been written in part. */
  readonly #waiting: Uint8Array[] = []
  #waitingBytes = 0
  /** The code of the last write error; undefined after a successful write. */
  #failure: string | undefined
  #reportedDrops = 0
  #hasExitHandler = false

  constructor(descriptor: number) {
    this.#descriptor = descriptor
    // Reading `process.stdout` makes a pipe or socket non-blocking, so that a reader that hangs does not block the
    // process.
    if (descriptor === 1 && isPipe(descriptor)) void process.stdout
  }

  write(line: string): void {
    const bytes = Buffer.from(line)
    if (this.#failure !== undefined && this.#waitingBytes + bytes.length > maxWaitingBytes) {
      this.dropped += 1
      return
    }
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#failure === undefined) this.#writeWaiting()
  }

  #writeWaiting(): void {
    try {
      for (let line = this.#waiting[0]; line !== undefined; line = this.#waiting[0]) {
        const written = writeSync(this.#descriptor, line)
        this.#waitingBytes -= written
        if (written < line.length) this.#waiting[0] = line.subarray(written)
        else this.#waiting.shift()
      }
      if (this.#failure !== undefined) this.#recover()
    } catch (error) {
      this.#fail((error as NodeJS.ErrnoException).code ?? String(error))
    }
  }

  #fail(code: string): void {
    if (!this.#hasExitHandler) process.once('exit', () => this.#writeAtExit())
    this.#hasExitHandler = true
    this.#failure = code
    setTimeout(() => this.#writeWaiting(), code === 'EAGAIN' ? pipeRetryDelay : diskRetryDelay).unref()
  }

  #recover(): void {
    this.#reportLost(this.dropped - this.#reportedDrops)
    this.#failure = undefined
    this.#reportedDrops = this.dropped
  }

  // Makes a last attempt when the process exits.
  #writeAtExit(): void {
    if (this.#failure === undefined) return
    const deadline = performance.now() + maxExitDelay
    do this.#writeWaiting()
    while (this.#failure === 'EAGAIN' && performance.now() < deadline && wait(pipeRetryDelay))
    const isDone = this.#failure === undefined || this.#failure === 'EPIPE'
    if (!isDone) this.#reportLost(this.dropped - this.#reportedDrops + this.#waiting.length)
  }

  #reportLost(lines: number): void {
    if (lines > 0) warn(`log: ${lines} lines were lost because the log could not be written (${this.#failure})\n`)
  }
}

// Node's stream of standard error would end the process if the disk is full or the reader has closed the pipe.
function warn(line: string): void {
  try {
    writeSync(2, line)
  } catch {
    // There is no other place to report to.
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
