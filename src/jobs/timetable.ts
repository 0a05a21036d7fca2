// When a scheduled job is due.

import { Cron } from 'croner'

export interface ScheduleOptions {
  /** An interval: `15 minutes`, `1 hour`, `1 day`. It begins at midnight UTC, unless `at` is set. */
  readonly every?: string
  /** The time of the day, for `every: '1 day'`: `06:30`. */
  readonly at?: string
  /** A cron expression instead: minute, hour, day of the month, month, day of the week. */
  readonly cron?: string
  /** The time zone of `at` and `cron`, such as `Europe/Vienna`; default: UTC. */
  readonly timeZone?: string
}

export interface Timetable {
  /** Changes whenever the declaration does. */
  readonly text: string
  /** The first time after this one. */
  next(after: Date): Date
}

const units: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 }

/** Returns undefined if the job has no schedule. Throws an Error that begins with `place`. */
export function createTimetable(
  place: string,
  { every, at, cron, timeZone = 'UTC' }: ScheduleOptions,
): Timetable | undefined {
  if (every === undefined && cron === undefined) {
    if (at !== undefined) throw new Error(`${place}: "at" needs every: '1 day'`)
    return undefined
  }
  if (every !== undefined && cron !== undefined) throw new Error(`${place}: write either "every" or "cron"`)
  if (cron !== undefined) {
    if (at !== undefined) throw new Error(`${place}: a cron expression contains the time: remove "at"`)
    return createCronTimetable(place, cron, timeZone)
  }
  const [count, unit] = readInterval(place, every!)
  if (at !== undefined) return createDailyTimetable(place, { every: every!, at, timeZone })
  const milliseconds = count * units[unit]!
  return {
    text: `every ${count} ${unit}`,
    next: after => new Date((Math.floor(after.getTime() / milliseconds) + 1) * milliseconds),
  }
}

function createDailyTimetable(
  place: string,
  { every, at, timeZone }: Required<Omit<ScheduleOptions, 'cron'>>,
): Timetable {
  if (!/^1 days?$/.test(every))
    throw new Error(`${place}: "at" needs every: '1 day'; write a cron expression otherwise`)
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(at) ?? []
  if (minute === undefined) throw new Error(`${place}: at must be a time such as '06:30', not ${JSON.stringify(at)}`)
  return createCronTimetable(place, `${Number(minute)} ${Number(hour)} * * *`, timeZone)
}

function createCronTimetable(place: string, cron: string, timeZone: string): Timetable {
  const pattern = parseCron(place, cron, timeZone)
  const next = (after: Date) => {
    const found = pattern.nextRun(after)
    if (found === null) throw new Error(`${place}: "${cron}" names no time that comes`)
    return found
  }
  next(new Date())
  return { text: `${cron} ${timeZone}`, next }
}

function parseCron(place: string, cron: string, timezone: string): Cron {
  try {
    const pattern = new Cron(cron, { timezone, paused: true, mode: '5-part' })
    pattern.nextRun(new Date(0))
    return pattern
  } catch (error) {
    throw new Error(`${place}: the schedule "${cron}" in the time zone "${timezone}": ${(error as Error).message}`)
  }
}

function readInterval(place: string, every: string): readonly [count: number, unit: string] {
  const [, count, unit] = /^([1-9]\d{0,3}) (minute|hour|day|week)s?$/.exec(every) ?? []
  if (unit === undefined)
    throw new Error(`${place}: every must be an interval such as '15 minutes', not ${JSON.stringify(every)}`)
  return [Number(count), unit]
}
