// A logger that is created when it is first used. Fastify creates a child logger per request, and few of them are used.

import type { FastifyBaseLogger } from 'fastify'

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

type LogMethods = Record<(typeof levels)[number], (...args: unknown[]) => void>

class LazyLogger {
  readonly #create: () => FastifyBaseLogger
  #created: FastifyBaseLogger | undefined

  constructor(create: () => FastifyBaseLogger) {
    this.#create = create
  }

  get level(): string {
    return this.#logger().level
  }

  child(...args: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return createLazyLogger(() => this.#logger().child(...args))
  }

  #logger(): FastifyBaseLogger {
    this.#created ??= this.#create()
    return this.#created
  }

  static {
    for (const level of levels) {
      Object.defineProperty(LazyLogger.prototype, level, {
        value(this: LazyLogger, ...args: unknown[]) {
          ;(this.#logger() as unknown as LogMethods)[level](...args)
        },
      })
    }
  }
}

/** Creates a logger that calls `create` at its first use. Its children are lazy too. */
export const createLazyLogger = (create: () => FastifyBaseLogger): FastifyBaseLogger =>
  new LazyLogger(create) as unknown as FastifyBaseLogger
