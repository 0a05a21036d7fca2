// A logger that is made when it first says something: every request has one, and few say anything.

import type { FastifyBaseLogger } from 'fastify'

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

type Speech = Record<(typeof levels)[number], (...said: unknown[]) => void>

class LazyLogger {
  readonly #make: () => FastifyBaseLogger
  #made: FastifyBaseLogger | undefined

  constructor(make: () => FastifyBaseLogger) {
    this.#make = make
  }

  get level(): string {
    return this.#real().level
  }

  child(...given: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return lazyLogger(() => this.#real().child(...given))
  }

  #real(): FastifyBaseLogger {
    this.#made ??= this.#make()
    return this.#made
  }

  static {
    for (const level of levels) {
      Object.defineProperty(LazyLogger.prototype, level, {
        value(this: LazyLogger, ...said: unknown[]) {
          ;(this.#real() as unknown as Speech)[level](...said)
        },
      })
    }
  }
}

/** A logger whose children, and theirs, cost next to nothing until their first line. */
export const lazyLogger = (make: () => FastifyBaseLogger): FastifyBaseLogger =>
  new LazyLogger(make) as unknown as FastifyBaseLogger
