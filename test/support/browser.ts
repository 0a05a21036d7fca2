// A client that stores cookies, and logs in with the form as a person does.

import assert from 'node:assert/strict'
import type { Client, RequestOptions, TestResponse } from './client.ts'
import { password } from './service.ts'

export interface Browser {
  /** The cookies by name; tests may add some. */
  readonly cookies: Map<string, string>
  /** The cookies as a `Cookie` header. */
  readonly header: { readonly cookie: string }
  request(method: string, url: string, options?: RequestOptions): Promise<TestResponse>
  get(url: string, options?: RequestOptions): Promise<TestResponse>
  /** Sends the CSRF token in the header, as a script on the page would. */
  send(method: string, url: string, options?: RequestOptions): Promise<TestResponse>
  /** Logs in with the form, and asserts that this works. */
  logIn(username: string): Promise<TestResponse>
  logOut(): Promise<TestResponse>
}

export const loginUrl = '/api-auth/login/'
export const logoutUrl = '/api-auth/logout/'

export function openBrowser(client: Client): Browser {
  const cookies = new Map<string, string>()
  const browser: Browser = {
    cookies,
    get header() {
      return { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
    },
    async request(method, url, options = {}) {
      const own = cookies.size === 0 ? {} : browser.header
      const response = await client.request(method, url, { ...options, headers: { ...own, ...options.headers } })
      for (const { name, value, attributes } of parseSetCookies(response)) {
        if (attributes['max-age'] === '0') cookies.delete(name)
        else cookies.set(name, value)
      }
      return response
    },
    get: (url, options) => browser.request('GET', url, options),
    send(method, url, options = {}) {
      const token = { 'x-csrftoken': cookies.get('csrftoken')! }
      return browser.request(method, url, { ...options, headers: { ...token, ...options.headers } })
    },
    async logIn(username) {
      const form = { username, password, csrfmiddlewaretoken: findCsrfToken(await browser.get(loginUrl)) }
      const response = await browser.request('POST', loginUrl, { form })
      assert.equal(response.status, 302, response.text)
      return response
    },
    logOut: () => browser.send('POST', logoutUrl),
  }
  return browser
}

/** Finds the CSRF token in the form of a page. */
export function findCsrfToken({ text }: TestResponse): string {
  const [, token] = /name="csrfmiddlewaretoken" value="([^"]*)"/.exec(text) ?? []
  assert.ok(token, text)
  return token
}

export interface SetCookie {
  readonly name: string
  readonly value: string
  /** By lower-case name; an attribute without a value is an empty string. */
  readonly attributes: Readonly<Record<string, string>>
}

/** Parses the cookies that a response sets. */
export function parseSetCookies({ headers }: TestResponse): readonly SetCookie[] {
  return [headers['set-cookie'] ?? []].flat().map(line => {
    const [[name, value], ...attributes] = line.split('; ').map(part => part.split('=')) as [string[], ...string[][]]
    return {
      name: name!,
      value: value!,
      attributes: Object.fromEntries(attributes.map(([key, text = '']) => [key!.toLowerCase(), text])),
    }
  })
}
