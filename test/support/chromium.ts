// A real Chromium. Console messages and violations of the Content-Security-Policy make the tests fail.

import assert from 'node:assert/strict'
import { after, before, suite } from 'node:test'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { patience } from './patience.ts'
import type { TestOptions } from './service.ts'
import { password, type RunningService, startService } from './service.ts'

export interface Chromium {
  /** Opens a URL in a new page with separate cookies. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>
}

// Files that run in the same process share one browser.
let launched: Promise<Browser> | undefined
after(async () => (await launched)?.close())

/** Defines tests with a browser; they fail if a page reports an error. */
export function inChromium(define: (chromium: () => Chromium) => void): void {
  const path = process.env.TEST_CHROMIUM
  const skip = path === '' ? 'TEST_CHROMIUM is empty' : false
  suite('Chromium', { skip }, () => {
    let browser: Browser
    const contexts: BrowserContext[] = []
    const errors: string[] = []
    before(async () => {
      if (path === undefined) throw new Error('TEST_CHROMIUM is not set: run the tests with `npm test`')
      launched ??= chromium.launch({ executablePath: path, args, headless: true })
      browser = await launched
    })
    after(async () => {
      await Promise.all(contexts.map(context => context.close()))
      assert.deepEqual(errors, [])
    })
    define(() => ({
      async open(url, options = {}) {
        const context = await browser.newContext(options)
        contexts.push(context)
        context.setDefaultTimeout(patience)
        const page = await context.newPage()
        page.on('pageerror', error => errors.push(`${page.url()}: ${error.message}`))
        page.on('console', message => {
          if (!isStatus.test(message.text())) errors.push(`${page.url()}: ${message.text()}`)
        })
        await page.goto(url)
        return page
      },
    }))
  })
}

// Flags for running as root, in a container without a display.
const args = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--font-render-hinting=none']

// Chromium logs each error response, and each request without a network.
const isStatus =
  /^Failed to load resource: (?:the server responded with a status of \d+|net::ERR_INTERNET_DISCONNECTED)/

/** Defines tests with one browser and one service, on SQLite. */
export function inChromiumWithService(
  options: TestOptions,
  define: (chromium: () => Chromium, service: () => RunningService) => void,
): void {
  inChromium(browser => {
    let service: RunningService
    before(async () => {
      service = await startService({ database: 'SQLite', transport: 'over a socket' }, options)
    })
    after(() => service?.stop())
    define(browser, () => service)
  })
}

/** Logs in with the form, and returns to the current page. */
export async function logIn(page: Page, username: string): Promise<void> {
  await page.getByRole('link', { name: 'Log in' }).click()
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.getByText(username, { exact: true }).first().waitFor()
  // The scripts of the page, too.
  await page.waitForLoadState()
}

/** Logs out with the account menu, and returns to the current page. */
export async function logOut(page: Page): Promise<void> {
  await page.locator('.account summary').click()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('link', { name: 'Log in' }).waitFor()
  await page.waitForLoadState()
}

/** Opens the panel with the request, if it is closed. */
export async function openPanel(page: Page): Promise<void> {
  const closed = page.locator('.panel:not([open]) > summary')
  if ((await page.locator('.panel.closed').count()) > 0 && (await closed.count()) > 0) await closed.click()
}
