/** How many requests are allowed per period. */
export interface Rate {
  readonly limit: number
  /** In milliseconds. */
  readonly period: number
  /** The name of the period, such as `minute` or `5minutes`. */
  readonly per: string
}

const units: Readonly<Record<string, readonly [name: string, milliseconds: number]>> = {
  s: ['second', 1000],
  m: ['minute', 60_000],
  h: ['hour', 3_600_000],
  d: ['day', 86_400_000],
}

const pattern = /^([1-9]\d{0,8})\/(?:([1-9]\d{0,3}) ?)?(?:s|sec|seconds?|m|min|minutes?|h|hours?|d|days?)$/

/** Whether {@link parseRate} accepts the text. */
export const isRate = (text: string): boolean => pattern.test(text)

/** Parses a rate such as `10/minute`, `10/m` or `10/5 minutes`; throws if it is malformed. */
export function parseRate(text: string): Rate {
  const [, limit, count = '1'] = pattern.exec(text) ?? []
  if (limit === undefined)
    throw new Error(
      `"${text}" is not a rate: write a number, a slash, and second, minute, hour or day, such as 10/minute or 10/5 minutes`,
    )
  const [name, milliseconds] = units[/[a-z]/.exec(text)![0]]!
  return {
    limit: Number(limit),
    period: Number(count) * milliseconds,
    per: count === '1' ? name : `${count}${name}s`,
  }
}
