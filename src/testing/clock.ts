// The time that an API sees in a test. It stands still between two calls of `advance`.

export interface Duration {
  readonly days?: number
  readonly hours?: number
  readonly minutes?: number
  readonly seconds?: number
  readonly milliseconds?: number
}

export interface TestClock {
  /** The time, for options named `clock`: `memoryStore({ clock: clock.now })`. */
  readonly now: () => Date
  /** Moves the time forward; a negative number moves it back. A clock that runs is stopped first. */
  advance(duration: Duration): void
  /** Sets the time, such as `2026-01-01T00:00:00Z`. The clock stands still from then on. */
  set(time: string | Date): void
}

/** Milliseconds. */
const units = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1000, milliseconds: 1 }

/**
 * Stands still at `start`. If `start` is a function, the clock shows the time that it returns until `advance` or `set` is
 * called; default: the time of the system.
 */
export function createTestClock(start: string | Date | (() => Date) = () => new Date()): TestClock {
  const running = typeof start === 'function' ? start : undefined
  let fixed = typeof start === 'function' ? undefined : parseTime(start)
  const now = () => (fixed === undefined ? running!() : new Date(fixed))
  return {
    now,
    advance(duration) {
      fixed = now().getTime() + toMilliseconds(duration)
    },
    set(time) {
      fixed = parseTime(time)
    },
  }
}

// Without a zone, the time would depend on the machine.
function parseTime(time: string | Date): number {
  const value = new Date(time).getTime()
  if (Number.isNaN(value) || (typeof time === 'string' && !/T.*(?:Z|[+-]\d\d:?\d\d)$/i.test(time)))
    throw new Error(`the clock cannot be set to "${time}": write a time with its zone, such as 2026-01-01T00:00:00Z`)
  return value
}

function toMilliseconds(duration: Duration): number {
  const entries = Object.entries(duration) as [keyof typeof units, unknown][]
  return entries.reduce((sum, [unit, count]) => sum + units[checkUnit(unit)] * checkCount(unit, count), 0)
}

function checkUnit(unit: string): keyof typeof units {
  if (Object.hasOwn(units, unit)) return unit as keyof typeof units
  throw new Error(`clock.advance(): "${unit}" is unknown: use ${Object.keys(units).join(', ')}`)
}

function checkCount(unit: string, count: unknown): number {
  if (typeof count === 'number' && Number.isFinite(count)) return count
  throw new Error(`clock.advance(): ${unit} is ${count}: give a number`)
}
