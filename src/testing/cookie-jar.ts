import { parseSetCookie, stringifyCookie } from 'cookie'

/** The cookies of one caller. All of them belong to the tested API, so their domain, path and `Secure` are ignored. */
export interface CookieJar {
  /** The cookies by name. */
  readonly values: ReadonlyMap<string, string>
  /** The value of the request's `Cookie` field; undefined if there are no cookies. */
  format(): string | undefined
  /** Stores or deletes the cookies of a response's `Set-Cookie` fields. */
  store(fields: readonly string[]): void
}

/** Cookies expire at the time of `clock`. */
export function createCookieJar(clock: () => Date): CookieJar {
  const cookies = new Map<string, string>()
  const expiries = new Map<string, number>()
  const removeExpired = () => {
    const now = clock().getTime()
    for (const [name, expiry] of expiries) {
      if (expiry > now) continue
      cookies.delete(name)
      expiries.delete(name)
    }
  }
  return {
    get values() {
      removeExpired()
      return cookies
    },
    format() {
      removeExpired()
      return cookies.size === 0 ? undefined : stringifyCookie(Object.fromEntries(cookies))
    },
    store(fields) {
      for (const field of fields) {
        const { name, value = '', maxAge, expires } = parseSetCookie(field)
        const expiry = maxAge === undefined ? expires?.getTime() : clock().getTime() + 1000 * maxAge
        cookies.set(name, value)
        if (expiry === undefined) expiries.delete(name)
        else expiries.set(name, expiry)
      }
    },
  }
}
